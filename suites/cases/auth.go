package cases

import (
	"net/http"
	"regexp"
	"strings"
	"unicode"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
	"github.com/adconform/adconform/suites/wire"
)

// form is a way in which a request fails to identify a user.
type form struct {
	name, title string
	key         func(t *engine.T) (wire.Credential, bool) // false: makes no sense for this key
}

// forms are derived from the owner's key, so that a server that compares only a
// part of it, or without case, shows.
var forms = []form{
	{"no-key", "without a key", func(t *engine.T) (wire.Credential, bool) {
		return wire.Credential{Name: "none"}, true
	}},
	{"empty-key", "with an empty key", func(t *engine.T) (wire.Credential, bool) {
		return wire.Credential{Name: "empty", Send: true}, true
	}},
	{"percent-key", "with the key %", func(t *engine.T) (wire.Credential, bool) {
		return public("percent", "%"), true
	}},
	{"unknown-key", "with a key that nobody has", func(t *engine.T) (wire.Credential, bool) {
		return public("unknown", t.Fake.Key(max(16, len(t.Owner().Value)))), true
	}},
	{"long-key", "with an unknown key of 200 characters", func(t *engine.T) (wire.Credential, bool) {
		return public("unknown-long", t.Fake.Key(200)), true
	}},
	{"changed-key", "with one character in the middle of the key changed", func(t *engine.T) (wire.Credential, bool) {
		key, ok := changeMiddle(t.Owner().Value)
		return derived("changed", key), ok
	}},
	{"longer-key", "with x after the key", func(t *engine.T) (wire.Credential, bool) {
		return derived("longer", t.Owner().Value+"x"), true
	}},
	{"shorter-key", "without the last character of the key", func(t *engine.T) (wire.Credential, bool) {
		key := t.Owner().Value
		return derived("shorter", key[:len(key)-1]), len(key) > 1
	}},
	{"other-case-key", "with the key in other letter case", func(t *engine.T) (wire.Credential, bool) {
		key := t.Owner().Value
		swapped := swapCase(key)
		return derived("other-case", swapped), swapped != key && !caseless.MatchString(key)
	}},
}

// caseless are keys whose letter case means nothing: hexadecimal numbers and UUIDs.
var caseless = regexp.MustCompile(`^[0-9a-fA-F-]+$`)

func public(name, key string) wire.Credential {
	return wire.Credential{Name: name, Value: key, Send: true, Public: true}
}

func derived(name, key string) wire.Credential {
	return wire.Credential{Name: "owner-" + name, Value: key, Send: true}
}

// changeMiddle changes the letter or digit nearest to the middle into another
// of its kind.
func changeMiddle(key string) (string, bool) {
	b := []byte(key)
	for d := range b {
		i := len(b)/2 + (d+1)/2*(1-2*(d%2))
		if i < 0 || i >= len(b) {
			continue
		}
		switch c := b[i]; {
		case c >= 'a' && c < 'z', c >= 'A' && c < 'Z', c >= '0' && c < '9':
			b[i]++
		case c == 'z', c == 'Z', c == '9':
			b[i]--
		default:
			continue
		}
		return string(b), true
	}
	return key, false
}

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}

// unauthenticated plans a case for each form; all have to be answered 401.
func (p *planner) unauthenticated() {
	object := p.object()
	for i, f := range forms {
		options := []option{clauses("AUTH-1")}
		if f.name == "no-key" || f.name == "unknown-key" {
			options = append(options, quick)
		}
		p.add(engine.Class401, f.name, "A request "+f.title+" is answered 401.", func(t *engine.T) {
			key, ok := f.key(t)
			if !ok {
				t.NotTested(engine.ByTarget, "the owner's key has no other form of this kind")
				return
			}
			c := call(t, object(t), expect{Statuses: []int{http.StatusUnauthorized}, Clause: "AUTH-1"})
			c.As, c.Raw = key, i == 0
			a := send(t, c)
			if a.Status == http.StatusUnauthorized {
				scheme := "none"
				if h := a.Exchange.Response.Header.Get("WWW-Authenticate"); h != "" {
					scheme, _, _ = strings.Cut(t.Presentable(h), " ") // a part of a key is not known as one
				}
				t.Observe("www-authenticate", scheme)
			}
		}, options...)
	}
	p.changesNothing(engine.Class401, func(t *engine.T, o *engine.Object) {
		c := call(t, o, expect{Statuses: []int{http.StatusUnauthorized}, Clause: "AUTH-1"})
		c.As = wire.Credential{Name: "none"}
		send(t, c)
	})
}

