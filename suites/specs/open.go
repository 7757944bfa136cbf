package specs

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// either is what an answer may be where acceptance is open.
var either = []int{http.StatusUnprocessableEntity, http.StatusBadRequest}

// reread are the open points after which the object is read back, to see whether
// it holds what was taken.
var reread = map[string]bool{"null-fields": true, "trimming": true, "hostname-syntax": true, "regex-syntax": true}

// openBodies plans bodies of which the document does not say whether they are
// taken. What is taken is held to its word: it comes back as it was sent.
func (p *planner) openBodies() {
	object, op := p.object(), p.op
	observe := func(name, point, title string, change func(t *engine.T, c *request), also ...int) {
		p.add(engine.ClassOpen, name, title, func(t *engine.T) {
			o := object(t)
			c := call(t, o, expect{Success: true, Statuses: append(also, either...), Clause: "ERR-4"})
			change(t, &c)
			if c.Body != nil && c.Body.Fields != nil && c.Body.Raw == nil {
				c.Body = engine.ObjectBody(op.Body, c.Body.Fields)
			}
			a := send(t, c)
			t.Observe(point, a.Acceptance())
			if a.OK && reread[point] {
				t.Read(o)
			}
		}, observes(point), clauses("ERR-4"))
	}
	set := func(c *request, name string, v any) {
		c.Body.Fields[name] = v
		c.Body.Raw = nil
	}
	observe("empty-body", "empty-body", "A request without a body is taken or refused.", func(_ *engine.T, c *request) {
		c.Body = &engine.Body{Raw: []byte{}, Fields: map[string]any{}}
	}, http.StatusLengthRequired, http.StatusUnsupportedMediaType)
	observe("unknown-field", "unknown-fields", "A field that the document does not know is ignored or refused.", func(t *engine.T, c *request) {
		set(c, "adconformUnknown", unique(t))
	})
	observe("read-only-fields", "read-only-fields", "Fields that cannot be changed are ignored or refused, and do not change.", func(t *engine.T, c *request) {
		for _, f := range op.Representation().Fields {
			switch {
			case f.Meaning == "id":
				n := t.UnknownID(5)
				set(c, f.Name, jsonNumber(n))
			case f.Stays && f.Date:
				set(c, f.Name, "2001-02-03T04:05:06Z")
			case f.Stays && f.Type == "integer":
				set(c, f.Name, 1999999999)
			case f.Stays:
				set(c, f.Name, "adconform")
			}
		}
	})
	observe("other-media-type", "media-type", "A body of another media type is refused or read as JSON.", func(_ *engine.T, c *request) {
		c.Header = http.Header{"Content-Type": {"text/plain"}}
	}, http.StatusUnsupportedMediaType)
	for _, f := range op.Body.Fields {
		observe(slug(f.Name)+"-null", "null-fields", fmt.Sprintf("null for %s is taken or refused.", f.Name), func(_ *engine.T, c *request) {
			set(c, f.Name, nil)
		})
		if f.Type != "string" || len(f.Enum) > 0 {
			continue
		}
		observe(slug(f.Name)+"-empty", "blank-text", fmt.Sprintf("An empty %s is taken or refused.", f.Name), func(_ *engine.T, c *request) {
			set(c, f.Name, "")
			c.Expect.Loose = true
		})
		observe(slug(f.Name)+"-blank", "blank-text", fmt.Sprintf("A %s of spaces is taken or refused.", f.Name), func(_ *engine.T, c *request) {
			set(c, f.Name, "   ")
			c.Expect.Loose = true
		})
		switch {
		case f.Hostname:
			observe(slug(f.Name)+"-invalid", "hostname-syntax", "An invalid hostname is taken or refused.", func(t *engine.T, c *request) {
				set(c, f.Name, "-not a host-"+unique(t)+"-")
			})
		case f.Regex:
			observe(slug(f.Name)+"-invalid", "regex-syntax", "An invalid expression is taken or refused.", func(t *engine.T, c *request) {
				set(c, f.Name, "(["+unique(t))
			})
		default:
			observe(slug(f.Name)+"-padded", "trimming", "A text with spaces around and in it is taken as it is, trimmed, folded or refused.", func(t *engine.T, c *request) {
				set(c, f.Name, "  a  "+unique(t)+" ")
			})
			observe(slug(f.Name)+"-decomposed", "trimming", "A text that is not normalised is taken as it is, normalised or refused.", func(t *engine.T, c *request) {
				set(c, f.Name, "e\u0301 "+unique(t))
			})
		}
	}
	p.partialBodies()
}

