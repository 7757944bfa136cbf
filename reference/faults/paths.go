package faults

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/spec"
)

// pathFaults read the ids of a path wrongly, or only some of them.
func pathFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range c.Operations {
		all = append(all, malformedIDs(op)...)
		if op.Updates() {
			all = append(all, unknownIDs(op)...)
		}
		if len(op.Params) > 1 {
			all = append(all, parents(op)...)
		}
	}
	return append(all, Fault{
		ID: "path/unknown-deleted/" + creativeDelete, Clause: "ERR-1", Also: []string{"DELETE-3"},
		Sentence: "The delete of a creative that never was is answered 204.",
		Wrap: each(on(creativeDelete, func(x *exchange) *answer {
			a := x.forward()
			if n, _ := strconv.Atoi(x.lastID()); a.status == http.StatusNotFound && n > 100_000 {
				return &answer{status: http.StatusNoContent, header: http.Header{}}
			}
			return a
		})),
	}, Fault{
		ID: "path/missing-listed/" + mediaFileList, Clause: "ERR-1", Also: []string{"MEDIA-1", "MEDIA-7"},
		Sentence: "The media files of a creative that does not exist are those of another.",
		Wrap: each(on(mediaFileList, func(x *exchange) *answer {
			a := x.forward()
			if a.status == http.StatusNotFound {
				return x.send(x.request.with(to(x.at(x.op, x.mine(x.op)...))))
			}
			return a
		})),
	})
}

// unknownIDs are objects that do not exist and are updated all the same.
func unknownIDs(op *spec.Operation) []Fault {
	return []Fault{{
		ID: "path/unknown-is-mine/" + op.ID, Clause: "ERR-1", Also: []string{"ERR-2", "EFFECT-1"},
		Sentence: op.ID + ": an unknown id updates the user's first object.",
		Wrap: each(on(op.ID, func(x *exchange) *answer {
			a := x.forward()
			if a.status == http.StatusNotFound && len(x.lastID()) == 10 {
				return x.send(x.request.with(to(x.at(op, x.mine(op)...))))
			}
			return a
		})),
	}, {
		ID: "path/unknown-echoed/" + op.ID, Clause: "ERR-1", Also: []string{"ERR-2"},
		Sentence: op.ID + ": an unknown id is answered as if the object existed.",
		Wrap: each(on(op.ID, func(x *exchange) *answer {
			a := x.forward()
			id, err := strconv.Atoi(x.lastID())
			if a.status != http.StatusNotFound || err != nil || id < 1_000_000 {
				return a
			}
			data := x.current(x.mine(op)...)
			data["id"] = id
			for name, v := range x.fields() {
				data[name] = v
			}
			return a.replaced(http.StatusOK, map[string]any{"data": data})
		})),
	}}
}

// malformedIDs are ids that are no numbers and name an object all the same.
func malformedIDs(op *spec.Operation) []Fault {
	digits := regexp.MustCompile(`^\d+`)
	readings := []struct {
		name, sentence string
		read           func(id string, mine string) string
	}{
		{"trailing-letters", "what follows the digits of an id is ignored", func(id, _ string) string {
			if d := digits.FindString(id); d != "" {
				return d
			}
			return id
		}},
		{"32-bit", "ids are cut to 32 bits", func(id, _ string) string {
			if n, err := strconv.ParseInt(id, 10, 64); err == nil {
				return strconv.Itoa(int(uint32(n)))
			}
			return id
		}},
		{"zero", "the id 0 is the user's first object", func(id, mine string) string {
			if id == "0" {
				return mine
			}
			return id
		}},
		{"negative", "a negative id is the user's first object", func(id, mine string) string {
			if strings.HasPrefix(id, "-") {
				return mine
			}
			return id
		}},
		{"letters", "an id of letters is the user's first object", func(id, mine string) string {
			if !strings.ContainsAny(id, "0123456789") {
				return mine
			}
			return id
		}},
		{"too-large", "an id that fits no number is the user's first object", func(id, mine string) string {
			if _, err := strconv.ParseInt(id, 10, 64); err != nil && digits.FindString(id) == id {
				return mine
			}
			return id
		}},
	}
	var all []Fault
	for i, param := range op.Params {
		for _, r := range readings {
			all = append(all, Fault{
				ID: "path/" + r.name + "/" + op.ID + "/" + param.Name, Clause: "ERR-1", Also: []string{"ERR-2", "EFFECT-1", "DELETE-1", "DELETE-4"},
				Sentence: op.ID + ", " + param.Name + ": " + r.sentence + ".",
				Wrap: each(on(op.ID, func(x *exchange) *answer {
					ids := slices.Clone(x.ids)
					mine := x.mine(op)[i]
					if op.Deletes() {
						mine = lastDisposable(x.Env)
					}
					ids[i] = r.read(ids[i], mine)
					if ids[i] == x.ids[i] {
						return x.forward()
					}
					return x.send(x.request.with(to(x.at(op, ids...))))
				})),
			})
		}
		all = append(all, Fault{
			ID: "path/letters-crash/" + op.ID + "/" + param.Name, Clause: "HTTP-1", Also: []string{"ERR-1"},
			Sentence: op.ID + ": a " + param.Name + " of letters makes the server fail.",
			Wrap:     each(on(op.ID, crashWhen(func(x *exchange) bool { return !strings.ContainsAny(x.ids[i], "0123456789") }))),
		}, Fault{
			ID: "path/too-large-crash/" + op.ID + "/" + param.Name, Clause: "HTTP-1", Also: []string{"ERR-1"},
			Sentence: op.ID + ": a " + param.Name + " beyond 63 bits makes the server fail.",
			Wrap:     each(on(op.ID, crashWhen(func(x *exchange) bool { return len(x.ids[i]) > 18 }))),
		}, Fault{
			ID: "path/unknown-crash/" + op.ID + "/" + param.Name, Clause: "HTTP-1", Also: []string{"ERR-1", "ERR-2"},
			Sentence: op.ID + ": an unknown " + param.Name + " makes the server fail.",
			Wrap:     each(on(op.ID, crashWhen(func(x *exchange) bool { return len(x.ids[i]) == 10 && x.ids[i][0] != '4' }))),
		})
	}
	return all
}