// forbidden plans what a user without permission may not do.
func (p *planner) forbidden() {
	object, op, key := p.object(), p.op, p.key
	if len(op.Params) == 0 { // everyone has a list of their own
		return
	}
	forbidden := expect{Statuses: []int{http.StatusForbidden}, Clause: "AUTH-2"}
	asStranger := func(t *engine.T, o *engine.Object) {
		c := call(t, o, forbidden)
		c.As = t.Stranger()
		send(t, c)
	}
	p.add(engine.Class403, "stranger", "A user without permission for the object gets 403.", func(t *engine.T) {
		asStranger(t, object(t))
	}, needs("credentials.stranger"), clauses("AUTH-2"), quick)
	if op.Updates() {
		p.add(engine.Class403, "stranger-empty-object", "A user without permission gets 403 for {} too, or 422 where the owner does.", func(t *engine.T) {
			c := call(t, object(t), expect{Statuses: []int{http.StatusForbidden, http.StatusUnprocessableEntity}, Clause: "AUTH-2"})
			c.As, c.Body = t.Stranger(), engine.ObjectBody(op.Body, map[string]any{})
			send(t, c)
		}, needs("credentials.stranger"), clauses("AUTH-2"))
	}
	if !op.Deletes() && len(op.Params) > 0 {
		p.add(engine.Class403, "stranger-elsewhere", "A user without permission gets 403 for each other object of the owner too.", func(t *engine.T) {
			for _, o := range p.alike(t, op, key) {
				asStranger(t, o)
			}
			if op.Lists() {
				p.otherPage(t, op)
			}
		}, needs("credentials.stranger"), clauses("AUTH-2"))
		p.add(engine.Class403, "owner-on-foreign", "The owner gets 403 for an object of another user.", func(t *engine.T) {
			o := t.Object(op, engine.Foreign(key))
			if op.Updates() {
				t.Read(o) // what it holds now, to judge the effect and to put it back
			}
			send(t, call(t, o, forbidden))
			t.Settle(o)
		}, p.needsForeign(), clauses("AUTH-2"))
	}
	if op.Updates() {
		p.changesNothing(engine.Class403, asStranger, needs("credentials.stranger"))
	}
}

// alike are the owner's objects beside the one that the operation's cases use.
func (p *planner) alike(t *engine.T, op *spec.Operation, key string) []*engine.Object {
	if op.Updates() {
		return p.others(t, op, key)
	}
	var all []*engine.Object
	for _, k := range p.keys(op) {
		if o := t.Object(op, k); o != nil && k != key {
			all = append(all, o)
		}
	}
	return all
}

// otherPage asks for the second page as the stranger and without a key: a check
// that looks at the bare path only shows.
func (p *planner) otherPage(t *engine.T, op *spec.Operation) {
	o := t.Object(op, p.largest(op))
	if o == nil || t.PageParameter(op) == "" {
		return
	}
	// A target that does not know the parameter may refuse it, whoever asks.
	unknown := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}
	for _, c := range []request{
		{Call: engine.Call{As: t.Stranger()}, Expect: expect{Statuses: append(unknown, http.StatusForbidden), Clause: "AUTH-2"}},
		{Call: engine.Call{As: wire.Credential{Name: "none"}}, Expect: expect{Statuses: append(unknown, http.StatusUnauthorized), Clause: "AUTH-1"}},
	} {
		c.Op, c.Object, c.Query = op, o, t.PageParameter(op)+"=2"
		send(t, c)
	}
}

// needsForeign asks for the stranger's object and the objects above it, and for
// the stranger's key: what wrongly changes there is put back with it.
func (p *planner) needsForeign() option {
	op := p.op
	return func(c *engine.Case) {
		c.Needs = append(c.Needs, "credentials.stranger")
		for _, param := range op.Params {
			c.Needs = append(c.Needs, engine.Foreign(param.Object))
		}
	}
}

// changesNothing plans a look at the object after the refused requests of a
// class: no value of theirs may show.
func (p *planner) changesNothing(class string, refuse func(*engine.T, *engine.Object), options ...option) {
	if !p.op.Updates() {
		return
	}
	object := p.object()
	options = append(options, clauses("EFFECT-1"), quick)
	p.add(class, "changes-nothing", "What was refused with "+class+" changes nothing.", func(t *engine.T) {
		o := object(t)
		t.Calibrate(o)
		refuse(t, o)
		t.Settle(o)
		if o.Refused() {
			t.NotTested(engine.ByTarget, "the target shows no way to read the object back")
		}
	}, options...)
}
