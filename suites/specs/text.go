package specs

import (
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// Which texts a field may hold is open, so each of these is refused with 422 or comes
// back as it was sent, then and later.
var texts = Behaviour{Of: Updates, Specs: func(s *Specs, op *spec.Operation) {
	for _, f := range freeTexts(op) {
		for _, p := range Texts(f) {
			textProbe(s, op, f, p)
		}
		if f.Hostname {
			continue
		}
		for _, p := range Oddities() {
			textProbe(s, op, f, p, Deep)
		}
	}
	damagedText(s, op)
}}

// textProbe takes down an update of a field with an odd text. A text of many oddities
// that is refused, or makes the server fail, is followed by one with each.
func textProbe(s *Specs, op *spec.Operation, f *spec.Field, p OddText, decorators ...Decorator) {
	s.It(slug(f.Name)+"-"+p.Name, "A "+f.Name+" of this kind is refused with 422, or comes back as it was sent, then and later.",
		Class("text"), quickIf(p.Quick), decorators, Clause(op.Effects["shows"], op.Effects["persists"], "OPEN-6"), Observes(p.Point(), f.Name),
		func(c *Case) {
			o := object(c)
			a := sendText(c, o, f, p, p.Text)
			if taken := a.Acceptance(); taken != "" {
				c.Observe(p.Point(), p.Name+" "+taken)
			}
			if a.Status != 422 && a.Status < 500 {
				return
			}
			for _, text := range p.Parts {
				sendText(c, o, f, p, text)
			}
		})
}

// sendText updates a field with an odd text and, where that is taken, reads it back.
func sendText(c *Case, o *Object, f *spec.Field, p OddText, text func(unique string) string) *judge.Answer {
	request := Valid(c, o, Set(f.Name, text(unique(c))))
	request.Succeeds = !p.Unlikely
	a := c.Send(request)
	c.Expect(a).To(BeAccepted().Or(422).Or(p.Also...).Citing("ERR-4"))
	if a.OK {
		c.Read(o)
	}
	return a
}

// damagedText takes down bodies in which a text is no Unicode, or which nest deeply:
// only a crash is judged.
func damagedText(s *Specs, op *spec.Operation) {
	free := freeTexts(op)
	if len(free) == 0 {
		return
	}
	field := free[len(free)-1]
	title := "A damaged or deeply nested " + field.Name + " does not make the server fail, and a refusal has the error object."
	s.It(slug(field.Name)+"-damaged", title, Class("text"), Clause("HTTP-1", op.Clause),
		func(c *Case) {
			o := object(c)
			c.VerifyNoTraceOf(o)
			for _, damaged := range []string{
				`"a\ud800z"`, "\"a\xffz\"", strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
			} {
				request := Wrong(c, o)
				sent := request.Body.Fields[field.Name].(string)
				body := strings.Replace(string(request.Body.Raw), `"`+sent+`"`, damaged, 1)
				delete(request.Body.Fields, field.Name)
				Text(body)(&request)
				c.Expect(c.Send(request)).To(BeAnswered().InForm())
			}
			c.Write(o, c.Ordinary(o, 1)) // whatever was stored is gone again
		})
}
