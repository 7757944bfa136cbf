package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/wording"
)

// HTMLFile is the name of the report for people in a report folder.
const HTMLFile = "report.html"

//go:embed html
var htmlFiles embed.FS

// htmlScripts are joined to the one script of the page, in this order.
var htmlScripts = []string{"html/model.js", "html/render.js", "html/lists.js", "html/page.js"}

// htmlTemplate is parsed when a page is written: most runs write none.
var htmlTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"show":     Printable,
		"brief":    func(text string) string { return wording.Clip(Printable(text), 40) },
		"words":    inWords,
		"address":  htmlAddress,
		"odd":      func(i int) bool { return i%2 == 1 },
		"rest":     func(all, shown int) int { return all - shown },
		"body":     newHTMLBodySlot,
		"figure":   func(name string, total int, bar htmlBar) htmlFigure { return htmlFigure{name, total, bar} },
		"state":    func(s ClauseStatus) string { return clauseStates[s] },
		"count":    wording.Count,
		"duration": htmlDuration,
		"date":     func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04:05 UTC") },
	}).ParseFS(htmlFiles, "html/*.tmpl"))
})

// WriteHTML writes a report as one page that needs no network: what matters is
// there without a script, the script adds search, filters and the rest of long
// lists. Nothing that a target sent is ever read as markup, and the policy of
// the page lets nothing else run or load.
func WriteHTML(w io.Writer, r *Report) error {
	p := newHTMLPage(bounded(r))
	style, err := htmlFiles.ReadFile("html/style.css")
	if err != nil {
		return err
	}
	var script []byte
	for _, name := range htmlScripts {
		part, err := htmlFiles.ReadFile(name)
		if err != nil {
			return err
		}
		script = append(script, part...)
	}
	p.Style, p.Script = template.CSS(style), template.JS(script)
	p.Policy = fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'", htmlHash(script), htmlHash(style))
	return htmlTemplate().ExecuteTemplate(w, "page.html.tmpl", p)
}

// htmlHash is the source expression (CSP) of an inline script or style.
func htmlHash(content []byte) string {
	sum := sha256.Sum256(content)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// htmlDuration is a time in words: 250 µs, 12 ms, 1.5 s.
func htmlDuration(seconds float64) string {
	switch {
	case seconds < 0.001:
		return fmt.Sprintf("%.0f µs", seconds*1e6)
	case seconds < 1:
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	case seconds < 100:
		return fmt.Sprintf("%.3g s", seconds)
	}
	return (time.Duration(seconds) * time.Second).String()
}
