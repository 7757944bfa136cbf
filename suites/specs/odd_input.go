package specs

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// Input that nobody listed: a request of each class of odd_table.go, by the part of it that
// is odd. Only what no conforming server does is judged: 5xx, broken HTTP or JSON, an error
// object off its form, effects of what was refused. Any 4xx is right.
func unlistedInput(s *Specs, op *spec.Operation) {
	judged := []string{"HTTP-1", "HTTP-2", "JSON-1"}
	if op.Updates() {
		judged = append(judged, "EFFECT-1")
	}
	for _, part := range oddParts {
		classes := slices.DeleteFunc(slices.Clone(part.classes), func(o oddity) bool { return !o.suits(op) })
		if len(classes) == 0 {
			continue
		}
		title := "Whatever is odd about the " + part.name + " of a request, the server does not fail, and what is refused changes nothing."
		s.Case("open/fuzz-"+part.name, title, Options{Deep, s.OrUnknown(), Clause(judged...)}, func(c *Case, o *Object) {
			if op.Deletes() {
				o = c.Known().UnknownObject(op)
			}
			if op.Updates() && !o.Nowhere() {
				c.Probe(o)
			}
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

// oddPart is a part of a request with what can be odd about it.
type oddPart struct {
	name     string
	formless bool  // a refusal need not have the error object: it may come from before the operation
	right    []int // statuses of 5xx that a conforming server may answer
	classes  []oddity
}

// oddity is one class of odd input: a way in which a request differs from the valid one of
// its operation. One request of it is sent to each operation that it suits.
type oddity struct {
	name, words string // "accept", "an Accept that is none"
	change      Change
	in          func(*spec.Field) bool // it is for operations whose body has such a field; nil: see how
	how         []how
}

// how says for which operations a class is, and how it differs from most.
type how int

const (
	updating  how = iota // it is for operations that update
	bodiless             // for all others
	listing              // for lists
	withID               // for those that name an object
	elsewhere            // it goes to unknown ids: it may reach or do something else
	uninvited            // it comes from a user who may not have the object
	unsound              // it is no valid HTTP, or more than a server need take
	fourfold             // it is sent four times at once
	followed             // an ordinary request comes right behind it
)

func odd(name, words string, change Change, how ...how) oddity {
	return oddity{name: name, words: words, change: change, how: how}
}

func (o oddity) is(how how) bool { return slices.Contains(o.how, how) }

// suits says whether a class is for an operation.
func (o oddity) suits(op *spec.Operation) bool {
	if o.in != nil {
		return op.Updates() && slices.ContainsFunc(op.Body.Fields, o.in)
	}
	return !(o.is(updating) && !op.Updates() || o.is(bodiless) && op.Updates() ||
		o.is(listing) && !op.Lists() || o.is(withID) && !NamesAnObject(op))
}

// large is the size in bytes from which a server may answer before it has read a body, and end
// the connection then.
const large = 16 << 10

// try sends the request of a class, reads back what was refused, and sets the object anew where
// it is not known what it holds. It says whether the request could be sent.
func (p *oddPart) try(c *Case, o *Object, class oddity) bool {
	named := o
	if class.is(elsewhere) {
		named = c.Known().UnknownObject(o.Op)
	}
	if class.is(uninvited) && (named.Nowhere() || c.Target.Credentials.Stranger == "") || p.name == "method" && c.Session.Shared.ReadOnly {
		return false
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
	for range 2 { // an answer may be lost by chance, but not twice
		answers := class.send(c, odd, plain)
		for i, a := range answers {
			switch {
			case a.Call == nil: // the target takes no more
				return true
			case class.is(uninvited):
				c.Expect(a).To(BeRefused().Citing("AUTH-2"))
			case i > 0 && class.is(followed) && !named.Nowhere():
				c.Expect(a).To(BeAccepted())
			default:
				c.Judge(a, right)
			}
		}
		if o.Op.Updates() && !named.Nowhere() {
			if len(answers) > 1 { // which came last is not known
				o.LoseTrack()
			}
			c.VerifyNoTraceOf(o)
			if o.Uncertain() {
				c.Write(o, c.Ordinary(o, 1))
			}
		}
		err := answers[len(answers)-1].Exchange.Err
		if err != nil && err.Kind == wire.BadRequest {
			return false
		}
		if err == nil || odd.Malformed {
			break
		}
	}
	return true
}

// request is a plain one with what is odd about the class.
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

// pageParameter stands for the parameter that selects a page.
const pageParameter = "PAGE"

func (o oddity) send(c *Case, odd, plain Call) []*judge.Answer {
	switch {
	case o.is(fourfold):
		return c.SendTogether(odd, odd, odd, odd)
	case o.is(followed):
		return c.SendInOrder(odd, plain)
	}
	return []*judge.Answer{c.Send(odd)}
}