type number string

// jsonNumber is a number that encodes as it is written.
func jsonNumber(s string) any { return number(s) }

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// partialBodies plans every subset of the body's fields, from {} on.
func (p *planner) partialBodies() {
	object, op := p.object(), p.op
	fields := op.Body.Fields
	if op.Replaces() { // it takes all fields
		return
	}
	p.add(engine.ClassOpen, "empty-object", "{} is taken or refused.", func(t *engine.T) {
		t.Settle(object(t))
		t.Observe("empty-object", sendSubset(t, object(t), nil).Acceptance())
	}, observes("empty-object"), clauses(op.Effects["persists"], "ERR-4"))
	if len(fields) < 2 {
		return
	}
	p.add(engine.ClassOpen, "partial-bodies", "A body with some of the fields is taken or refused; what it leaves out keeps its value or gets a fixed default.", func(t *engine.T) {
		t.Calibrate(object(t))
		taken, refused := 0, 0
		for bits := 1; bits < 1<<len(fields)-1; bits++ {
			var subset []*spec.Field
			for i, f := range fields {
				if bits&(1<<i) != 0 {
					subset = append(subset, f)
				}
			}
			a := sendSubset(t, object(t), subset)
			switch {
			case a.OK:
				taken++
			case a.Acceptance() != "":
				refused++
			}
		}
		switch {
		case taken+refused == 0: // it is not there, or nothing is answered
		case refused == 0:
			t.Observe("required-fields", "none")
		case taken == 0:
			t.Observe("required-fields", "all")
		default:
			t.Observe("required-fields", "some")
		}
	}, observes("required-fields"), clauses(append(effects(op), op.Effects["persists"], "ERR-4")...))
}

// sendSubset sends new values for some of the fields.
func sendSubset(t *engine.T, o *engine.Object, subset []*spec.Field) *engine.Answer {
	return sendPart(t, o, subset, fresh(t, o))
}

// sendPart sends those of the values that belong to the subset.
func sendPart(t *engine.T, o *engine.Object, subset []*spec.Field, all map[string]any) *engine.Answer {
	body := map[string]any{}
	for _, f := range subset {
		body[f.Name] = all[f.Name]
	}
	return send(t, request{
		Call:   engine.Call{Op: o.Op, Object: o, As: t.Owner(), Body: engine.ObjectBody(o.Op.Body, body)},
		Expect: expect{Success: true, Statuses: either, Clause: "ERR-4", Part: true},
	})
}

// malformedIDs plans ids that are no positive 63-bit integer, in every position
// of the path.
func (p *planner) malformedIDs() {
	object, op := p.object(), p.op
	for i, param := range op.Params {
		for _, m := range []struct {
			name string
			id   func(id int64) string
		}{
			{"letters", func(int64) string { return "abc" }},
			{"trailing-letters", func(id int64) string { return fmt.Sprint(id) + "abc" }},
			{"zero", func(int64) string { return "0" }},
			{"negative", func(int64) string { return "-1" }},
			{"wrapped-32-bit", func(id int64) string { return fmt.Sprint(id + 1<<32) }},
			{"beyond-63-bit", func(int64) string { return "9223372036854775808" }},
		} {
			p.add(engine.ClassOpen, m.name+"-"+slugParam(param), fmt.Sprintf("%s with %s is answered 400, 404 or 422.", param.Name, strings.ReplaceAll(m.name, "-", " ")), func(t *engine.T) {
				o := object(t)
				c := call(t, o, expect{Statuses: []int{http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusBadRequest}, Clause: "ERR-1", EmptyList: op.Lists()})
				c.Path = o.Path()
				c.Path[i] = m.id(o.IDs[i])
				if !op.Deletes() {
					c.Object = nil
				}
				a := send(t, c)
				t.Observe("malformed-id", a.StatusText())
			}, observes("malformed-id"), clauses("ERR-1"), unknownIDs)
		}
	}
}
