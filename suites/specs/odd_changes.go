package specs

import (
	"bytes"
	"cmp"
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

// oddChange makes a request odd. What a change does to the body it says of the fields, too: they
// are what is known to be set if the request is accepted.
type oddChange func(c *Case, r *Call)

func asItIs(*Case, *Call) {}

// oddKey sends a key that the suite has made up.
func oddKey(key string) oddChange {
	return func(_ *Case, r *Call) { r.As = wire.Credential{Name: "odd", Value: key, Send: true, Public: true} }
}

// oddPath writes the last id of the path, ID, otherwise, or the last segment where it has none.
func oddPath(text string) oddChange {
	return func(_ *Case, r *Call) {
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

// oddQuery asks with a query, in which PAGE is the parameter that selects a page.
func oddQuery(text string) oddChange {
	return func(c *Case, r *Call) {
		r.Target += "?" + strings.ReplaceAll(text, "PAGE", cmp.Or(c.PageParameter(r.Op), "page"))
	}
}

// oddHeader sets headers, given as names and values.
func oddHeader(pairs ...string) oddChange {
	return func(_ *Case, r *Call) {
		for pair := range slices.Chunk(pairs, 2) {
			Header(pair[0], pair[1])(r)
		}
	}
}

func oddManyHeaders(_ *Case, r *Call) {
	for i := range 200 {
		Header(fmt.Sprint("X-Adconform-", i), "1")(r)
	}
	Header("X-Adconform-Odd", strings.Repeat("x", 9000))(r)
}

// oddWire writes the request as no HTTP client does.
func oddWire(how wire.Odd) oddChange { return func(_ *Case, r *Call) { r.Wire = &how } }

func oddLine(line string) oddChange { return oddWire(wire.Odd{Line: line}) }

// oddFramed sends a body, if any, of which only these lines of the header tell the length.
func oddFramed(body string, lines ...string) oddChange {
	return func(_ *Case, r *Call) {
		r.Wire = &wire.Odd{Framed: true, Ends: true, Fields: lines}
		if body != "" {
			*r.Body = oracle.Body{Fields: map[string]any{}, Raw: []byte(body)}
		}
	}
}

func oddChunks(_ *Case, r *Call) {
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

func with(is func(*spec.Field) bool) func(*spec.Operation) bool {
	return func(op *spec.Operation) bool { return op.Updates() && slices.ContainsFunc(op.Body.Fields, is) }
}

func freeText(f *spec.Field) bool { return f.Type == "string" && len(f.Enum) == 0 && !f.Hostname }

func listedText(f *spec.Field) bool { return len(f.Enum) > 0 }

func hostname(f *spec.Field) bool { return f.Hostname }

func expression(f *spec.Field) bool { return f.Regex }

func bodiless(op *spec.Operation) bool { return !op.Updates() }

// oddText puts a text before that of each free text.
func oddText(text string) oddChange {
	return func(_ *Case, r *Call) {
		for _, f := range r.Op.Body.Fields {
			if before, ok := r.Body.Fields[f.Name].(string); ok && freeText(f) {
				Set(f.Name, text+before)(r)
			}
		}
	}
}

// oddWord sets all fields of a kind to a text.
func oddWord(is func(*spec.Field) bool, text string) oddChange {
	return func(_ *Case, r *Call) {
		for _, f := range r.Op.Body.Fields {
			if is(f) {
				Set(f.Name, text)(r)
			}
		}
	}
}

// oddField is the field whose value is odd: the last of the free texts, else of all.
func oddField(op *spec.Operation) *spec.Field {
	all := op.Body.Fields
	if texts := slices.DeleteFunc(slices.Clone(all), func(f *spec.Field) bool { return !freeText(f) }); len(texts) > 0 {
		all = texts
	}
	return all[len(all)-1]
}

// oddValue gives a field a value as it is written, be it JSON or not.
func oddValue(text string) oddChange {
	return func(_ *Case, r *Call) {
		f := oddField(r.Op)
		name := string(oracle.JSON(f.Name)) + ":"
		before := name + string(oracle.JSON(r.Body.Fields[f.Name]))
		delete(r.Body.Fields, f.Name)
		r.Body.Raw = []byte(strings.Replace(string(r.Body.Raw), before, name+text, 1))
	}
}

// oddMember puts members behind the others.
func oddMember(text string) oddChange {
	return func(_ *Case, r *Call) {
		r.Body.Raw = []byte(strings.TrimSuffix(string(r.Body.Raw), "}") + "," + text + "}")
	}
}

func oddTwice(c *Case, r *Call) {
	f := oddField(r.Op)
	delete(r.Body.Fields, f.Name)
	oddMember(string(oracle.JSON(f.Name))+`:["x"]`)(c, r)
}

// oddBytes makes other bytes of the body; what they set is not known.
func oddBytes(of func(body string) string) oddChange {
	return func(_ *Case, r *Call) {
		*r.Body = oracle.Body{Fields: map[string]any{}, Raw: []byte(of(string(r.Body.Raw)))}
	}
}

func inUTF16(body string) string {
	b, err := binary.Append(nil, binary.LittleEndian, utf16.Encode([]rune("\ufeff"+body)))
	if err != nil {
		panic(err) // numbers of a fixed size can be written
	}
	return string(b)
}

func oddGzip(_ *Case, r *Call) {
	Header("Content-Encoding", "gzip")(r)
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(r.Body.Raw) // into memory
	_ = w.Close()
	r.Body.Raw = b.Bytes()
}

// oddMedia sends a body of another media type.
func oddMedia(mediaType, body string) oddChange {
	return func(_ *Case, r *Call) {
		Header("Content-Type", mediaType)(r)
		r.Body = &oracle.Body{Fields: map[string]any{}, Raw: []byte(body)}
	}
}

func oddForm(c *Case, r *Call) {
	form := url.Values{}
	for name, v := range r.Body.Fields {
		form.Set(name, fmt.Sprint(v))
	}
	oddMedia("application/x-www-form-urlencoded", form.Encode()+"&%zz&__proto__[x]=1&=")(c, r)
}
