package specs

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// Input that no document lists: a request of each class of odd_table.go, by its odd part. Only what no
// conforming server does is judged: 5xx, broken HTTP or JSON, a malformed error object, effects of
// refused requests. Any 4xx is right.
func unlistedInput(s *Specs, op *spec.Operation) {
	for _, part := range oddParts {
		classes := oddClasses(op, part)
		if len(classes) == 0 {
			continue
		}
		title := "Whatever is odd about the " + part.name +
			" of a request, the server does not fail, and a refused request changes nothing."
		judged := Options{Clause("HTTP-1", "HTTP-2", "JSON-1"), optionIf(op.Updates(), Clause("EFFECT-1"))}
		s.Case("open/fuzz-"+part.name, title, append(judged, Deep, s.orUnknown()), func(c Case, o *Object) {
			sent, found := false, map[string]bool{} // by words: other values with those words most likely show the same
			for _, class := range classes {
				if before := len(c.Findings()); !found[class.words] {
					sent = class.try(c, o) || sent
					found[class.words] = len(c.Findings()) > before
				}
			}
			skipUnless(c, sent, judge.ByTarget, "no such request can be sent to this target")
		})
	}
}

// oddPart is a part of a request, the ways in which it can be odd, and what they have in common.
type oddPart struct {
	name string
	how  how
	rows []oddity
}

// oddity is one class of odd input: a way in which a request differs from the valid one of its operation.
// One request of it is sent to each operation that it suits.
type oddity struct {
	words  string // "a Range of unknown units"
	change Change
	how    how
}

// how says which operations a class, or a move of random sequences, suits, and how it differs from most.
type how int

const (
	updating   how = 1 << iota // for operations that update
	bodiless                   // for all others
	listing                    // for lists
	withID                     // for operations that name an object
	inParts                    // for updates that may leave fields out
	plainTexts                 // for updates with a text that is not a hostname, and so on
	elsewhere                  // sent to unknown ids, as it may reach or do something else
	uninvited                  // sent by a user without permission for the object
	unsound                    // not valid HTTP, or more than a server need accept
	fourfold                   // sent four times at once
	followed                   // followed at once by an ordinary request
	formless                   // a refusal need not have the error object, as it may not reach the operation
	mayBe501                   // 501 and 505 are right, too
	alone                      // no other user sends it
	shows                      // what it sends is shown if it is accepted
	strays                     // it may reach something else, or be answered otherwise than in JSON
	fixed                      // it sends the same text each time, which may be taken
	texted                     // it gives a field a text
	sequel                     // it says what was sent before, which no single request shows
)

func (h how) is(one how) bool { return h&one != 0 }

func isPlainText(f *spec.Field) bool { return isFreeText(f) && !f.Hostname }

// suits reports whether it is for an operation.
func (h how) suits(op *spec.Operation) bool {
	updates := op.Updates()
	for needed, has := range map[how]bool{
		updating | inParts | plainTexts: updates,
		bodiless:                        !updates,
		listing:                         op.Lists(),
		withID:                          len(op.Params) > 0,
		inParts:                         !op.Replaces(),
		plainTexts:                      updates && slices.ContainsFunc(op.Body.Fields, isPlainText),
	} {
		if h.is(needed) && !has {
			return false
		}
	}
	return true
}

// oddClasses returns the classes of some parts for an operation.
func oddClasses(op *spec.Operation, parts ...oddPart) (all []oddity) {
	for _, part := range parts {
		rows := part.rows
		if part.name == "json" && op.Updates() {
			rows = slices.Concat(rows, oddFields(op))
		}
		for _, o := range rows {
			if o.how |= part.how; o.how.suits(op) {
				all = append(all, o)
			}
		}
	}
	return all
}

// rowsOf returns a class for each of several items.
func rowsOf[T any](all []T, row func(T) oddity) (rows []oddity) {
	for _, one := range all {
		rows = append(rows, row(one))
	}
	return rows
}

// oddFields returns classes of JSON with an odd literal for each field.
func oddFields(op *spec.Operation) (rows []oddity) {
	for _, f := range op.Body.Fields {
		for _, of := range oddValues {
			for value := range strings.FieldsSeq(of.values) {
				words := f.Name + " as " + cmp.Or(of.words, oracle.Shorten(value))
				change := writtenAs(f.Name, value).notedAt(finding.PlaceOf(finding.Field, f.Name), value)
				rows = append(rows, oddity{words, change, 0})
			}
		}
	}
	return rows
}

