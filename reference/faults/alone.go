package faults

import (
	"strings"

	"github.com/adconform/adconform/spec"
)

// aloneFaults make updates of one field alone, unset it or set it again, and do
// something else than they show; or they store an odd text otherwise than it is
// shown.
func aloneFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range updates(c) {
		for _, f := range op.Body.Fields {
			if len(op.Body.Fields) > 1 {
				all = append(all, setAlone(op, f)...)
			}
			if f.Optional {
				all = append(all, unset(op, f)...)
			}
			if len(f.Enum) == 0 {
				all = append(all, storedOddly(op, f)...)
			}
			if f.Hostname {
				all = append(all, oddHostnames(op, f)...)
			}
		}
	}
	return all
}

// afterwards changes an object in secret, after an answer that shows what was
// sent; nil changes nothing.
func (x *exchange) afterwards(a *answer, change map[string]any) *answer {
	if !a.ok() || change == nil {
		return a
	}
	answered := x.last
	x.send(x.request.with(saying(encode(change))))
	x.last = answered
	return a
}

// only says whether the owner sends this field and no other, and what.
func (x *exchange) only(f *spec.Field) (any, bool) {
	fields := x.fields()
	v, given := fields[f.Name]
	return v, given && len(fields) == 1 && x.byOwner()
}

func setAlone(op *spec.Operation, f *spec.Field) []Fault {
	persists := op.Effects["persists"]
	fault := func(name, sentence string, change func(before map[string]any, sent any) map[string]any) Fault {
		return effect(op, "alone-"+name+"-"+f.Name, persists, "an update of "+f.Name+" alone "+sentence, []string{op.Effects["shows"], "EFFECT-1"}, func() behaviour {
			return func(x *exchange) *answer {
				sent, alone := x.only(f)
				if !alone || sent == nil {
					return x.forward()
				}
				before := x.current(x.ids...)
				if before == nil || before[f.Name] == sent {
					return x.forward()
				}
				return x.afterwards(x.forward(), change(before, sent))
			}
		})
	}
	all := []Fault{
		fault("ignored", "is shown and not made", func(before map[string]any, _ any) map[string]any {
			return map[string]any{f.Name: before[f.Name]}
		}),
		fault("resets", "sets it to a default", func(map[string]any, any) map[string]any {
			if len(f.Enum) > 0 {
				return nil
			}
			return map[string]any{f.Name: "untitled.example.com"}
		}),
		effect(op, "alone-shown-old-"+f.Name, op.Effects["shows"], "an update of "+f.Name+" alone is ignored", []string{persists}, func() behaviour {
			return func(x *exchange) *answer {
				if sent, alone := x.only(f); alone && sent != nil {
					return x.send(x.request.with(saying([]byte("{}"))))
				}
				return x.forward()
			}
		}),
	}
	if len(f.Enum) > 0 {
		all = all[:1]
		all = append(all, fault("default", "sets it to the last of its values", func(_ map[string]any, sent any) map[string]any {
			return map[string]any{f.Name: f.Enum[(len(f.Enum)-1)%len(f.Enum)]}
		}))
	}
	for _, g := range op.Body.Fields {
		if g == f || len(g.Enum) != len(f.Enum) || g.Hostname || g.Name == "name" {
			continue
		}
		all = append(all, fault("stored-as-"+g.Name, "is stored for "+g.Name, func(before map[string]any, sent any) map[string]any {
			return map[string]any{f.Name: before[f.Name], g.Name: sent}
		}), fault("too-"+g.Name, "sets "+g.Name+" too", func(_ map[string]any, sent any) map[string]any {
			return map[string]any{g.Name: sent}
		}))
	}
	return all
}

