package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

//go:embed page.html style.css script
var pageFiles embed.FS

// scripts are joined to the one script of the page, in this order.
var scripts = []string{"elements", "data", "compare", "list", "finding", "sections", "timeline", "page"}

// PageContent is what a page shows. Its texts hold printable characters only.
type PageContent struct {
	Title    string
	Headline string         // without the script
	Findings []PlainFinding // likewise
	Data     []byte         // JSON for the script, in which <, > and & are escapes
}

// PlainFinding is a finding as it is shown without the script.
type PlainFinding struct {
	Title string // what is wrong
	Text  string // by which clause, and where it was seen
	Curl  string // line that sends the request again; "" for none
}

func pageFile(name string) []byte {
	text, err := pageFiles.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return text
}

// hash is the source expression (CSP) of an inline script or style.
func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// WritePage writes a page, in which nothing runs or loads but its own script and style.
func WritePage(w io.Writer, c PageContent) error {
	var script []byte
	for _, name := range scripts {
		script = append(script, pageFile("script/"+name+".js")...)
	}
	style := pageFile("style.css")
	d := struct {
		PageContent
		Policy string // content security policy
		Style  template.CSS
		Script template.JS
		Data   template.JS
	}{
		c, fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'", hash(script), hash(style)),
		template.CSS(style), template.JS(script), template.JS(c.Data),
	}
	return template.Must(template.New("page").Parse(string(pageFile("page.html")))).Execute(w, d)
}