// headerRows returns a class for the first value of each header of a row, one for the second values, and so on.
func headerRows() (rows []oddity) {
	for _, row := range oddHeaders {
		for n, left := 1, true; left; n++ {
			var changes []Change
			var words []string
			for line := range strings.SplitSeq(row, "\n") {
				if values := strings.Split(strings.TrimSpace(line), "|"); n < len(values) {
					changes = append(changes, Header(values[0], values[n]))
					words = append(words, values[0]+": "+values[n])
				}
			}
			if left = changes != nil; left {
				all := strings.ToValidUTF8(strings.Join(words, ", "), "?")
				rows = append(rows, oddity{oracle.Shorten(all), combined(changes...), 0})
			}
		}
	}
	return rows
}

// try sends the request of a class, checks refused requests for effects, and sets the object anew if its
// state is not known. It reports whether the request could be sent.
func (o oddity) try(c Case, at *Object) bool {
	for range 2 { // an answer may be lost by chance, but not twice
		a := o.send(c, at)
		if a == nil {
			return false
		}
		settle(c, at)
		if a.Exchange.Err == nil || a.Call == nil || a.Call.Malformed {
			break
		}
	}
	return true
}

// settle checks refused requests for effects, and sets an object anew if its state is not known.
func settle(c Case, o *Object) {
	if !o.Op.Updates() || o.Placeholder() {
		return
	}
	c.VerifyNoTraceOf(o)
	if o.Uncertain() {
		c.Write(o, c.Ordinary(o, 1))
	}
}

// send sends the request of a class, and returns the last answer to it; nil if it cannot be sent.
func (o oddity) send(c Case, at *Object) (last *judge.Answer) {
	named := at
	if o.how.is(elsewhere) || at.Op.Deletes() {
		named = c.Target().UnknownObject(at.Op)
	}
	isOwned := hasStranger(c, named.Op) && !named.Placeholder()
	if o.how.is(uninvited) && !isOwned || o.how.is(elsewhere) && c.Run().ReadOnly {
		return nil
	}
	plain := Request(c, named)
	plain.Path = named.Path()
	if !at.Op.Updates() {
		plain.Object = nil // its effects and answer belong to no object
	}
	odd := o.request(c, plain)
	var answers []*judge.Answer
	switch {
	case o.how.is(fourfold):
		answers = c.SendTogether(odd, odd, odd, odd)
	case o.how.is(followed):
		answers = c.SendInOrder(odd, plain)
	default:
		answers = append(answers, c.Send(odd))
	}
	for i, a := range answers {
		if isPlain := i > 0 && o.how.is(followed); isPlain {
			c.Judge(a, c.Right(a))
		} else {
			c.Judge(a, o.right(c, a))
		}
	}
	if len(answers) > 1 && plain.Object != nil { // the order is unknown
		plain.Object.LoseTrack()
	}
	last = answers[len(answers)-1]
	if err := last.Exchange.Err; err != nil && err.Kind == wire.BadRequest {
		return nil
	}
	return last
}

// right returns which answers to the request of a class are right. One that has to be refused is judged as any other.
// What the target makes of one that it may accept is open, unless the class says that it shows. A target that cannot
// decode an odd literal need not know in which field it stands.
func (o oddity) right(c Case, a *judge.Answer) oracle.Expect {
	e := c.Right(a)
	e.Field = ""
	hasForm := !o.how.is(formless | unsound)
	if isOpen := e.Success && !o.how.is(shows); isOpen || e.OnlyCrash {
		isRefusal := func(status int) bool { return status < http.StatusInternalServerError }
		failures := slices.DeleteFunc(e.Statuses, isRefusal)
		e = oracle.Expect{OnlyCrash: true, Unlisted: true, ErrorForm: hasForm, Statuses: failures}
	}
	if !hasForm { // a refusal need not come from the operation
		e.AnyRefusal = !e.OnlyCrash
	}
	if o.how.is(mayBe501) {
		e.Statuses = append(e.Statuses, http.StatusNotImplemented, http.StatusHTTPVersionNotSupported)
	}
	return e
}

// large is the size in bytes from which a server may answer before it has read a body, and then
// close the connection.
const large = 16 << 10

