// Command outside is a proxy with defects that are not among adconform's seeded
// faults: crashes such as fuzzers of any API look for.
//
//	outside ID URL    breaks what is served at URL in one way, and prints its own URL
//	outside           lists the ids
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
)

type request struct {
	*http.Request
	body   string
	fields map[string]any // of the body, where it is a JSON object
	texts  string         // all texts among their values
}

var (
	hugeID   = regexp.MustCompile(`/\d{19,}(/|$)`)
	letterID = regexp.MustCompile(`/campaigns/\d*[a-z]`)
	known    = []string{"name", "hostname", "regularExpression", "withCookiesAction", "withoutCookiesAction"}
)

// Which requests each defect answers with 500 and a page of HTML, as an exception
// that nobody caught does.
var defects = map[string]func(request) bool{
	"none":         func(request) bool { return false },
	"post":         func(r request) bool { return r.Method == http.MethodPost },
	"trace":        func(r request) bool { return r.Method == http.MethodTrace },
	"query":        func(r request) bool { return r.Method == http.MethodPatch && r.URL.RawQuery != "" },
	"huge-id":      func(r request) bool { return hugeID.MatchString(r.URL.Path) },
	"letters-id":   func(r request) bool { return letterID.MatchString(r.URL.Path) },
	"accept":       func(r request) bool { return r.Header.Get("Accept") == "text/html" },
	"content-type": func(r request) bool { return r.body != "" && !strings.Contains(r.Header.Get("Content-Type"), "json") },
	"empty-body":   func(r request) bool { return r.Method == http.MethodPatch && r.body == "" },
	"not-json":     func(r request) bool { return r.body != "" && !json.Valid([]byte(r.body)) },
	"unknown-member": func(r request) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(r.fields)), func(name string) bool { return !slices.Contains(known, name) })
	},
	"null":       func(r request) bool { return slices.Contains(slices.Collect(maps.Values(r.fields)), nil) },
	"empty-text": func(r request) bool { return slices.Contains(slices.Collect(maps.Values(r.fields)), any("")) },
	"nul":        func(r request) bool { return strings.ContainsRune(r.texts, 0) },                                       // as PostgreSQL does
	"astral":     func(r request) bool { return strings.ContainsFunc(r.texts, func(c rune) bool { return c > 0xFFFF }) }, // as a 3-byte column does
	"control-c1": func(r request) bool {
		return strings.ContainsFunc(r.texts, func(c rune) bool { return c>>5 == 0x80>>5 })
	}, // as a wrong re-encoding does
	"percent":   func(r request) bool { return strings.Contains(r.texts, "%") }, // as a format string does
	"long-text": func(r request) bool { return len(r.texts) > 400 },             // as a short column does
}

func read(r *http.Request) (request, error) {
	body, err := io.ReadAll(r.Body)
	read := request{Request: r, body: string(body)}
	if json.Unmarshal(body, &read.fields) != nil {
		read.fields = nil
	}
	for _, value := range read.fields {
		if text, ok := value.(string); ok {
			read.texts += text
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return read, err
}

func serve(id, behind string) error {
	broken, ok := defects[id]
	if !ok {
		return fmt.Errorf("no defect %q; without arguments all are listed", id)
	}
	target, err := url.Parse(behind)
	if err != nil {
		return err
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	//nolint:gosec // it lives as long as one run of one tool, on loopback
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, err := read(r)
		if err != nil {
			return
		}
		if r.URL.Path == "/_adconform/reset" || !broken(request) {
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintln(w, "<h1>Internal Server Error</h1>")
	}))
}

func main() {
	if len(os.Args) == 3 {
		fmt.Fprintln(os.Stderr, "outside:", serve(os.Args[1], os.Args[2]))
		os.Exit(1)
	}
	for _, id := range slices.Sorted(maps.Keys(defects)) {
		fmt.Println(id)
	}
}
