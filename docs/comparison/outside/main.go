// Command outside is a proxy with defects that are not among adconform's seeded
// faults: crashes such as fuzzers of any API look for.
//
//	outside ID URL    breaks what is served at URL in one way, and prints its own URL
//	outside           lists the ids and what is answered with 500
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
)

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
	i := slices.IndexFunc(defects, func(d defect) bool { return d.id == id })
	if i < 0 {
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
		// What puts the world back for adconform is not of the interface.
		if strings.HasPrefix(r.URL.Path, "/_adconform/") || !defects[i].breaks(request) {
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
	for _, d := range defects {
		fmt.Printf("%s  %s\n", d.id, d.what)
	}
}