// request returns a plain request with the oddity of the class.
func (o oddity) request(c Case, plain Call) Call {
	r := plain
	r.Method, r.Target = r.Op.Method, r.Op.At(judge.Segments(r.Path)...)
	if r.Body != nil {
		r.Body = &oracle.Body{Fields: maps.Clone(plain.Body.Fields), Raw: plain.Body.Raw}
	}
	if o.how.is(uninvited) {
		r.As = c.Stranger()
	}
	o.change(&r)
	r.Target = strings.ReplaceAll(r.Target, pageParameter, cmp.Or(c.Target().PageParameter(r.Op), "page"))
	part := finding.Sent{At: finding.PlaceOf(finding.Class, o.words), What: finding.Oddity(o.words)}
	if len(r.Sent) == 1 {
		part.OnlyChange = r.Sent[0].Request()
	}
	r.Sent = []finding.Sent{part}
	r.Malformed = o.how.is(unsound) || r.Body != nil && len(r.Body.Raw) > large
	return r
}

// Changes that make a request odd. A change of the body also changes the fields, which are known to
// be set if the request is accepted.

// pageParameter stands for the parameter that selects a page.
const pageParameter = "PAGE"

func oddMethod(name string) Change { return func(r *Call) { r.Method = name } }

func oddQuery(text string) Change { return func(r *Call) { r.Target += "?" + text } }

func oddKey(key string) Change { return As(public("odd", key)) }

// oddPath rewrites the last id of the path, ID, or the last segment if it has none.
func oddPath(text string) Change {
	return func(r *Call) {
		segment := r.Target[strings.LastIndexByte(r.Target, '/')+1:]
		if len(r.Path) > 0 {
			segment = judge.Segments(r.Path)[len(r.Path)-1]
		}
		at := strings.LastIndex(r.Target, "/"+segment) + 1
		r.Target = r.Target[:at] + strings.ReplaceAll(text, "ID", segment) + r.Target[at+len(segment):]
		if strings.Contains(text, "<") { // which HTTP clients encode
			r.Wire = &wire.Odd{}
		}
	}
}

// oddWire writes the request in a way that no HTTP client does.
func oddWire(how wire.Odd) Change { return func(r *Call) { r.Wire = &how } }

// oddLines adds lines to the header, as they are.
func oddLines(lines ...string) Change {
	return func(r *Call) {
		odd := cmp.Or(r.Wire, new(wire.Odd))
		odd.Edits = append(odd.Edits, "\r\n", "\r\n"+strings.Join(lines, "\r\n")+"\r\n")
		r.Wire = odd
	}
}

// oddFramed sends a body, if any, whose length only these header lines give.
func oddFramed(body string, lines ...string) Change {
	return func(r *Call) {
		r.Wire = &wire.Odd{Edits: []string{"Content-Length", "X-Length"}, Ends: true}
		oddLines(lines...)(r)
		if body != "" {
			oddBody(body)(r)
		}
	}
}

func oddChunks(r *Call) {
	r.Wire = &wire.Odd{Edits: []string{"Content-Length", "X-Length"}}
	oddLines("Trailer: X-Adconform", "Transfer-Encoding: chunked")(r)
	first, rest := r.Body.Raw[:9], r.Body.Raw[9:]
	r.Body.Raw = fmt.Appendf(nil, "9\r\n%s\r\n%x\r\n%s\r\n0\r\nX-Adconform: 1\r\n\r\n", first, len(rest), rest)
}

// before prepends a text to each plain text.
func before(text string) Change {
	return func(r *Call) {
		for _, f := range fieldsWhere(r.Op, isPlainText) {
			Set(f.Name, text+r.Body.Fields[f.Name].(string))(r)
		}
	}
}

// oddMember appends members to the body.
func oddMember(text string) Change {
	return func(r *Call) { r.Body.Raw = []byte(strings.TrimSuffix(string(r.Body.Raw), "}") + "," + text + "}") }
}

func oddTwice(r *Call) {
	name := r.Op.Body.Fields[0].Name
	delete(r.Body.Fields, name)
	oddMember(string(oracle.JSON(name)) + `:["x"]`)(r)
}

// oddBody sends another body, which may set anything.
func oddBody(text string) Change {
	return func(r *Call) { r.Body = &oracle.Body{Fields: map[string]any{}, Raw: []byte(text)} }
}

// oddBytes changes the bytes of the body.
func oddBytes(of func(body string) string) Change {
	return func(r *Call) { oddBody(of(string(r.Body.Raw)))(r) }
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
	return combined(Header("Content-Type", mediaType), oddBody(body))
}

func oddForm(r *Call) {
	form := url.Values{}
	for name, v := range r.Body.Fields {
		form.Set(name, fmt.Sprint(v))
	}
	oddMedia("application/x-www-form-urlencoded", form.Encode()+"&%zz&__proto__[x]=1&=")(r)
}
