package faults

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

// behaviour answers one exchange in place of the server.
type behaviour func(x *exchange) *answer

// exchange is one request on its way to the server.
type exchange struct {
	*Env
	request
	op  *spec.Operation // nil: none of the contract's
	ids []string        // as they stand in the path

	ctx  context.Context
	next http.Handler
	sent []request
	last *answer
}

// request is what a fault may change before the server sees it.
type request struct {
	method, path, query string // path is escaped
	header              http.Header
	body                []byte
}

// answer is what a fault may change before the client sees it.
type answer struct {
	status int
	header http.Header
	body   []byte
	// raw replaces the whole message on the wire, whose connection is then closed.
	raw []byte
	// promised is a Content-Length beyond the body: the answer breaks off.
	promised int
}

// each wraps a server in a behaviour that holds no state.
func each(b behaviour) func(http.Handler, Env) http.Handler {
	return fresh(func() behaviour { return b })
}

// fresh wraps each server in a behaviour of its own, whose closure may hold
// state; it may be called for several exchanges at once.
func fresh(make func() behaviour) func(http.Handler, Env) http.Handler {
	return func(next http.Handler, env Env) http.Handler {
		b := make()
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			x := env.exchange(next, r)
			a := b(x)
			if x.differs(a) && env.Fired != nil {
				env.Fired.Add(1)
			}
			a.write(w)
		})
	}
}

// on narrows a behaviour to one operation; "" is all of them.
func on(op string, b behaviour) behaviour {
	return func(x *exchange) *answer {
		if x.op == nil || op != "" && x.op.ID != op {
			return x.forward()
		}
		return b(x)
	}
}

func (env *Env) exchange(next http.Handler, r *http.Request) *exchange {
	body, _ := io.ReadAll(r.Body)
	x := &exchange{
		Env: env, next: next, ctx: r.Context(),
		request: request{method: r.Method, path: r.URL.EscapedPath(), query: r.URL.RawQuery, header: r.Header.Clone(), body: body},
	}
	x.op, x.ids = env.Contract.Match(x.method, strings.TrimPrefix(x.path, env.BasePath))
	return x
}

// at is the path of an operation with these ids.
func (env *Env) at(op *spec.Operation, ids ...string) string {
	return env.BasePath + op.At(ids...)
}

// forward sends the request as it came.
func (x *exchange) forward() *answer { return x.send(x.request) }

// send sends a request that the client will be answered with or that changes
// the server.
func (x *exchange) send(r request) *answer {
	x.sent = append(x.sent, r)
	a := x.peek(r)
	copied := *a
	copied.header = a.header.Clone()
	x.last = &copied
	return a
}

// peek sends a request that only looks.
func (x *exchange) peek(r request) *answer {
	req := httptest.NewRequestWithContext(x.ctx, r.method, "http://reference.test/", bytes.NewReader(r.body))
	req.URL.RawPath, req.URL.RawQuery, req.Header = r.path, r.query, r.header.Clone()
	req.URL.Path, _ = url.PathUnescape(r.path)
	rec := httptest.NewRecorder()
	x.next.ServeHTTP(rec, req)
	return &answer{status: rec.Code, header: rec.Result().Header, body: rec.Body.Bytes()}
}

// differs says whether the fault changed anything at the wire: what the server
// was sent, or what the client gets.
func (x *exchange) differs(a *answer) bool {
	if len(x.sent) != 1 || !x.sent[0].equal(x.request) {
		return true
	}
	return a.raw != nil || a.promised != 0 || a.status != x.last.status || !bytes.Equal(a.body, x.last.body) || !equalHeader(a.header, x.last.header)
}

func (r request) equal(o request) bool {
	return r.method == o.method && r.path == o.path && r.query == o.query && bytes.Equal(r.body, o.body) && equalHeader(r.header, o.header)
}

func equalHeader(a, b http.Header) bool {
	if len(a) != len(b) {
		return false
	}
	for name, values := range a {
		if !slices.Equal(values, b[name]) {
			return false
		}
	}
	return true
}

// write sends the answer to the client.
func (a *answer) write(w http.ResponseWriter) {
	if a.raw != nil {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer conn.Close()
		conn.Write(a.raw)
		return
	}
	header := w.Header()
	for name, values := range a.header {
		header[name] = values
	}
	header.Del("Content-Length")
	if a.promised > 0 {
		header.Set("Content-Length", itoa(a.promised))
	}
	w.WriteHeader(a.status)
	if a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		w.Write(a.body)
	}
}

// with are changes to a copy of a request.
func (r request) with(changes ...func(*request)) request {
	r.header = r.header.Clone()
	for _, change := range changes {
		change(&r)
	}
	return r
}

func to(path string) func(*request) { return func(r *request) { r.path = path } }

func saying(body []byte) func(*request) { return func(r *request) { r.body = body } }

// as sends the request with another key, and with the media type that the
// interface wants.
func (x *exchange) as(key string) func(*request) {
	return func(r *request) { r.header.Set(x.KeyHeader, key) }
}

// key is the key that the request carries.
func (x *exchange) key() string { return x.header.Get(x.KeyHeader) }

func (env *Env) owner() string    { return env.World.Users[0].Key }
func (env *Env) stranger() string { return env.World.Users[1].Key }

func (x *exchange) byOwner() bool    { return x.key() == x.owner() }
func (x *exchange) byStranger() bool { return x.key() == x.stranger() }

func (a *answer) ok() bool { return a.status >= 200 && a.status < 300 }

// replaced is an answer with this status and JSON body in place of another.
func (a *answer) replaced(status int, body any) *answer {
	b := &answer{status: status, header: a.header.Clone()}
	b.header.Set("Content-Type", "application/json")
	b.body = encode(body)
	return b
}

// refusal is an answer in the error shape, with the named fields as issues.
func refusal(status int, fields ...string) *answer {
	a := &answer{header: http.Header{}}
	return a.replaced(status, errorBody(status, fields...))
}

func errorBody(status int, fields ...string) map[string]any {
	issues := []any{}
	for _, f := range fields {
		issues = append(issues, map[string]any{"type": "invalidValue", "message": f + " is wrong", "relatedField": f})
	}
	if len(issues) == 0 {
		issues = append(issues, map[string]any{"type": "refused", "message": http.StatusText(status) + ".", "relatedField": nil})
	}
	return map[string]any{"error": map[string]any{"responseCode": status, "issues": issues}}
}
