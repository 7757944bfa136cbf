package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// exchange is one request on its way to the server.
type exchange struct {
	*Env
	*state
	op  *spec.Operation // nil: none of the contract's
	ids []string        // as the route has them
	// written is the escaped path as the client wrote it. Conditions look at the route, as the server does.
	written string
	target  string // the path and the query of the request line
	proto   string // HTTP/1.1

	// A fault may change these before it forwards the request.
	method, path, query string // path is the route, escaped
	header              http.Header
	body                []byte
	hooks               reference.Hooks

	ctx    context.Context
	remote string    // the address of the client, which distinguishes connections
	rest   io.Reader // the body, until it arrives; nil then
	next   http.Handler
}

// answer is what a fault may change before the client sees it.
type answer struct {
	to     *exchange // nil: the server did not give it
	status int
	header http.Header
	body   []byte
	raw    []byte // replaces the whole message on the wire; the connection is closed after it
	reset  bool   // ends that connection with RST instead of FIN
}

// wrap puts the behaviour around a server. Exchanges run concurrently; what a behaviour remembers is in their common
// state.
func (b behaviour) wrap(next http.Handler, env Env) http.Handler {
	return behaviour(func(x *exchange) *answer {
		x.arrive()
		return b(x)
	}).early(next, env)
}

// early is wrap for a behaviour that begins, and may answer, before the body has arrived.
func (b behaviour) early(next http.Handler, env Env) http.Handler {
	s := &state{started: time.Now()}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{
			Env: &env, state: s, next: next, ctx: r.Context(),
			rest: r.Body, remote: r.RemoteAddr,
			method: r.Method, written: r.URL.EscapedPath(), target: r.RequestURI,
			proto: r.Proto, query: r.URL.RawQuery, header: r.Header.Clone(),
		}
		x.header["Transfer-Encoding"] = r.TransferEncoding // which net/http removes
		x.path = reference.Route(x.written)
		x.op, x.ids = env.Contract.Match(x.method,
			strings.TrimPrefix(x.path, reference.BasePath))
		a := b(x)
		control := http.NewResponseController(w)
		ahead := a.raw == nil && x.rest != nil // a raw answer takes the connection over
		if ahead {
			_ = control.EnableFullDuplex() // else the server reads the body before it answers
		}
		if a.write(w); ahead {
			_ = control.Flush()
			_, _ = io.Copy(io.Discard, r.Body)
		}
	})
}

// arrive waits for the body.
func (x *exchange) arrive() {
	x.body, _ = io.ReadAll(x.rest)
	x.rest = nil
}

// forward returns the server's answer to the request.
func (x *exchange) forward() *answer {
	ctx := x.ctx
	if !reflect.ValueOf(x.hooks).IsZero() { // else those of a fault around this one stay
		ctx = x.hooks.With(ctx)
	}
	req := httptest.NewRequestWithContext(ctx, x.method, "http://reference.test/", bytes.NewReader(x.body))
	req.URL.RawPath = x.path
	req.URL.RawQuery = x.query
	req.Header = x.header.Clone()
	req.URL.Path, _ = url.PathUnescape(x.path)
	rec := httptest.NewRecorder()
	x.next.ServeHTTP(rec, req)
	return &answer{
		to: x, status: rec.Code, header: rec.Result().Header,
		body: rec.Body.Bytes(),
	}
}

// stored returns the fields of the object in the path, for any user.
func (x *exchange) stored() object { return x.current(x.ids...) }

// current returns the fields of the object at a path of the operation, for any user.
func (x *exchange) current(ids ...string) object {
	data, _ := x.apart(x.op, ids, object{}).data().(object)
	return data
}

// apart sends a request of a user who has every permission, beside the exchange: to show an object, change it in
// secret, or delete it.
func (x *exchange) apart(op *spec.Operation, ids []string, body object) *answer {
	beside := *x
	beside.method = op.Method
	beside.path = reference.BasePath + op.At(ids...)
	beside.query = ""
	beside.body = encode(body)
	beside.header = http.Header{"Content-Type": {"application/json"}}
	beside.hooks = reference.Hooks{Authenticate: x.ownerID, Permit: yes}
	return beside.forward()
}

// asked returns the answer to the same request with another query.
func (x *exchange) asked(query string) *answer {
	other := *x
	other.query = query
	a := other.forward()
	a.to = x
	return a
}

// ownerID and yes are hooks.
func (env *Env) ownerID(int64) int64 { return env.World.Users[0].ID }
func yes(bool) bool                  { return true }

