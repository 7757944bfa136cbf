package reference

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"

	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
	"go.yaml.in/yaml/v3"
)

// The page that starts Swagger UI. It is ours, not swgui's, because a strict
// content security policy allows no script inside the page.
//
//go:embed docs/index.html docs/start.js
var docsPage embed.FS

// policy lets the page talk to this server alone. Swagger UI writes styles into
// its elements.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// documentation serves Swagger UI and the document below DocsPath.
func documentation(openapi []byte, basePath string) (http.Handler, error) {
	document, err := servedAt(openapi, basePath)
	if err != nil {
		return nil, err
	}
	index, err := docsPage.ReadFile("docs/index.html")
	if err != nil {
		return nil, err
	}
	start, err := docsPage.ReadFile("docs/start.js")
	if err != nil {
		return nil, err
	}
	ours := map[string]struct {
		mediaType string
		content   []byte
	}{
		DocsPath:                   {"text/html; charset=utf-8", index},
		DocsPath + "/start.js":     {"text/javascript; charset=utf-8", start},
		DocsPath + "/openapi.yaml": {"application/yaml", document},
	}
	assets := http.StripPrefix(DocsPath, statigz.FileServer(static.FS))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		file, isOurs := ours[r.URL.Path]
		switch {
		case r.URL.Path == DocsPath+"/":
			http.Redirect(w, r, DocsPath, http.StatusPermanentRedirect)
		case isOurs:
			w.Header().Set("Content-Type", file.mediaType)
			w.Header().Set("Cache-Control", "no-cache") // another version may serve the same port
			_, _ = w.Write(file.content)
		case hasAsset(strings.TrimPrefix(r.URL.Path, DocsPath+"/")):
			assets.ServeHTTP(w, r)
		default:
			WriteError(w, http.StatusNotFound, "notFound", "The documentation has no such page.")
		}
	}), nil
}

// hasAsset says whether Swagger UI has a file, which may be there compressed only.
func hasAsset(name string) bool {
	for _, stored := range []string{name, name + ".gz"} {
		if info, err := fs.Stat(static.FS, stored); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// servedAt puts the base path in place of the document's servers, so that a
// browser tries the server that the page came from.
func servedAt(openapi []byte, basePath string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(openapi, &doc); err != nil {
		return nil, fmt.Errorf("OpenAPI document: %w", err)
	}
	var servers yaml.Node
	if err := servers.Encode([]map[string]string{{"url": basePath, "description": "This server"}}); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("OpenAPI document: want a mapping")
	}
	root, found := doc.Content[0], false
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "servers" {
			root.Content[i+1], found = &servers, true
		}
	}
	if !found {
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: "servers"}, &servers)
	}
	var out bytes.Buffer
	err := yaml.NewEncoder(&out).Encode(&doc)
	return out.Bytes(), err
}

// StartPage is what / shows: where a browser begins.
type StartPage struct {
	Broken   []string // the fault and the variant that are on
	BaseURL  string   // of the operations
	Objects  []StartObjects
	Requests []string // one for each operation
}

// StartObjects are those of one kind.
type StartObjects struct{ Kind, Owner, Stranger string }

//go:embed start_page.html
var startHTML string

var startTemplate = template.Must(template.New("start").Parse(startHTML))

func (s *StartPage) handler() (http.Handler, error) {
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
