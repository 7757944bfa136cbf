// Package dialect puts a dialect in front of the reference: other names, ids and envelopes, which the interface
// document leaves open. The server behind it, with its faults and variants, sees and answers the published forms.
package dialect

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// Dialect says what differs from the published forms. How a key is sent is a choice of the reference.
type Dialect struct {
	Overlays []string          // folders of docs/dialects with the overlays that describe it
	Names    map[string]string // the dialect's name of a member or a query parameter, by the published one
	Words    map[string]string // the dialect's word for a listed value, by the published one
	IDs      map[string]Form   // of the kinds of objects whose ids are texts: profile, rule, host, campaign, creative
	Bare     bool              // an update or a read answers the representation without an envelope
}

// translator translates between a dialect and the published forms. A name and its counterpart are swapped, in requests
// as in answers, so the published name is an unknown one in the dialect.
type translator struct {
	Dialect
	contract *spec.Contract
	names    swap
	words    swap
	kinds    map[string]string           // of the object whose id a member or a parameter holds, by its published name
	known    map[string]map[string]int64 // ids of the world by kind and text
}

// Before puts the dialect in front of a server of a world.
func (d Dialect) Before(next http.Handler, contract *spec.Contract, world fixtures.World) http.Handler {
	t := &translator{
		Dialect: d, contract: contract, names: newSwap(d.Names),
		words: newSwap(d.Words),
		kinds: map[string]string{"parentId": "creative"},
		known: map[string]map[string]int64{},
	}
	for _, op := range contract.Operations {
		for _, p := range op.Params {
			t.kinds[p.Name] = fixtures.KindOf(p.Object)
		}
	}
	for kind, form := range d.IDs {
		t.known[kind] = map[string]int64{}
		for _, id := range idsOf(world, kind) {
			t.known[kind][form.text(kind, id)] = id
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := &message{translator: t, unknown: map[string]string{}}
		a := &answer{ResponseWriter: w, translated: m.answer}
		next.ServeHTTP(a, m.request(r))
		a.end()
	})
}

// A swap maps the words of two vocabularies to one another, and other words to themselves.
type swap map[string]string

func newSwap(words map[string]string) swap {
	s := swap{}
	for published, other := range words {
		s[published] = other
		s[other] = published
	}
	return s
}

func (s swap) of(word string) string {
	if other, differs := s[word]; differs {
		return other
	}
	return word
}

// message is a request and its answer.
type message struct {
	*translator
	kind    string            // of the object that the path names, "" if it is not an operation's
	unknown map[string]string // the texts of unknown ids, by kind and number
}

// request returns the request in the published forms. Its body is read when the server reads it.
func (m *message) request(r *http.Request) *http.Request {
	translated := *r
	u := *r.URL
	u.RawPath = m.path(r.URL.EscapedPath())
	u.RawQuery = m.query(r.URL.RawQuery)
	if path, err := url.PathUnescape(u.RawPath); err == nil {
		u.Path = path
	}
	translated.URL = &u
	translated.Body = &body{ReadCloser: r.Body, translated: m.requestBody}
	return &translated
}

// path translates the ids in an escaped path, whatever the method.
func (m *message) path(path string) string {
	relative, isOurs := strings.CutPrefix(reference.Route(path), reference.BasePath)
	if !isOurs {
		return path
	}
	for _, op := range m.contract.Operations {
		ids, matches := op.Match(relative)
		if !matches {
			continue
		}
		for i, p := range op.Params {
			m.kind = m.kinds[p.Name]
			ids[i] = m.segment(m.kind, ids[i])
		}
		return reference.BasePath + op.At(ids...)
	}
	return path
}

// query translates the names of parameters, and the ids in them.
func (m *message) query(query string) string {
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, value, hasValue := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			continue
		}
		published := m.names.of(plain)
		if published != plain {
			name = url.QueryEscape(published)
		}
		if kind := m.kinds[published]; m.IDs[kind] != "" {
			value = m.segment(kind, value)
		}
		if pairs[i] = name; hasValue {
			pairs[i] += "=" + value
		}
	}
	return strings.Join(pairs, "&")
}

// maxBody is the number of bytes of a body that are translated, more than the reference reads.
const maxBody = 2 << 20

// body translates the body of a request when it is first read, as a server may answer before the body has come.
type body struct {
	io.ReadCloser
	translated func([]byte) []byte
	rest       io.Reader // nil before the first read
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.rest == nil {
		data, err := io.ReadAll(io.LimitReader(b.ReadCloser, maxBody))
		b.rest = io.MultiReader(bytes.NewReader(b.translated(data)),
			failing{err}, b.ReadCloser)
	}
	return b.rest.Read(p)
}

// failing is a reader without content that ends with an error, or, if that is nil, with io.EOF.
type failing struct{ error }

// Read implements io.Reader.
func (f failing) Read([]byte) (int, error) {
	if f.error != nil {
		return 0, f.error
	}
	return 0, io.EOF
}
