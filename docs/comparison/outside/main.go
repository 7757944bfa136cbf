// Command outside is a proxy with defects that are not among adconform's seeded
// faults: crashes such as fuzzers of any API look for.
//
//	outside ID URL       breaks what is served at URL in one way, and prints its own URL
//	outside watch URL    breaks nothing, and says in X-Reached which of them a request meets
//	outside              lists the ids and what is answered with 500
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

const watch = "watch"

// plainly sends each request on a connection of its own, and reads the answer while it
// still sends: one to a body that is refused before it is read is not lost.
type plainly struct{}

func (plainly) RoundTrip(r *http.Request) (*http.Response, error) {
	connection, err := new(net.Dialer).DialContext(r.Context(), "tcp", r.URL.Host)
	if err != nil {
		return nil, err
	}
	r.Trailer, r.Close = nil, true
	r.Header.Del("Expect") // its body is here
	go r.Write(connection) //nolint:errcheck // what becomes of it the answer says
	answer, err := http.ReadResponse(bufio.NewReader(connection), r)
	if err != nil {
		connection.Close()
		return nil, err
	}
	answer.Body = closing{answer.Body, connection}
	return answer, nil
}

type closing struct {
	io.ReadCloser
	connection net.Conn
}

func (c closing) Close() error { return errors.Join(c.ReadCloser.Close(), c.connection.Close()) }

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

func serve(id, base string) error {
	in := slices.DeleteFunc(slices.Clone(defects), func(d defect) bool { return d.id != id && id != watch })
	if len(in) == 0 {
		return fmt.Errorf("no defect %q; without arguments all are listed", id)
	}
	target, err := url.Parse(base)
	if err != nil {
		return err
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = plainly{}
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
		if strings.HasPrefix(r.URL.Path, "/_adconform/") {
			proxy.ServeHTTP(w, r)
			return
		}
		met := slices.DeleteFunc(slices.Clone(in), func(d defect) bool { return !d.breaks(request) })
		if id == watch {
			for _, d := range met {
				w.Header().Add("X-Reached", d.id)
			}
		}
		if id == watch || len(met) == 0 {
			// A client that has closed its side still waits for the answer.
			ctx, done := context.WithCancel(context.WithoutCancel(r.Context()))
			defer done()
			proxy.ServeHTTP(w, r.WithContext(ctx))
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
