package faults

import (
	"slices"

	"github.com/adconform/adconform/spec"
)

// The faults of this file show only where two ordinary things meet, such as a delete and the last page of a list.
// Either alone is answered rightly.

// after adds a fault that acts on a request whose predecessor on the same path was answered with a status. kind may
// look at the predecessor before that is answered.
func (s *seeds) after(id, clauses, sentence string, want int, kind, is condition, does behaviour) {
	s.fault("pair/"+id, clauses, sentence, func(x *exchange) *answer {
		was, _ := recall[bool](x, x.path)
		of := kind(x)
		answers := x.forward
		if was && is(x) {
			answers = func() *answer { return does(x) }
		}
		a := answers()
		x.keep(x.path, of && a.status == want)
		return a
	})
}

// remembering depend on what the object went through before.
func remembering(s *seeds, op *spec.Operation) {
	const clauses = "persists shows EFFECT-1 EFFECT-2 operation"
	s.after("after-422", clauses, "the update after one that was refused with 422 is shown and not made", 422,
		always, sets, asItWas)
	s.after("after-empty", clauses, "the update after {} is shown and not made", 200, bodyIs("{}"), sets, asItWas)
	s.after("after-403-404", "EFFECT-3 "+clauses, "after a 403 the owner's next request is answered 404", 403, always,
		byOwner, refuse(404))
	s.fault("pair/same-dated", "updatedAt", "an update to what the object holds sets updatedAt to null",
		when(changesNothing, shows(put("updatedAt", nil))))
	s.fault("pair/other-empty", "identity shows persists EFFECT-2", "{} for another object shows the first one",
		when(all(onOther, bodyIs("{}")), asMine))
	s.fault("pair/other-created", "stays identity shows updatedAt",
		"an update of another object shows the createdAt of the first",
		when(all(onOther, changing), shows(func(x *exchange, data object) {
			data["createdAt"] = x.current(x.mine()...)["createdAt"]
		})))
}

// delayed make a refused update with the next one, or bring back the value from before the last update.
func delayed(s *seeds, op *spec.Operation) {
	const clauses = "persists shows EFFECT-1 EFFECT-2 operation"
	held := func(name, sentence string, refused int, who condition) {
		s.fault("pair/held-"+name, "EFFECT-1 "+clauses, sentence, func(x *exchange) *answer {
			kept, _ := recall[object](x, x.path)
			if len(kept) > 0 && sets(x) {
				x.keep(x.path, object(nil))
				x.apart(op, x.ids, kept)
			}
			a := x.forward()
			if a.status == refused && who(x) && changing(x) {
				x.keep(x.path, right(op, x.fields()))
			}
			return a
		})
	}
	held("403", "a stranger's refused update is made with the owner's next one", 403, byStranger)
	held("422", "the right fields of a refused update are set with the next one", 422, byOwner)
	for i, f := range op.Body.Fields {
		s.name = f.Name
		if other := fieldAfter(op, i); other != f {
			s.fault("pair/{name}-back-with-"+other.Name, clauses,
				"an update of "+other.Name+" alone brings the earlier {name} back", returns(f.Name, other.Name))
		}
	}
}

// returns brings the earlier text of a field back with an update of another field alone.
func returns(field, with string) behaviour {
	return when(sets, func(x *exchange) *answer {
		now, _ := x.stored()[field].(string)
		old, had := recall[string](x, x.path)
		given := x.fields()
		switch {
		case had && alone(x) && given[with] != nil:
			return setting(put(field, old))(x)
		case now != "" && given[field] != nil && given[field] != now:
			x.keep(x.path, now)
		}
		return x.forward()
	})
}

// right returns the fields of a body that have a right type.
func right(op *spec.Operation, fields object) object {
	kept := object{}
	for _, f := range op.Body.Fields {
		if v, _ := fields[f.Name].(string); v != "" && !unlistedWord(v) {
			kept[f.Name] = v
		}
	}
	return kept
}