// write sends the answer to the client.
func (a *answer) write(w http.ResponseWriter) {
	if a.raw != nil {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer conn.Close()
		conn.Write(a.raw)
		if tcp, ok := conn.(*net.TCPConn); ok && a.reset {
			_ = tcp.SetLinger(0)
		}
		return
	}
	maps.Copy(w.Header(), a.header)
	w.Header().Set("Content-Length", itoa(len(a.body)))
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // net/http leaves the length and the body out where a status has none
}

// key returns the API key of the request.
func (x *exchange) key() string { return x.header.Get(fixtures.DefaultKeyHeader) }

func (env *Env) owner() string    { return env.World.Users[0].Key }
func (env *Env) stranger() string { return env.World.Users[1].Key }

func (a *answer) ok() bool { return a.status >= 200 && a.status < 300 }

// reply returns an answer.
func reply(status int, body any) *answer {
	return &answer{status: status, header: http.Header{
		"Content-Type": {"application/json"},
	}, body: encode(body)}
}

// errorBody returns a body in the error shape, with an issue that names the field, if one is given.
func errorBody(status int, field ...string) object {
	issue := object{"type": "refused", "message": http.StatusText(status) + ".", "relatedField": nil}
	for _, name := range field {
		issue["relatedField"] = name
	}
	return object{"error": object{"responseCode": status, "issues": []any{issue}}}
}

// state holds what a faulty server remembers from one exchange to the next.
type state struct {
	counted atomic.Int64
	started time.Time
	values  sync.Map
}

// count returns the number of the exchanges that reached its caller, from 1.
func (x *exchange) count() int64 { return x.counted.Add(1) }

// recall returns the value that keep stored under a key, and first the one that was first given under it.
func recall[V any](x *exchange, key string) (v V, had bool) {
	kept, _ := x.values.Load(key)
	v, had = kept.(V)
	return v, had
}

func (s *state) keep(key string, v any) {
	s.values.Store(key, v)
}

func first[V any](x *exchange, key string, v V) V {
	kept, _ := x.values.LoadOrStore(key, v)
	return kept.(V)
}

// meet waits for a concurrent request that meets under the same key, and exchanges what both bring.
func (x *exchange) meet(key, brings string) (other string, met bool) {
	ways := first(x, "meeting "+key,
		[2]chan string{make(chan string), make(chan string)})
	select {
	case ways[0] <- brings:
		return <-ways[1], true
	case other = <-ways[0]:
		ways[1] <- brings
		return other, true
	case <-time.After(250 * time.Millisecond): // long enough on a busy machine
		return "", false
	}
}

// object is a JSON object.
type object = map[string]any

func itoa[N int | int64](n N) string { return fmt.Sprint(n) }

// atoi returns the integer that a text or a value of a decoded body begins with, 0 for anything else.
func atoi(v any) int {
	n := 0
	_, _ = fmt.Sscan(fmt.Sprint(v), &n)
	return n
}

// decode reads JSON as object, []any, string, bool and json.Number; it returns nil for malformed JSON.
func decode(data []byte) any {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a fault answers what JSON cannot hold: %v", err))
	}
	return data
}

// edited changes the JSON object in a body. A body that stays equal keeps its bytes.
func edited(body []byte, change func(doc object)) []byte {
	doc, ok := decode(body).(object)
	if !ok {
		return body
	}
	before := encode(doc)
	if change(doc); bytes.Equal(before, encode(doc)) {
		return body
	}
	return encode(doc)
}

// fields returns the members of a request body, or nil if it is not an object.
func (x *exchange) fields() object {
	doc, _ := decode(x.body).(object)
	return doc
}

// data returns the representation in an answer, or the items of a list.
func (a *answer) data() any {
	doc, _ := decode(a.body).(object)
	return doc["data"]
}

// inEach finds the objects at a path, in every item of the arrays on the way.
func inEach(v any, path []string, found func(o object)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			inEach(item, path, found)
		}
	case object:
		if len(path) == 0 {
			found(v)
		} else {
			inEach(v[path[0]], path[1:], found)
		}
	}
}

// shown changes the representation in a success, or each item of a list.
func (a *answer) shown(change func(data object)) *answer {
	if a.ok() {
		a.body = edited(a.body,
			func(doc object) { inEach(doc, []string{"data"}, change) })
	}
	return a
}

// page is a page of a list, with numbers and items that may be changed.
type page struct {
	*exchange        // that it answers
	numbers   object // the pagination
	items     []any
}

func (p *page) number(name string) int { return atoi(p.numbers[name]) }

// paged changes the page in a success.
func (a *answer) paged(change func(p *page)) *answer {
	if a.ok() {
		a.body = edited(a.body, func(doc object) {
			meta, _ := doc["meta"].(object)
			numbers, ok := meta["pagination"].(object)
			if items, isList := doc["data"].([]any); ok && isList {
				p := &page{a.to, numbers, items}
				change(p)
				doc["data"] = p.items
			}
		})
	}
	return a
}
