package specs

import (
	"net/http"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/engine"
)

// probe is a text that implementations stumble over. Which texts are allowed is
// open, so each is refused with 422 or comes back as sent.
type probe struct {
	name  string
	text  func(unique string) string
	also  []int    // statuses allowed beside 422
	parts []string // oddities in it, each of which is tried alone where it is refused
}

func inside(oddity string) func(string) string {
	return func(unique string) string { return "a" + oddity + "z " + unique }
}

func exactly(text string) func(string) string { return func(string) string { return text } }

// single are oddities that one text can hold all at once.
var single = []struct{ name, oddity string }{
	{"accent", "é"}, {"cjk", "日"}, {"emoji", "😀"}, {"apostrophe", "'"}, {"quote", `"`}, {"backslash", `\`}, {"markup", "&<b>x</b>"}, {"percent", "+%41"},
}

// many is one request for all of them.
func many() probe {
	p := probe{name: "many"}
	all := ""
	for _, s := range single {
		all += s.oddity
		p.parts = append(p.parts, s.oddity)
	}
	p.text = inside(all)
	return p
}

var digits = probe{name: "leading-zero", text: exactly("0815")}

var probes = []probe{
	digits,
	{name: "word-true", text: exactly("true")},
	many(),
	{name: "script", text: inside("<script>")},
	{name: "sql", text: inside("SELECT a FROM b")},
	{name: "tab", text: inside("\t")},
	{name: "newline", text: inside("\n")},
	{name: "nul", text: inside("\x00")},
}

// quantifiers are expressions that take some engines long, or much memory.
var quantifiers = []probe{
	{name: "huge-quantifier", text: func(unique string) string { return "a{1000000}" + unique }},
	{name: "nested-quantifier", text: func(unique string) string { return "((a{100}){100}){100}" + unique }},
}

// lengths of names; a server may have a limit, of which the document says nothing.
var lengths = []struct {
	name string
	n    int
}{{"60", 60}, {"300", 300}, {"5000", 5000}, {"65536", 65536}}

func long(n int) func(string) string {
	return func(unique string) string { return unique + strings.Repeat("n", n-len(unique)) }
}

// texts plans the text probes for every free text of the body.
func (p *planner) texts() {
	for _, f := range p.op.Body.Fields {
		if f.Type != "string" || len(f.Enum) > 0 {
			continue
		}
		var list []probe
		switch {
		case f.Hostname:
			list = []probe{
				{name: "length-50", text: func(unique string) string {
					label := strings.ToLower(strings.ReplaceAll(unique, " ", "-"))
					return label + "." + strings.Repeat("n", 50-len(label)-len("..example.com")) + ".example.com"
				}},
				{name: "mixed-case", text: func(unique string) string { return strings.ReplaceAll(unique, " ", "-") + ".Example.com" }},
				digits,
				{name: "many", text: many().text},
			}
		case f.Regex:
			list = append(append(append([]probe{}, probes...), quantifiers...), probe{name: "length-300", text: long(300), also: []int{http.StatusRequestEntityTooLarge}})
		default:
			list = append([]probe{}, probes...)
			for _, l := range lengths {
				list = append(list, probe{name: "length-" + l.name, text: long(l.n), also: []int{http.StatusRequestEntityTooLarge}})
			}
		}
		for _, probe := range list {
			p.text(f, probe)
		}
		if f.Hostname {
			continue
		}
		p.text(f, c1, deep)
		for _, s := range single {
			p.text(f, probe{name: s.name, text: inside(s.oddity)}, deep)
		}
	}
	p.damagedTexts()
}

// c1 are control characters that few think of.
var c1 = probe{name: "c1-control", text: inside("\u0085\u009f")}

func (p *planner) text(f *spec.Field, probe probe, options ...option) {
	object, op := p.object(), p.op
	point := "text-characters"
	switch {
	case strings.HasPrefix(probe.name, "length"):
		point = "text-length"
	case strings.HasSuffix(probe.name, "quantifier"):
		point = "regex-syntax"
	}
	shows := []string{op.Effects["shows"], op.Effects["persists"], "OPEN-6"}
	p.add(engine.ClassText, slug(f.Name)+"-"+probe.name, "A "+f.Name+" of this kind is refused with 422, or comes back as it was sent, then and later.", func(t *engine.T) {
		o := object(t)
		a := sendText(t, o, f, probe, probe.text(unique(t)))
		t.Observe(point, probe.name+" "+a.Acceptance())
		if a.OK || a.Status != http.StatusUnprocessableEntity {
			return
		}
		for _, oddity := range probe.parts {
			sendText(t, o, f, probe, inside(oddity)(unique(t)))
		}
	}, append(options, clauses(shows...), observes(point))...)
}

// sendText updates a field with an odd text and, where that is taken, reads it back.
func sendText(t *engine.T, o *engine.Object, f *spec.Field, probe probe, text string) *engine.Answer {
	c := call(t, o, expect{
		Success: true, Statuses: append([]int{http.StatusUnprocessableEntity}, probe.also...), Clause: "ERR-4",
	})
	c.Body.Fields[f.Name] = text
	c.Body = engine.ObjectBody(o.Op.Body, c.Body.Fields)
	a := send(t, c)
	if a.OK {
		t.Read(o)
	}
	return a
}

// unique is the token of an ordinary name: what tells this text from others.
func unique(t *engine.T) string {
	name := t.Fake.Name()
	return name[strings.LastIndexByte(name, ' ')+1:]
}

// damagedTexts plans bodies in which a text is no Unicode, or which nest deeply:
// only a crash is judged.
func (p *planner) damagedTexts() {
	object, op := p.object(), p.op
	var field *spec.Field // the last free text
	for _, f := range op.Body.Fields {
		if f.Type == "string" && len(f.Enum) == 0 {
			field = f
		}
	}
	if field == nil {
		return
	}
	p.add(engine.ClassText, slug(field.Name)+"-damaged", "A damaged or deeply nested "+field.Name+" does not make the server fail, and a refusal has the error object.", func(t *engine.T) {
		o := object(t)
		t.Settle(o)
		for _, damaged := range []string{
			`"a\ud800z"`, "\"a\xffz\"", strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
		} {
			c := call(t, o, expect{OnlyCrash: true, ErrorForm: true})
			placeholder := c.Body.Fields[field.Name].(string)
			raw := strings.Replace(string(c.Body.Raw), `"`+placeholder+`"`, damaged, 1)
			delete(c.Body.Fields, field.Name)
			c.Body = &engine.Body{Fields: c.Body.Fields, Raw: []byte(raw)}
			send(t, c)
		}
		t.Write(o, t.Ordinary(o, 1)) // whatever was stored is gone again
	}, clauses("HTTP-1", op.Clause))
}
