package faults

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/adconform/adconform/spec"
)

// effectFaults answer an update rightly and do something else.
func effectFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range updates(c) {
		all = append(all, notStored(op)...)
		all = append(all, stale(op)...)
		all = append(all, elsewhere(op)...)
		all = append(all, storedOtherwise(op)...)
	}
	return append(all, mixedUp(c.Operation(campaignUpdate)), mixedUp(c.Operation(profileUpdate)), mixedUp(c.Operation(hostUpdate)))
}

func effect(op *spec.Operation, name, clause, sentence string, also []string, b func() behaviour) Fault {
	return Fault{
		ID: "effect/" + name + "/" + op.ID, Clause: clause, Also: also, Sentence: op.ID + ": " + sentence + ".",
		Wrap: fresh(func() behaviour { return on(op.ID, b()) }),
	}
}

// pretend is the answer to an update that is not made: the object as it is,
// with the fields that were sent.
func (x *exchange) pretend() *answer {
	return x.send(x.request.with(saying([]byte("{}")))).shown(func(data map[string]any) {
		maps.Copy(data, onlyFields(x.op, x.fields()))
	})
}

// setsMine says whether the owner sets fields of the object of mine.
func (x *exchange) setsMine() bool {
	return x.byOwner() && x.onMine() && len(x.fields()) > 0
}

// notStored are updates that are shown and not made.
func notStored(op *spec.Operation) []Fault {
	persists, also := op.Effects["persists"], []string{op.Effects["shows"], "EFFECT-1"}
	lost := func(name, sentence string, when func(x *exchange, n int64) bool) Fault {
		return effect(op, name, persists, sentence, also, func() behaviour {
			var seen counter
			return func(x *exchange) *answer {
				before := x.current(x.ids...)
				a := x.forward()
				if a.ok() && x.setsMine() && when(x, seen.next()) {
					answered := x.last
					x.send(x.request.with(saying(encode(onlyFields(op, before)))))
					x.last = answered
				}
				return a
			}
		})
	}
	all := []Fault{
		lost("not-stored", "an update is shown and not made", func(*exchange, int64) bool { return true }),
		lost("every-second-lost", "every second update is shown and not made", func(_ *exchange, n int64) bool { return n%2 == 0 }),
		lost("every-fifth-lost", "every fifth update is shown and not made", func(_ *exchange, n int64) bool { return n%5 == 0 }),
	}
	if len(op.Body.Fields) < 2 {
		return all
	}
	for _, f := range op.Body.Fields {
		all = append(all, effect(op, "not-stored-"+f.Name, persists, "a new "+f.Name+" is shown and not stored", also, func() behaviour {
			return func(x *exchange) *answer {
				before := x.current(x.ids...)
				a := x.forward()
				if sent := x.fields(); a.ok() && x.setsMine() && sent[f.Name] != nil && before[f.Name] != nil && before[f.Name] != sent[f.Name] {
					answered := x.last
					x.send(x.request.with(saying(encode(map[string]any{f.Name: before[f.Name]}))))
					x.last = answered
				}
				return a
			}
		}))
	}
	for _, f := range op.Body.Fields {
		all = append(all, effect(op, "restores-others-with-"+f.Name, persists, "an update of "+f.Name+" alone brings the other fields back to what they were one update before", also, func() behaviour {
			var earlier, latest memory[map[string]any]
			return func(x *exchange) *answer {
				fields := x.fields()
				a := x.forward()
				if !a.ok() || !x.setsMine() {
					return a
				}
				if len(fields) > 1 {
					if old, had := latest.put(x.path, onlyFields(op, a.data())); had {
						earlier.put(x.path, old)
					}
					return a
				}
				old, had := earlier.get(x.path)
				if _, only := fields[f.Name]; !had || !only {
					return a
				}
				old = maps.Clone(old)
				old[f.Name] = fields[f.Name]
				return x.send(x.request.with(saying(encode(old))))
			}
		}))
	}
	return all
}

// stale are answers that show an object as it was.
func stale(op *spec.Operation) []Fault {
	shows, persists := op.Effects["shows"], op.Effects["persists"]
	old := func(name, sentence, clause string, when func(x *exchange, n int64) bool) Fault {
		return effect(op, name, clause, sentence, []string{shows, persists, op.Effects["updatedAt"], "EFFECT-1"}, func() behaviour {
			var seen counter
			return func(x *exchange) *answer {
				before := x.current(x.ids...)
				a := x.forward()
				if a.ok() && before != nil && when(x, seen.next()) {
					return a.shown(func(data map[string]any) { maps.Copy(data, before) })
				}
				return a
			}
		})
	}
	return []Fault{
		old("old-representation", "an update is made and the old representation shown", shows, func(*exchange, int64) bool { return true }),
		old("old-sometimes", "every sixth answer shows the object as it was before", shows, func(_ *exchange, n int64) bool { return n%6 == 0 }),
		effect(op, "stale-reads", persists, "what is not sent is shown as it was before the last update", []string{shows, op.Effects["updatedAt"], "EFFECT-1"}, func() behaviour {
			var earlier, latest memory[map[string]any]
			return func(x *exchange) *answer {
				fields := x.fields()
				a := x.forward()
				if !a.ok() || fields == nil {
					return a
				}
				if len(fields) > 0 {
					if before, had := latest.put(x.path, a.data()); had {
						earlier.put(x.path, before)
					}
				}
				if before, had := earlier.get(x.path); had {
					return a.shown(func(data map[string]any) {
						for _, f := range op.Body.Fields {
							if _, sent := fields[f.Name]; !sent {
								data[f.Name] = before[f.Name]
							}
						}
					})
				}
				return a
			}
		}),
	}
}

