package specs

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Changes that make a request odd. What a change does to the body it says of the fields, too: they
// are what is known to be set if the request is accepted.

// oddKey sends a key that the suite has made up.
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

// oddQuery asks with a query.
func oddQuery(text string) Change { return func(r *Call) { r.Target += "?" + text } }

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

func oddLine(line string) Change { return oddWire(wire.Odd{Line: line}) }

// oddFramed sends a body, if any, of which only these lines of the header tell the length.
func oddFramed(body string, lines ...string) Change {
	return func(r *Call) {
		r.Wire = &wire.Odd{Framed: true, Ends: true, Fields: lines}
		if body != "" {
			*r.Body = oracle.Body{Fields: map[string]any{}, Raw: []byte(body)}
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

// Fields of a body, by what is odd in them.

func plainText(f *spec.Field) bool  { return isFreeText(f) && !f.Hostname }
func hostname(f *spec.Field) bool   { return f.Hostname }
func expression(f *spec.Field) bool { return f.Regex }

// before puts a text before that of each free text, but for hostnames.
func before(name, words, text string) oddity {
	return oddTexts(name, words, plainText, func(was any) any { return text + was.(string) })
}

// oddWord sets all fields of a kind to a text.
func oddWord(name, words string, in func(*spec.Field) bool, text string) oddity {
	return oddTexts(name, words, in, func(any) any { return text })
}

func oddTexts(name, words string, in func(*spec.Field) bool, of func(was any) any) oddity {
	return oddity{name: name, words: words, in: in, change: func(r *Call) {
		for _, f := range fieldsWhere(r.Op, in) {
			Set(f.Name, of(r.Body.Fields[f.Name]))(r)
		}
	}}
}

// oddField is the field whose value is odd: the last of the free texts, else of all.
func oddField(op *spec.Operation) *spec.Field {
	all := fieldsWhere(op, plainText)
	if len(all) == 0 {
		all = op.Body.Fields
	}
	return all[len(all)-1]
}

// oddValue gives a field a value as it is written, be it JSON or not.
func oddValue(text string) Change {
	return func(r *Call) {
		f := oddField(r.Op)
		name := string(oracle.JSON(f.Name)) + ":"
		before := name + string(oracle.JSON(r.Body.Fields[f.Name]))
		delete(r.Body.Fields, f.Name)
		r.Body.Raw = []byte(strings.Replace(string(r.Body.Raw), before, name+text, 1))
	}
}

// oddMember puts members behind the others.
func oddMember(text string) Change {
	return func(r *Call) { r.Body.Raw = []byte(strings.TrimSuffix(string(r.Body.Raw), "}") + "," + text + "}") }
}

func oddTwice(r *Call) {
	f := oddField(r.Op)
	delete(r.Body.Fields, f.Name)
	oddMember(string(oracle.JSON(f.Name)) + `:["x"]`)(r)
}

// oddBytes makes other bytes of the body; what they set is not known.
func oddBytes(of func(body string) string) Change {
	return func(r *Call) { *r.Body = oracle.Body{Fields: map[string]any{}, Raw: []byte(of(string(r.Body.Raw)))} }
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
		r.Body = &oracle.Body{Fields: map[string]any{}, Raw: []byte(body)}
	}
}

func oddForm(r *Call) {
	form := url.Values{}
	for name, v := range r.Body.Fields {
		form.Set(name, fmt.Sprint(v))
	}
	oddMedia("application/x-www-form-urlencoded", form.Encode()+"&%zz&__proto__[x]=1&=")(r)
}
