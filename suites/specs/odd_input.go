package specs

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"maps"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Input that is not listed anywhere: a request of each class of odd_table.go, by its odd part. Only what
// no conforming server does is judged: 5xx, broken HTTP or JSON, an error object off its form, effects of
// refused requests. Any 4xx is right.
func unlistedInput(s *Specs, op *spec.Operation) {
	judged := Clause("HTTP-1", "HTTP-2", "JSON-1")
	for _, part := range oddParts {
		classes := slices.DeleteFunc(slices.Clone(part.classes), func(o oddity) bool { return !o.suits(op) })
		if len(classes) == 0 {
			continue
		}
		title := "Whatever is odd about the " + part.name + " of a request, the server does not fail, and what is refused changes nothing."
		s.Case("open/fuzz-"+part.name, title, Options{Deep, s.OrUnknown(), judged, optionIf(op.Updates(), Clause("EFFECT-1"))},
			func(c *Case, o *Object) {
				sent := false
				for _, class := range classes {
					sent = part.try(c, o, class) || sent
				}
				if !sent {
					c.NotTested(ByTarget, "no such request can be sent on the connections that the target takes")
				}
			})
	}
}

// oddPart is a part of a request with the ways in which it can be odd.
type oddPart struct {
	name     string
	formless bool  // a refusal need not have the error object: it may come from before the operation
	right    []int // statuses of 5xx that a conforming server may answer
	classes  []oddity
}

// oddity is one class of odd input: a way in which a request differs from the valid one of its operation.
// One request of it is sent to each operation that it suits.
type oddity struct {
	name, words string // "accept", "an Accept that is none"
	change      Change
	how         how
}

// how says for which operations a class is, and how it differs from most.
type how int

const (
	updating   how = 1 << iota // it is for operations that update
	bodiless                   // for all others
	listing                    // for lists
	withID                     // for those that name an object
	plainTexts                 // for updates with a text that is no hostname, and so on
	listedTexts
	hostnames
	expressions
	elsewhere // it goes to unknown ids: it may reach or do something else
	uninvited // it comes from a user who may not have the object
	unsound   // it is no valid HTTP, or more than a server need take
	fourfold  // it is sent four times at once
	followed  // an ordinary request comes right behind it
)

func (o oddity) is(how how) bool { return o.how&how != 0 }

// fieldKinds are the fields that a class for updates of such fields changes.
var fieldKinds = map[how]func(*spec.Field) bool{
	plainTexts: isPlainText, listedTexts: isListed,
	hostnames:   func(f *spec.Field) bool { return f.Hostname },
	expressions: func(f *spec.Field) bool { return f.Regex },
}

func isPlainText(f *spec.Field) bool { return isFreeText(f) && !f.Hostname }

// suits says whether a class is for an operation.
func (o oddity) suits(op *spec.Operation) bool {
	for kind, is := range fieldKinds {
		if o.is(kind) {
			return op.Updates() && slices.ContainsFunc(op.Body.Fields, is)
		}
	}
	return !(o.is(updating) && !op.Updates() || o.is(bodiless) && op.Updates() ||
		o.is(listing) && !op.Lists() || o.is(withID) && !NamesAnObject(op))
}

// try sends the request of a class, reads back what was refused, and sets the object anew where its
// state is not known. It says whether the request could be sent.
func (p *oddPart) try(c *Case, o *Object, class oddity) bool {
	for range 2 { // an answer may be lost by chance, but not twice
		a := p.send(c, o, class, nil)
		if a == nil {
			return false
		}
		settle(c, o)
		switch err := a.Exchange.Err; {
		case a.Call == nil: // the target takes no more
			return true
		case err != nil && err.Kind == wire.BadRequest:
			return false
		case err == nil || a.Call.Malformed:
			return true
		}
	}
	return true
}

// settle reads back what was refused, and sets an object anew where its state is not known.
func settle(c *Case, o *Object) {
	if !o.Op.Updates() || o.Placeholder() {
		return
	}
	c.VerifyNoTraceOf(o)
	if o.Uncertain() {
		c.Write(o, c.Ordinary(o, 1))
	}
}