// elsewhere are updates that change another object, too or instead.
func elsewhere(op *spec.Operation) []Fault {
	also := []string{op.Effects["persists"], "EFFECT-1"} // a refused request may have come before
	too := func(name, sentence string, ids func(x *exchange) []string, change func(x *exchange) request) Fault {
		return effect(op, name, "EFFECT-2", sentence, also, func() behaviour {
			return func(x *exchange) *answer {
				a := x.forward()
				if a.ok() && x.setsMine() && ids(x) != nil {
					answered := x.last
					x.send(change(x).with(to(x.at(op, ids(x)...))))
					x.last = answered
				}
				return a
			}
		})
	}
	same := func(x *exchange) request { return x.request }
	other := func(x *exchange) []string { return x.other(op) }
	all := []Fault{
		too("other-too", "an update changes another object too", other, same),
		effect(op, "other-instead", "EFFECT-2", "an update is shown and made on another object", []string{op.Effects["persists"], op.Effects["shows"]}, func() behaviour {
			return func(x *exchange) *answer {
				if !x.setsMine() {
					return x.forward()
				}
				a := x.pretend()
				answered := x.last
				x.send(x.request.with(to(x.at(op, x.other(op)...))))
				x.last = answered
				return a
			}
		}),
		too("other-resets", "an update resets another object", other, func(x *exchange) request {
			doc := map[string]any{}
			for _, f := range op.Body.Fields {
				doc[f.Name] = "untitled.example.com"
				if len(f.Enum) > 0 {
					doc[f.Name] = f.Enum[0]
				}
			}
			return x.request.with(saying(encode(doc)))
		}),
	}
	if len(op.Params) > 1 {
		all = append(all, too("sibling-too", "an update changes the object beside it too", func(x *exchange) []string { return x.sibling(op) }, same))
	}
	if len(op.Body.Fields) > 1 {
		for _, f := range op.Body.Fields {
			all = append(all, too("other-"+f.Name, "an update sets "+f.Name+" of another object too", other, func(x *exchange) request {
				v, sent := x.fields()[f.Name]
				if !sent || v == nil {
					return x.request.with(saying([]byte("{}")))
				}
				return x.request.with(saying(encode(map[string]any{f.Name: v})))
			}))
		}
	}
	return all
}

// storedOtherwise are updates that store another value than they show.
func storedOtherwise(op *spec.Operation) []Fault {
	var all []Fault
	for _, f := range op.Body.Fields {
		if len(f.Enum) > 0 {
			continue
		}
		for _, way := range texts {
			if way.rare || f.Hostname && way.nothost || f.Regex && way.noregex {
				continue
			}
			all = append(all, effect(op, "stores-"+way.name+"-"+f.Name, op.Effects["persists"], f.Name+" is shown as sent and stored "+way.sentence, []string{op.Effects["shows"], "EFFECT-1"}, func() behaviour {
				return func(x *exchange) *answer {
					a := x.forward()
					sent, text := x.fields()[f.Name].(string)
					if spoilt := way.spoil(sent); text && a.ok() && spoilt != sent {
						answered := x.last
						x.send(x.request.alter(func(doc map[string]any) { doc[f.Name] = spoilt }))
						x.last = answered
					}
					return a
				}
			}))
		}
	}
	var enums []string
	for _, f := range op.Body.Fields {
		if len(f.Enum) > 0 {
			enums = append(enums, f.Name)
		}
	}
	if len(enums) == 2 {
		all = append(all, effect(op, "stores-swapped", op.Effects["persists"], "the two actions are shown as sent and stored swapped", []string{op.Effects["shows"]}, func() behaviour {
			return func(x *exchange) *answer {
				a := x.forward()
				if doc := x.fields(); a.ok() && doc[enums[0]] != nil && doc[enums[1]] != nil && doc[enums[0]] != doc[enums[1]] {
					answered := x.last
					x.send(x.request.alter(func(doc map[string]any) { doc[enums[0]], doc[enums[1]] = doc[enums[1]], doc[enums[0]] }))
					x.last = answered
				}
				return a
			}
		}))
	}
	return all
}

// mixedUp shows, of two updates at the same time, the values of one in both
// answers: a variable that requests share.
func mixedUp(op *spec.Operation) Fault {
	return effect(op, "mixed-up", op.Effects["shows"], "of two updates at the same time both show the values of one", []string{op.Effects["identity"], op.Effects["persists"], op.Clause, "EFFECT-2"}, func() behaviour {
		var shared atomic.Pointer[map[string]any]
		var updates meetings
		return func(x *exchange) *answer {
			fields := x.fields()
			if !x.byOwner() || len(fields) == 0 {
				return x.forward()
			}
			shared.Store(&fields)
			updates.meet("", "")
			a := x.forward()
			return a.shown(func(data map[string]any) {
				late := *shared.Load()
				for name := range fields {
					if v, ok := late[name]; ok && v != nil && slices.Contains([]string{"name", "hostname"}, name) {
						data[name] = v
					}
				}
			})
		}
	})
}