func onOther(x *exchange) bool {
	return byOwner(x) && (slices.Equal(x.ids, x.other()) ||
		slices.Equal(x.ids, x.sibling()))
}

// taking accepts wrong values: the first of the field's list, or a text, takes their place.
func taking(op *spec.Operation) behaviour {
	return setting(func(x *exchange, fields object) {
		for _, f := range op.Body.Fields {
			wrong := isContainer // a number for a text may be taken
			if listed(f) {
				wrong = wrongWord
			}
			where(f.Name, wrong, corrected(f))(x, fields)
		}
	})
}

// pairUsers let every seventh stranger in.
func pairUsers(s *seeds, op *spec.Operation) {
	s.fault("pair/stranger-seventh", letsStrangersIn, "every seventh request of a stranger is allowed",
		instead(403, all(byStranger, nth(7)), permitted))
	if op.Updates() {
		s.fault("pair/seventh-wrong",
			uncheckedFields, "the fields of every seventh request with a wrong field are not checked",
			instead(422, all(changing, nth(7)), taking(op)))
	}
}

// pairDeletes go wrong with a delete that follows a refused one, or with what follows a delete.
func pairDeletes(s *seeds, op *spec.Operation) {
	nothing := deletes(func(spec.Creative) []int64 { return nil })
	refusedBefore := func(name, sentence string, status int, does behaviour) {
		refused := func(a *answer) bool { return a.status == status }
		s.fault("pair/"+name, lostDelete+" EFFECT-3", sentence,
			afterwards(samePath, refused, byOwner, does))
	}
	refusedBefore("delete-after-403",
		"the owner's delete after a stranger's is answered 204 and removes nothing", 403, nothing)
	refusedBefore("delete-after-401", "the owner's delete after one without a key is answered 404", 401, refuse(404))
	s.fault("pair/file-again", "DELETE-3", "a second delete of a media file is answered 204",
		afterDelete(samePath, all(byOwner, isListedFile), empty(204)))
	s.everywhere("pair/file-last-page", "MEDIA-8 MEDIA-7 MEDIA-3 MEDIA-4 MEDIA-9 EFFECT-2 EFFECT-3 DELETE-4",
		"After a delete the last page of a long list has an item less",
		afterDelete(anyPath, asks("page=3"), lists((*page).losesLast)))
}

// firstAsSecond has the items of page 1 under the number 2.
var firstAsSecond = pageOf("page=1", func(p *page) { p.numbers["page"] = 2 })

// What breaks where a delete is lost, and where a page has wrong items.
const (
	lostDelete = "DELETE-3 DELETE-5 EFFECT-1 DELETE-1"
	wrongPages = "MEDIA-9 MEDIA-7 MEDIA-3 MEDIA-4 MEDIA-5 MEDIA-6 MEDIA-8"
)

func (p *page) losesLast() {
	p.items = p.items[:max(0, len(p.items)-1)]
	p.numbers["count"] = len(p.items)
}

// pairLists go wrong with a page after another page or a delete.
func pairLists(s *seeds, op *spec.Operation) {
	s.everywhere("pair/deleted-page", "MEDIA-9 MEDIA-8 MEDIA-7 MEDIA-3 MEDIA-4 MEDIA-5",
		"After a delete page 2 of a long list has the items of page 1",
		afterDelete(anyPath, asks("page=2"), firstAsSecond))
	s.fault("pair/stranger-empty",
		wrongPages+" EFFECT-2", "the list of a stranger's own creative is that of the owner's first one",
		when(all(byStranger, onForeign), func(x *exchange) *answer {
			return x.apart(op, x.mine(), nil)
		}))
	firstPage := func(a *answer) bool { return a.ok() && byOwner(a.to) }
	s.fault("pair/two-pages-stranger", "AUTH-2 AUTH-3", "a stranger gets page 2 after the owner got page 1",
		afterwards(samePath, firstPage, all(byStranger, asks("page=2")), permitted))
}