// send sends the request of a class, and returns the last answer to it; nil where it cannot be sent. It
// is judged as input that is not listed, or by a matcher.
func (p *oddPart) send(c *Case, o *Object, class oddity, to *Matcher) (last *judge.Answer) {
	named := o
	if class.is(elsewhere) || o.Op.Deletes() {
		named = c.Known().UnknownObject(o.Op)
	}
	if class.is(uninvited) && (len(named.IDs) == 0 || named.Placeholder() || c.Target.Credentials.Stranger == "") ||
		p.name == "method" && c.Session.Shared.ReadOnly {
		return nil
	}
	plain := Wrong(c, named)
	plain.Path = named.Path()
	if !o.Op.Updates() {
		plain.Object = nil // what it shows, or does, is remembered of nothing
	}
	odd := p.request(c, class, plain)
	right := oracle.Expect{
		OnlyCrash: true, Unlisted: true, Statuses: p.right,
		ErrorForm: !p.formless && !class.is(unsound) && odd.Method == o.Op.Method,
	}
	var answers []*judge.Answer
	switch {
	case class.is(fourfold):
		answers = c.SendTogether(odd, odd, odd, odd)
	case class.is(followed):
		answers = c.SendInOrder(odd, plain)
	default:
		answers = append(answers, c.Send(odd))
	}
	for i, a := range answers {
		switch {
		case a.Call == nil: // the target takes no more
			return a
		case class.is(uninvited):
			c.Expect(a).To(BeRefused().Citing(map[bool]string{true: "AUTH-2", false: "AUTH-1"}[odd.As.Send]))
		case i > 0 && class.is(followed) && !named.Placeholder():
			c.Expect(a).To(BeAccepted())
		case to != nil:
			c.Expect(a).To(to)
		default:
			c.Judge(a, right)
		}
	}
	if len(answers) > 1 && plain.Object != nil && !named.Placeholder() { // which came last is not known
		plain.Object.LoseTrack()
	}
	return answers[len(answers)-1]
}

// oddRow is a class with its part.
type oddRow struct {
	part *oddPart
	oddity
}

// oddRows are the classes for an operation.
func oddRows(op *spec.Operation) (all []oddRow) {
	for i := range oddParts {
		for _, class := range oddParts[i].classes {
			if class.suits(op) {
				all = append(all, oddRow{&oddParts[i], class})
			}
		}
	}
	return all
}

// large is the size in bytes from which a server may answer before it has read a body, and end
// the connection then.
const large = 16 << 10

// request is a plain one with the oddity of the class.
func (p *oddPart) request(c *Case, class oddity, plain Call) Call {
	r := plain
	r.Method, r.Target = r.Op.Method, r.Op.At(r.Path...)
	if r.Body != nil {
		r.Body = &oracle.Body{Fields: maps.Clone(plain.Body.Fields), Raw: plain.Body.Raw}
	}
	if class.is(uninvited) {
		r.As = c.Stranger()
	}
	class.change(&r)
	r.Target = strings.ReplaceAll(r.Target, pageParameter, cmp.Or(c.PageParameter(r.Op), "page"))
	r.Sent = []oracle.Sent{{At: "request:" + p.name + "/" + class.name, What: class.words}}
	r.Malformed = class.is(unsound) || r.Body != nil && len(r.Body.Raw) > large
	return r
}

// Changes that make a request odd. What a change does to the body it says of the fields, too: they
// are what is known to be set if the request is accepted.

// pageParameter stands for the parameter that selects a page.
const pageParameter = "PAGE"

func oddQuery(text string) Change { return func(r *Call) { r.Target += "?" + text } }

func oddKey(key string) Change { return As(public("odd", key)) }

// oddPath writes the last id of the path, ID, otherwise, or the last segment where it has none.
func oddPath(text string) Change {
	return func(r *Call) {
		segments, at := strings.Split(r.Target, "/"), strings.Count(r.Target, "/")
		for i, part := range strings.Split(r.Op.Path, "/") {
			if strings.HasPrefix(part, "{") {
				at = i
			}
		}
		segments[at] = strings.ReplaceAll(text, "ID", segments[at])
		r.Target = strings.Join(segments, "/")
		if strings.Contains(text, "<") { // which HTTP clients encode
			r.Wire = &wire.Odd{}
		}
	}
}

