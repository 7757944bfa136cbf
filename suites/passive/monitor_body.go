package passive

import (
	"bytes"
	"encoding/json"
	"mime"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/value"
	"github.com/adconform/adconform/suites/wire"
)

// fault is what is wrong with the body of a request.
type fault struct {
	clause string   // broken by an answer that takes it; "" where nothing is certainly wrong
	field  string   // the one wrong field of a body that is right otherwise
	fields []string // all wrong fields
	open   bool     // it is open whether, or how, the target takes it
	odd    bool     // servers may fail to decode it, and refuse it as they like
	// damaged: a text of it is no Unicode, or it nests deeply. What shows of that may
	// be damaged as it was.
	damaged bool
}

// readBody reads the body of an update into the call and says what is wrong
// with it.
func (m *Monitor) readBody(c *call.Call, r *wire.Request) fault {
	if c.Op.Body == nil {
		return fault{open: r.HasBody && len(r.Body) > 0}
	}
	c.Body = &value.Body{Raw: r.Body}
	if !isJSON(r.Header.Get("Content-Type")) || r.Header.Get("Content-Encoding") != "" {
		return fault{open: true, odd: true} // the media type may be refused, or the body not be taken for JSON
	}
	if len(r.Body) == 0 || r.Cut || bytes.HasPrefix(r.Body, []byte(byteOrderMark)) { // RFC 8259, 8.1: the mark may be ignored
		return fault{open: true}
	}
	var whole any
	d := json.NewDecoder(strings.NewReader(string(r.Body)))
	d.UseNumber()
	if err := d.Decode(&whole); err != nil {
		return fault{clause: "ERR-3"}
	}
	if !jsontext.Value(r.Body[:d.InputOffset()]).IsValid(jsontext.AllowDuplicateNames(true)) || nests(whole, maxNesting) {
		return fault{open: true, damaged: true}
	}
	object, ok := whole.(map[string]any)
	if !ok {
		return fault{clause: "ERR-3"}
	}
	c.Body.Fields = object
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if !jsontext.Value(r.Body).IsValid() {
		return fault{open: true} // a name twice, text after the object: what counts is open
	}
	f := fault{open: kind != "application/json", odd: len(r.Body) > maxBody} // which may be refused, but not be taken for another form
	for _, field := range c.Op.Body.Fields {
		v, sent := object[field.Name]
		_, coerced := value.TextOf(field, v)
		switch {
		case !sent || v == nil || coerced:
			f.open = true
		case !fits(field, v):
			f.fields, f.clause = append(f.fields, field.Name), "ERR-4"
			if _, text := v.(string); text { // not one of the published values
				f.clause = "ERR-5"
			}
		default:
			f.open = f.open || !ordinary(field, v)
		}
	}
	f.open = f.open || len(object) > len(c.Op.Body.Fields)
	if len(f.fields) == 1 && !f.open {
		f.field = f.fields[0]
	}
	return f
}

// maxBody is more than any client of the interface sends, in bytes.
const maxBody = 128 << 10

// maxNesting is more than any client of the interface nests.
const maxNesting = 32

// nests says whether a value nests deeper than this.
func nests(v any, depth int) bool {
	if depth == 0 {
		return true
	}
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return nests(item, depth-1) })
	case map[string]any:
		for _, member := range v {
			if nests(member, depth-1) {
				return true
			}
		}
	}
	return false
}

const byteOrderMark = "\uFEFF"

// isJSON says whether a media type is that of JSON in UTF-8.
func isJSON(mediaType string) bool {
	kind, parameters, err := mime.ParseMediaType(mediaType)
	charset := strings.ToLower(parameters["charset"])
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json")) && (charset == "" || charset == "utf-8")
}

func fits(f *spec.Field, v any) bool {
	switch v := v.(type) {
	case string:
		return f.Type == "string" && (len(f.Enum) == 0 || slices.Contains(f.Enum, v))
	case bool:
		return f.Type == "boolean"
	case json.Number:
		_, whole := oracle.Integer(v)
		return f.Type == "number" || f.Type == "integer" && whole
	case []any:
		return f.Type == "array"
	}
	return f.Type == "object"
}

// ordinary says whether a value is one that a target has no reason to refuse or
// to change: a short text of printable ASCII without spaces around it, and a name
// of the DNS or a regular expression where the field wants one.
func ordinary(f *spec.Field, v any) bool {
	text, ok := v.(string)
	switch {
	case !ok:
		return true
	case f.Hostname:
		return dnsName.MatchString(text)
	case f.Regex:
		if _, err := regexp.Compile(text); err != nil {
			return false
		}
	}
	unprintable := func(r rune) bool { return r < ' ' || r > '~' }
	return text != "" && len(text) <= maxOrdinary && strings.TrimSpace(text) == text && !strings.ContainsFunc(text, unprintable)
}

// maxOrdinary is the length of a text that no target has a reason to refuse.
const maxOrdinary = 30

// dnsName is a host name of several labels, RFC 1123.
var dnsName = regexp.MustCompile(`^(?i:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-zA-Z][a-zA-Z0-9-]*[a-zA-Z0-9]\.?$`)

// spaced says whether a text came back with some spaces in a row as one.
func spaced(sent, got any) bool {
	x, xok := sent.(string)
	y, yok := got.(string)
	return xok && yok && x != y && spaces.ReplaceAllString(x, " ") == y
}

var spaces = regexp.MustCompile(` {2,}`)

// blank says whether a value is a text without anything to see, of which it is
// open what becomes.
func blank(v any) bool {
	text, ok := v.(string)
	return ok && strings.TrimSpace(text) == ""
}
