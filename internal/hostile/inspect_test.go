package hostile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	markdowntext "github.com/yuin/goldmark/text"
	"golang.org/x/net/html"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites/report"
)

// inspect looks at all that a run leaves behind: its two outputs, and every file that
// it wrote, whatever the format.
func (r *run) inspect(w fixtures.World) {
	secrets := newSecrets(w)
	note := func(where string, err error) {
		if err != nil {
			r.problem("%s: %v", where, err)
		}
	}
	for name, text := range map[string]string{"the standard output": r.stdout, "the standard error": r.stderr} {
		note(name, printable(text))
		note(name, secrets.in(text))
	}
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		// A dot file is one that a killed run had not finished.
		if err != nil || d.IsDir() || path == filepath.Join(r.dir, "target.yaml") || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		data, err := os.ReadFile(path)
		note(d.Name(), err)
		note(d.Name(), secrets.in(string(data)))
		note(d.Name(), inspectFile(d.Name(), data, secrets))
		return nil
	})
	note("the report folder", err)
}

// inspectFile says what is wrong with one file, by its extension.
func inspectFile(name string, data []byte, secrets *secrets) error {
	if err := plainBytes(data); err != nil {
		return err
	}
	switch ext := filepath.Ext(name); {
	case name == report.JSONFile:
		if err := matchesSchema(data); err != nil {
			return err
		}
		return secrets.inJSON(data)
	case ext == ".json", ext == ".har", ext == ".sarif":
		return secrets.inJSON(data)
	case ext == ".xml", ext == ".svg":
		return inspectXML(data, secrets)
	case ext == ".html":
		return inspectHTML(data, secrets)
	case ext == ".md":
		return inspectMarkdown(string(data))
	}
	return nil
}

// plainBytes: a report of any format is text without control characters.
func plainBytes(data []byte) error {
	if !utf8.Valid(data) {
		return errors.New("it is not UTF-8")
	}
	for i, b := range data {
		if b < ' ' && b != '\n' && b != '\r' && b != '\t' || b == 0x7f {
			return fmt.Errorf("the control character %#02x at byte %d", b, i)
		}
	}
	return nil
}

// printable: what goes to a terminal moves no cursor and turns no writing
// direction, and what goes to the log of a CI gives it no commands.
func printable(text string) error {
	for i, r := range text {
		if r != '\n' && !unicode.IsPrint(r) || r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return fmt.Errorf("the character %U at byte %d", r, i)
		}
	}
	if line := ciCommand.FindString(text); line != "" {
		return fmt.Errorf("a line that a CI takes for a command: %q", line)
	}
	return nil
}

var ciCommand = regexp.MustCompile(`(?m)^\s*(::\S+.*|##vso\[.*|##\[.*)$`)

var reportSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(report.SchemaJSON()))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("report.schema.json", document); err != nil {
		return nil, err
	}
	return c.Compile("report.schema.json")
})

func matchesSchema(data []byte) error {
	schema, err := reportSchema()
	if err != nil {
		return err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return schema.Validate(document)
}

// inspectXML reads every token; the decoder refuses what XML cannot hold.
func inspectXML(data []byte, secrets *secrets) error {
	decoder := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := decoder.Token()
		switch t := token.(type) {
		case xml.StartElement:
			if err := active(t.Name.Local, false); err != nil {
				return err
			}
			for _, a := range t.Attr {
				if err := errors.Join(attribute(a.Name.Local, a.Value), secrets.in(a.Value)); err != nil {
					return err
				}
			}
		case xml.CharData:
			if err := secrets.in(string(t)); err != nil {
				return err
			}
		case xml.Comment:
			if bytes.Contains(t, []byte(mark)) {
				return errors.New("a text of the server ended up in a comment")
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// inspectHTML: what a server says may stand in text and in attributes, and
// nowhere else; nothing in the page runs on its own but the page's own script.
func inspectHTML(data []byte, secrets *secrets) error {
	root, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		return err
	}
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			if err := active(n.Data, true); err != nil {
				return err
			}
			for _, a := range n.Attr {
				if err := errors.Join(attribute(a.Key, a.Val), secrets.in(a.Val)); err != nil {
					return err
				}
			}
		case html.TextNode:
			p := n.Parent
			if p != nil && (p.Data == "script" || p.Data == "style") && strings.Contains(n.Data, mark) && !isData(p) {
				return fmt.Errorf("a text of the server ended up in a %s", p.Data)
			}
			if err := secrets.in(n.Data); err != nil {
				return err
			}
		case html.CommentNode:
			if strings.Contains(n.Data, mark) {
				return errors.New("a text of the server ended up in a comment")
			}
		}
	}
	return nil
}

// isData: a script element that holds JSON and does not run.
func isData(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "type" {
			return a.Val == "application/json"
		}
	}
	return false
}

// active finds elements that a report has no use for.
func active(element string, script bool) error {
	switch strings.ToLower(element) {
	case "iframe", "object", "embed", "base", "foreignobject", "img", "image":
		return fmt.Errorf("an element %s", element)
	case "script":
		if !script {
			return errors.New("an element script")
		}
	}
	if strings.Contains(element, mark) {
		return errors.New("a text of the server ended up as an element")
	}
	return nil
}

func attribute(name, value string) error {
	name = strings.ToLower(name)
	switch {
	case strings.HasPrefix(name, "on"), strings.Contains(name, mark):
		return fmt.Errorf("an attribute %s", name)
	case (name == "href" || name == "src") && strings.HasPrefix(strings.ToLower(strings.TrimSpace(value)), "javascript:"):
		return fmt.Errorf("an attribute %s that runs", name)
	}
	return nil
}

// inspectMarkdown reads it as GitHub does: no HTML, and nothing of the server
// outside of code, where it might be a link, an image or a mention.
func inspectMarkdown(text string) error {
	source := []byte(text)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(markdowntext.NewReader(source))
	return ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan, *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.RawHTML:
			return ast.WalkStop, fmt.Errorf("HTML outside of code: %.60q", n.Segments.Value(source))
		case *ast.HTMLBlock:
			return ast.WalkStop, fmt.Errorf("HTML outside of code: %.60q", n.Lines().Value(source))
		case *ast.Image:
			return ast.WalkStop, fmt.Errorf("an image: %.60q", n.Destination)
		case *ast.Link:
			if evil(n.Destination) {
				return ast.WalkStop, fmt.Errorf("a link of the server: %.60q", n.Destination)
			}
		case *ast.AutoLink:
			if url := n.URL(source); evil(url) {
				return ast.WalkStop, fmt.Errorf("a link of the server: %.60q", url)
			}
		case *ast.Text:
			if plain := n.Value(source); bytes.Contains(plain, []byte(mark)) {
				return ast.WalkStop, fmt.Errorf("a text of the server outside of code: %.60q", plain)
			}
		}
		return ast.WalkContinue, nil
	})
}

func evil(url []byte) bool {
	return bytes.Contains(url, []byte("evil.invalid")) || bytes.HasPrefix(bytes.ToLower(url), []byte("javascript:"))
}
