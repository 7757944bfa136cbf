package front

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
)

// Start is what the page at / shows.
type Start struct {
	Broken   []string // the fault and the variant that are on
	BaseURL  string   // of the operations
	Objects  []Objects
	Requests []string // one for each operation
}

// Objects are those of one kind.
type Objects struct{ Kind, Owner, Stranger string }

//go:embed start_page.html
var startHTML string

var startTemplate = template.Must(template.New("start").Parse(startHTML))

// startPage is where a browser begins: what is served, and where to read on.
func startPage(s *Start) (http.Handler, error) {
	var page bytes.Buffer
	if err := startTemplate.Execute(&page, map[string]any{"Start": s, "Docs": DocsPath, "Health": HealthPath}); err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(page.Bytes())
	}), nil
}