// unset are updates with null, and those after them.
func unset(op *spec.Operation, f *spec.Field) []Fault {
	persists := op.Effects["persists"]
	also := []string{op.Effects["shows"], "EFFECT-1"}
	fault := func(name, sentence string, b behaviour) Fault {
		return effect(op, name+"-"+f.Name, persists, f.Name+" "+sentence, also, func() behaviour { return b })
	}
	kept := func(when func(x *exchange) bool) behaviour {
		return func(x *exchange) *answer {
			v, given := x.fields()[f.Name]
			before := x.current(x.ids...)
			if !given || v != nil || before == nil || before[f.Name] == nil || !when(x) {
				return x.forward()
			}
			return x.afterwards(x.forward(), map[string]any{f.Name: before[f.Name]})
		}
	}
	alone := func(x *exchange) bool { return len(x.fields()) == 1 }
	return []Fault{
		fault("unset-not-stored", "is shown as unset and stays", kept(func(*exchange) bool { return true })),
		fault("unset-alone-not-stored", "is shown as unset and stays where it is unset alone", kept(alone)),
		fault("unset-in-full-not-stored", "is shown as unset and stays where all fields are sent", kept(func(x *exchange) bool { return !alone(x) })),
		fault("unset-stores-text", "is shown as unset and holds a text from then on", func(x *exchange) *answer {
			v, given := x.fields()[f.Name]
			if !given || v != nil {
				return x.forward()
			}
			return x.afterwards(x.forward(), map[string]any{f.Name: "null"})
		}),
		fault("set-again-lost", "is shown as set again after it was unset, and stays unset", func(x *exchange) *answer {
			v, given := x.fields()[f.Name]
			before := x.current(x.ids...)
			if !given || v == nil || before == nil || before[f.Name] != nil {
				return x.forward()
			}
			return x.afterwards(x.forward(), map[string]any{f.Name: nil})
		}),
	}
}

// storedOddly are odd texts that are shown as sent and stored otherwise. Ordinary
// ones are those of storedOtherwise.
func storedOddly(op *spec.Operation, f *spec.Field) []Fault {
	var all []Fault
	for _, way := range texts {
		if !way.rare || f.Regex && way.noregex || f.Hostname && !oddHost[way.name] {
			continue
		}
		fault := effect(op, "stores-"+way.name+"-"+f.Name, op.Effects["persists"], f.Name+" is shown as sent and stored "+way.sentence, []string{op.Effects["shows"], "EFFECT-1"}, func() behaviour {
			return func(x *exchange) *answer {
				sent, text := x.fields()[f.Name].(string)
				spoilt := way.spoil(sent)
				if !text || spoilt == sent {
					return x.forward()
				}
				return x.afterwards(x.forward(), map[string]any{f.Name: spoilt})
			}
		})
		fault.Choices = permissive
		all = append(all, fault)
	}
	return all
}

// oddHost are the ways to spoil a text that odd hostnames show.
var oddHost = map[string]bool{"number": true, "html": true, "quotes-doubled": true, "ascii-only": true, "three-bytes": true, "backslashes-lost": true, "cut-16": true}

// oddHostnames fail on hostnames that are none, or show them otherwise.
func oddHostnames(op *spec.Operation, f *spec.Field) []Fault {
	var all []Fault
	for _, part := range []struct{ name, text string }{
		{"digits", "0815"}, {"apostrophe", "'"}, {"emoji", "😀"}, {"markup", "<b>"}, {"percent", "%"},
	} {
		all = append(all, Fault{
			ID: "crash/" + f.Name + "-" + part.name + "/" + op.ID, Clause: "HTTP-1", Sentence: op.ID + ": the server fails on a " + f.Name + " with " + part.text + ".",
			Wrap: each(on(op.ID, crashWhen(func(x *exchange) bool {
				s, _ := x.fields()[f.Name].(string)
				return x.byOwner() && strings.Contains(s, part.text)
			}))),
		})
	}
	for _, way := range texts {
		if !oddHost[way.name] || way.name == "cut-16" {
			continue
		}
		all = append(all, Fault{
			ID: "value/" + way.name + "/" + op.ID + "/" + f.Name, Clause: op.Effects["shows"], Also: []string{op.Effects["persists"]},
			Sentence: op.ID + ": " + f.Name + " is stored and shown " + way.sentence + ".", Choices: permissive,
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				return x.send(x.request.alter(func(doc map[string]any) {
					if s, ok := doc[f.Name].(string); ok {
						doc[f.Name] = way.spoil(s)
					}
				}))
			})),
		})
	}
	return all
}
