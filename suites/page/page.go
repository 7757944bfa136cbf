// Package page writes report.html: one file that needs no network. Its one script renders
// the report that the page holds; without the script it shows the headline and the first
// findings. It knows report.json by its form only.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"sync"
)

//go:embed page.html style.css script
var files embed.FS

// scripts are joined to the one script of the page, in this order.
var scripts = []string{"elements", "data", "compare", "list", "finding", "sections", "timeline", "page"}

// Content is what a page shows. Its texts hold printable characters only.
type Content struct {
	Title    string
	Headline string    // without the script
	Findings []Finding // likewise
	Data     []byte    // JSON for the script, in which <, > and & are escapes
}

// Finding is a finding as it is shown without the script.
type Finding struct {
	Title string // what is wrong
	Text  string // by which clause, and where it was seen
	Curl  string // line that sends the request again; "" for none
}

// source is what all pages have in common. It is read when a page is written: most runs
// write none.
var source = sync.OnceValue(func() (s struct {
	template      *template.Template
	style, script []byte
	policy        string
},
) {
	read := func(name string) []byte {
		text, err := files.ReadFile(name)
		if err != nil {
			panic(err) // it is embedded
		}
		return text
	}
	s.template = template.Must(template.ParseFS(files, "page.html"))
	s.style = read("style.css")
	var parts [][]byte
	for _, name := range scripts {
		parts = append(parts, read("script/"+name+".js"))
	}
	s.script = bytes.Join(parts, nil)
	s.policy = Policy(s.script, s.style)
	return s
})

// Style is the style of all pages of ours.
func Style() []byte { return source().style }

// Policy is the content security policy of a page in one file: nothing runs or loads but its
// own script and style.
func Policy(script, style []byte) string {
	return fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'", hash(script), hash(style))
}

// hash is the source expression (CSP) of an inline script or style.
func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Write writes a page. Its policy lets nothing run or load but its own script and style.
func Write(w io.Writer, c Content) error {
	s := source()
	return s.template.Execute(w, struct {
		Content
		Policy string
		Style  template.CSS
		Script template.JS
		Data   template.JS
	}{c, s.policy, template.CSS(s.style), template.JS(s.script), template.JS(c.Data)})
}