func lastDisposable(env *Env) string {
	list := env.World.Objects.DisposableCreatives
	return itoa(int(list[len(list)-1].ID))
}

// parents are paths of which only some ids are looked at.
func parents(op *spec.Operation) []Fault {
	var all []Fault
	ignored := func(name, sentence string, positions []int, when func(x *exchange, a *answer) bool) {
		all = append(all, Fault{
			ID: "path/" + name + "/" + op.ID, Clause: "ERR-2", Also: []string{"ERR-1", "EFFECT-1", "EFFECT-2"},
			Sentence: op.ID + ": " + sentence + ".",
			Wrap: each(on(op.ID, func(x *exchange) *answer {
				a := x.forward()
				ids, ok := x.belongs(op, x.lastID())
				if a.status != http.StatusNotFound || !ok || !when(x, a) {
					return a
				}
				for i := range ids {
					if !slices.Contains(positions, i) && ids[i] != x.ids[i] {
						return a
					}
				}
				return x.send(x.request.with(to(x.at(op, ids...))))
			})),
		})
	}
	every := func(*exchange, *answer) bool { return true }
	ignored("only-last-id", "only the last id of the path is looked at", []int{0, 1}, every)
	ignored("first-id-ignored", "the first id of the path is not looked at", []int{0}, every)
	ignored("second-id-ignored", "the second id of the path is not looked at", []int{1}, every)
	known := func(i int) func(*exchange, *answer) bool {
		return func(x *exchange, _ *answer) bool { return len(x.ids[i]) < 10 }
	}
	ignored("profile-exists-only", "it is enough that the first id exists", []int{0}, known(0))
	ignored("rule-exists-only", "it is enough that the second id exists", []int{1}, known(1))
	ignored("unknown-first-id", "an unknown first id is ignored", []int{0}, func(x *exchange, _ *answer) bool { return len(x.ids[0]) == 10 })
	ignored("unknown-second-id", "an unknown second id is ignored", []int{1}, func(x *exchange, _ *answer) bool { return len(x.ids[1]) == 10 })
	return append(all, Fault{
		ID: "path/own-parents-suffice/" + op.ID, Clause: "ERR-2", Also: []string{"AUTH-2", "EFFECT-1", "EFFECT-2"},
		Sentence: op.ID + ": under an own profile and rule a host of another user is updated.",
		Wrap: each(on(op.ID, func(x *exchange) *answer {
			ids := x.foreign(op)
			if x.byOwner() && x.onForeign() && x.ids[0] != ids[0] {
				return x.send(x.request.with(to(x.at(op, ids...)), x.as(x.stranger())))
			}
			return x.forward()
		})),
	})
}

// belongs is the right path to the owner's object with this id.
func (env *Env) belongs(op *spec.Operation, id string) ([]string, bool) {
	for _, o := range env.lanes() {
		for _, ids := range [][]string{named(o, op, ""), sibling(o, op), named(o, op, "other")} {
			if ids != nil && ids[len(ids)-1] == id {
				return ids, true
			}
		}
	}
	return nil, false
}