// oddHeader sets headers, given as names and values.
func oddHeader(pairs ...string) Change {
	return func(r *Call) {
		for pair := range slices.Chunk(pairs, 2) {
			Header(pair[0], pair[1])(r)
		}
	}
}

func oddManyHeaders(r *Call) {
	for i := range 200 {
		Header(fmt.Sprint("X-Adconform-", i), "1")(r)
	}
	Header("X-Adconform-Odd", strings.Repeat("x", 9000))(r)
}

// oddWire writes the request as no HTTP client does.
func oddWire(how wire.Odd) Change { return func(r *Call) { r.Wire = &how } }

// oddFramed sends a body, if any, of which only these lines of the header tell the length.
func oddFramed(body string, lines ...string) Change {
	return func(r *Call) {
		r.Wire = &wire.Odd{Framed: true, Ends: true, Fields: lines}
		if body != "" {
			*r.Body = unknownBody([]byte(body))
		}
	}
}

func oddChunks(r *Call) {
	r.Wire = &wire.Odd{Framed: true, Fields: []string{"Trailer: X-Adconform", "Transfer-Encoding: chunked"}}
	var b bytes.Buffer
	w := httputil.NewChunkedWriter(&b)
	for chunk := range slices.Chunk(r.Body.Raw, 9) {
		_, _ = w.Write(chunk) // into memory
	}
	_ = w.Close()
	b.WriteString("X-Adconform: 1\r\n\r\n")
	r.Body.Raw = b.Bytes()
}

// before puts a text before that of each plain text.
func before(text string) Change {
	return func(r *Call) {
		for _, f := range fieldsWhere(r.Op, isPlainText) {
			Set(f.Name, text+r.Body.Fields[f.Name].(string))(r)
		}
	}
}

// instead sets all fields of a kind to a text.
func instead(kind how, text string) Change {
	return func(r *Call) {
		for _, f := range fieldsWhere(r.Op, fieldKinds[kind]) {
			Set(f.Name, text)(r)
		}
	}
}

// oddField is the field whose value is odd: the last of the plain texts, else of all.
func oddField(op *spec.Operation) *spec.Field {
	all := fieldsWhere(op, isPlainText)
	if len(all) == 0 {
		all = op.Body.Fields
	}
	return all[len(all)-1]
}

// oddValue gives a field a value as it is written, be it JSON or not.
func oddValue(text string) Change { return func(r *Call) { writtenAs(oddField(r.Op).Name, text)(r) } }

// oddMember puts members behind the others.
func oddMember(text string) Change {
	return func(r *Call) { r.Body.Raw = []byte(strings.TrimSuffix(string(r.Body.Raw), "}") + "," + text + "}") }
}

func oddTwice(r *Call) {
	f := oddField(r.Op)
	delete(r.Body.Fields, f.Name)
	oddMember(string(oracle.JSON(f.Name)) + `:["x"]`)(r)
}

// unknownBody is a body that may set anything.
func unknownBody(raw []byte) oracle.Body { return oracle.Body{Fields: map[string]any{}, Raw: raw} }

// oddBytes makes other bytes of the body.
func oddBytes(of func(body string) string) Change {
	return func(r *Call) { *r.Body = unknownBody([]byte(of(string(r.Body.Raw)))) }
}

func inUTF16(body string) string {
	b, err := binary.Append(nil, binary.LittleEndian, utf16.Encode([]rune("\ufeff"+body)))
	if err != nil {
		panic(err) // numbers of a fixed size can be written
	}
	return string(b)
}

func oddGzip(r *Call) {
	Header("Content-Encoding", "gzip")(r)
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(r.Body.Raw) // into memory
	_ = w.Close()
	r.Body.Raw = b.Bytes()
}

// oddMedia sends a body of another media type.
func oddMedia(mediaType, body string) Change {
	return func(r *Call) {
		Header("Content-Type", mediaType)(r)
		sent := unknownBody([]byte(body))
		r.Body = &sent
	}
}

func oddForm(r *Call) {
	form := url.Values{}
	for name, v := range r.Body.Fields {
		form.Set(name, fmt.Sprint(v))
	}
	oddMedia("application/x-www-form-urlencoded", form.Encode()+"&%zz&__proto__[x]=1&=")(r)
}
