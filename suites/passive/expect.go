package passive

import (
	"bytes"
	"cmp"
	"math"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// expect returns which answers to a request are right, as far as the request alone shows.
func (j *Judge) expect(c *judge.Call, r *wire.Request) (e judge.Expect) {
	wrong := readBody(c, r)
	refusals := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusUnprocessableEntity}
	if c.Object == nil || isHuge(c.Object.ID()) || wrong.open { // a malformed id, or a body that may be refused as such
		refusals = append(refusals, oracle.Unbound...)
	}
	switch {
	case j.keys && r.Credential.Value == "" && r.Credential.Name != wire.UnknownKey: // the object may not exist: which error wins is open
		e = judge.Expect{Statuses: refusals, Clause: "AUTH-1"}
	case wrong.odd:
		e = judge.Expect{OnlyCrash: true}
	case wrong.clause != "":
		e = judge.Expect{Statuses: append(refusals, http.StatusRequestEntityTooLarge), Clause: wrong.clause, Field: wrong.field}
	default: // the key may be anyone's
		c.Loose = wrong.open
		e = judge.Expect{Success: true}
		if c.Op.Updates() { // the name may be taken
			e.Statuses = []int{http.StatusConflict}
		}
	}
	e.AnyRefusal = wrong.typed || slices.ContainsFunc(c.Path, func(id string) bool { return strings.Contains(id, "%") })
	return e
}

// isHuge reports whether an id has more than 31 bits.
func isHuge(id spec.ID) bool {
	n, isInteger := id.Integer()
	return isInteger && n > math.MaxInt32
}

// A fault is the defect of a request body.
type fault struct {
	clause string // broken by an answer that accepts the body; "" if nothing is certainly wrong
	field  string // the only wrong field of a body that is otherwise right
	open   bool   // it is open whether, or how, the target accepts it
	odd    bool   // servers may fail to decode it, or read something else, and show that
	typed  bool   // its media type, charset or coding may be refused, or the body not be read as JSON
}

// Bounds that no client of the interface exceeds: the bytes of a body, and the arrays and objects in it.
const (
	maxBody   = 128 << 10
	maxBraces = 32
	byteOrder = "\uFEFF" // a mark that may be ignored (RFC 8259, 8.1)
)

// readBody reads the body of an update into the call and returns its defect.
func readBody(c *judge.Call, r *wire.Request) (f fault) {
	if c.Op.Body == nil {
		return fault{open: len(r.Body) > 0}
	}
	c.Body = &oracle.Body{Raw: r.Body}
	kind, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	whole, strict := oracle.Decode(r.Body), jsontext.Value(r.Body).IsValid()
	object, ok := whole.(map[string]any)
	plain := kind == "application/json" // another type may be refused
	switch {
	case !plain && !strings.HasSuffix(kind, "+json"), !strings.EqualFold(cmp.Or(parameters["charset"], "utf-8"), "utf-8"),
		r.Header.Get("Content-Encoding") != "":
		return fault{open: true, typed: true}
	case bytes.HasPrefix(r.Body, []byte(byteOrder)),
		len(r.Body) > maxBody, bytes.Count(r.Body, []byte("{"))+bytes.Count(r.Body, []byte("[")) > maxBraces,
		!strict && whole != nil: // a repeated name, text after the object, invalid Unicode: what counts is open
		return fault{open: true, odd: true}
	case len(r.Body) == 0:
		return fault{open: true}
	case !strict || !ok:
		return fault{clause: "ERR-3"}
	}
	c.Body.Fields = object
	f.open = !plain || len(object) > len(c.Op.Body.Fields)
	var wrong []string
	for _, field := range c.Op.Body.Fields {
		v, sent := object[field.Name]
		text, isText := v.(string)
		_, coerced := oracle.TextOf(field, v)
		switch {
		case !sent || v == nil || coerced:
			f.open = true
		case field.Fits(v):
			f.open = f.open || isText && !ordinary(field, text)
		case isText && len(field.Enum) > 0:
			wrong, f.clause = append(wrong, field.Name), "ERR-5"
		default:
			wrong, f.clause = append(wrong, field.Name), "ERR-4"
		}
	}
	if len(wrong) == 1 && !f.open { // otherwise its form of JSON may be refused
		f.field = wrong[0]
	}
	return f
}

// name matches a short text of printable ASCII without spaces around it.
var name = regexp.MustCompile(`^[!-~]([ -~]{0,28}[!-~])?$`)

// dnsName matches a host name of several labels (RFC 1123).
var dnsName = regexp.MustCompile(`^(?i:[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-zA-Z][a-zA-Z0-9-]*[a-zA-Z0-9]\.?$`)

// ordinary reports whether a target has no reason to refuse or change a text: a plain name or, if the
// field requires it, a DNS name or a regular expression.
func ordinary(f *spec.Field, text string) bool {
	if f.Hostname {
		return dnsName.MatchString(text)
	}
	if _, err := regexp.Compile(text); f.Regex && err != nil {
		return false
	}
	return name.MatchString(text)
}

// openForm reports whether an accepted text may be shown in several ways: a blank one, and a host name that is not a DNS name.
func openForm(f *spec.Field, sent any) bool {
	text, ok := sent.(string)
	return ok && (strings.TrimSpace(text) == "" || f.Hostname && !ordinary(f, text))
}
