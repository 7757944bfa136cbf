package faults

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// asItWas shows an update and does not make it.
var asItWas = saves(func(_ *exchange, before object) object { return before })

// notStored show an update and do not make it, or make it and show an object as it was before.
func notStored(s *seeds, op *spec.Operation) {
	lost := topic(s, "effect/",
		"persists shows EFFECT-1", func(is condition) behaviour { return when(all(setsMine, is), asItWas) })
	lost("not-stored", "an update is shown and not made", always)
	lost("every-second-lost", "every second update is shown and not made", nth(2))
	if manyFields(op) {
		s.name = nameOf(op)
		same := func(x *exchange) bool {
			return x.fields()[nameOf(op)] == x.stored()[nameOf(op)]
		}
		s.fault("effect/same-{name}-changes-nothing", "shows persists",
			"an update that gives the current {name} is not made", when(all(setsMine, same), says(object{})))
	}
	s.fault("effect/old-representation", "shows persists updatedAt EFFECT-1",
		"an update is made and the old representation shown",
		func(x *exchange) *answer {
			before := x.stored()
			return x.forward().shown(func(data object) {
				maps.Copy(data, before)
			})
		})
	// It is stored as it is.
	s.fault("effect/stale-reads", "persists shows updatedAt EFFECT-1",
		"a read shows the object as it was before the last update",
		func(x *exchange) *answer {
			before := x.settings()
			return x.forward().shown(func(data object) {
				if old, _ := recall[object](x, x.path); !changing(x) {
					maps.Copy(data, old)
				} else {
					x.keep(x.path, before)
				}
			})
		}).graded(spec.Major)
	atFirst := func(x *exchange) object {
		return first(x, x.path, x.settings())
	}
	s.fault("effect/first-copy-shown", "persists shows updatedAt",
		"every seventh answer shows an omitted field as it was at first",
		func(x *exchange) *answer {
			old := atFirst(x)
			a := x.forward()
			if x.count()%7 == 0 {
				a.shown(func(data object) {
					maps.Copy(data, old)
					maps.Copy(data, onlyFields(op, x.fields()))
				})
			}
			return a
		})
	asAtFirst := func(x *exchange) bool {
		return reflect.DeepEqual(x.fields(), atFirst(x))
	}
	s.fault("effect/first-ignored", "shows persists", "an update to the first values of an object is not made",
		when(all(asAtFirst, setsMine), setting(copying((*exchange).settings))))
	namesOther := func(x *exchange) bool {
		ids := x.other()
		return fmt.Sprint(x.fields()["id"]) == ids[len(ids)-1]
	}
	s.fault("effect/id-of-body", "EFFECT-2 identity persists shows", "an id in the body names what is updated",
		when(all(setsMine, namesOther), naming((*exchange).other)))
	for _, f := range op.Body.Fields {
		keptFields(s, op, f)
	}
}

// keptFields show a field as sent, alone or with all others, and keep the old value.
func keptFields(s *seeds, op *spec.Operation, f *spec.Field) {
	stays := saves(func(_ *exchange, was object) object {
		return object{f.Name: was[f.Name]}
	})
	kept := func(id, sentence string, is ...condition) {
		s.fault("effect/"+id+"-{name}", "persists shows EFFECT-1", "{name} is shown as "+sentence,
			when(all(is...), stays))
	}
	s.name = f.Name
	sets := gives(f, is[string])
	unsets := gives(f, equals(nil))
	if f.Optional {
		kept("unset-alone-not-stored", "unset and stays where it is unset alone", unsets, alone)
		kept("unset-in-full-not-stored", "unset and stays where all fields are sent", unsets, not(alone))
		kept("set-again-lost", "set again after it was unset, and stays unset", sets, holds(f.Name, equals(nil)))
		s.fault("effect/null-as-text-{name}", op.Representation().Field(f.Meaning).Clause+" shows persists",
			"{name} is shown as the text null where it is unset",
			shows(where(f.Name, equals(nil), put(f.Name, "null"))))
	}
	if noHostname(f) {
		kept("case-ignored", "sent and stays if only its letter case is new", sets, func(x *exchange) bool {
			return strings.EqualFold(fmt.Sprint(x.fields()[f.Name]),
				fmt.Sprint(x.stored()[f.Name]))
		})
	}
	if manyFields(op) {
		kept("not-stored", "sent and not stored", sets)
		kept("alone-ignored", "sent and not stored where it is sent alone", sets, alone)
	}
}

// wrongRepresentations show another object, the values of two fields swapped, or one value always.
func wrongRepresentations(s *seeds, op *spec.Operation) {
	const also = " shows stays EFFECT-2 updatedAt"
	copies := func(of func(x *exchange) object) behaviour {
		return when(onMine, shows(copying(of)))
	}
	of := func(ids func(x *exchange) []string) func(x *exchange) object {
		return func(x *exchange) object { return x.current(ids(x)...) }
	}
	copied := topic(s, "shown/", "identity"+also, copies)
	copied("other-object", "the representation is that of another object", of((*exchange).other))
	copied("foreign-object", "the representation is that of the stranger's object",
		of((*exchange).foreign)).graded(spec.Critical)
	s.fault("shown/other-values", "shows"+also, "the representation has the right id and the values of another object",
		copies(func(x *exchange) object {
			return onlyFields(op, of((*exchange).other)(x))
		}))
	if several(op) {
		s.fault("shown/parent-id", "identity", "the id is that of the parent",
			shows(func(x *exchange, data object) {
				data["id"] = json.Number(x.ids[len(x.ids)-2])
			}))
		copied("sibling-object", "the representation is that of its sibling", of((*exchange).sibling))
	}
	for i, f := range op.Body.Fields {
		s.name = f.Name
		for _, g := range op.Body.Fields[i+1:] {
			swapped := func(_ *exchange, data object) {
				data[f.Name], data[g.Name] = data[g.Name], data[f.Name]
			}
			if listed(f) == listed(g) {
				s.fault("shown/swapped-{name}-"+g.Name, "shows",
					"{name} and "+g.Name+" are swapped", shows(swapped))
			}
			if listed(f) && listed(g) {
				s.fault("effect/stores-swapped", "persists shows",
					"the two actions are shown as sent and stored swapped", stores(swapped))
			}
		}
		s.fault("shown/constant-{name}", "shows", "{name} always shows the same",
			shows(put(f.Name, placeholder(f, ""))))
	}
}

// otherLetters show a published value in other letter case.
func otherLetters(s *seeds, op *spec.Operation) {
	for _, f := range op.Representation().Fields {
		s.name = f.Name
		if listed(f) || f.Name == "type" || f.Name == "sourceType" {
			s.fault("shown/other-letters-{name}-capital",
				cmp.Or(spec.MarksOf(f.Schema).ValuesClause, f.Clause),
				"{name} is shown in other letter case: Pass", shows(text(f.Name, capital)))
		}
	}
}

func capital(s string) string {
	return strings.ToUpper(s[:1]) + s[1:]
}

// moved show another value for a field that no update changes.
func moved(s *seeds, op *spec.Operation) {
	for _, f := range op.Representation().Fields {
		const stays = "stays updatedAt"
		clauses := stays
		s.name = f.Name
		if f.Name == "id" {
			clauses = "identity"
		} else if !f.Stays {
			continue
		}
		s.fault("shown/{name}-from-body", clauses, "{name} is taken from the body",
			shows(func(x *exchange, data object) {
				data[f.Name] = cmp.Or(x.fields()[f.Name],
					data[f.Name])
			}))
		if !f.Stays {
			continue
		}
		another := anotherValue(f)
		makesIt := makes(func(object) object { return object{f.Name: another} })
		// Only a read before the first update shows the right value.
		s.fault("shown/{name}-set", stays, "{name} is set to one value by every update", makesIt).choosing(readAll)
		if f.Date {
			s.fault("shown/{name}-now", stays, "{name} is the time of each answer", shows(now(f)))
		} else if f.Type == "string" {
			s.fault("shown/{name}-other", stays, "{name} is another after an update",
				when(changing, shows(put(f.Name, another))))
		}
	}
}

// now sets a date to the time of the answer, in whole seconds.
func now(f *spec.Field) change {
	return func(_ *exchange, data object) {
		data[f.Name] = time.Now().UTC().Format(time.RFC3339)
	}
}

// wrongDates date an update when it was not made.
func wrongDates(s *seeds, op *spec.Operation) {
	date := topic(s, "shown/updatedAt-",
		"updatedAt "+op.Representation().Field("updatedAt").Clause, itself)
	written := func(when func(x *exchange) time.Time, layout string) behaviour {
		return shows(func(x *exchange, data object) {
			data["updatedAt"] = when(x).UTC().Format(layout)
		})
	}
	off := func(by time.Duration, layout string) behaviour {
		return written(func(*exchange) time.Time {
			return time.Now().Add(by)
		}, layout)
	}
	const day = 24 * time.Hour
	date("lost-null", "updatedAt is null where an update without fields shows it again",
		when(not(changing), shows(put("updatedAt", nil))))
	date("null", "updatedAt is null after a change", when(changing, shows(put("updatedAt", nil))))
	date("never-moves", "updatedAt is one fixed date", shows(put("updatedAt", "2025-05-01T08:00:00Z")))
	date("zone-east", "updatedAt is the time two hours east of Greenwich, with Z", off(2*time.Hour, time.RFC3339))
	date("local-days-ago", "updatedAt is two days ago, without a zone", off(-2*day, time.DateTime))
	date("day-before-yesterday", "updatedAt is a date, that of the day before yesterday", off(-2*day, time.DateOnly))
	// A date in a whole minute may have been truncated to one, so the second is odd.
	date("started-before", "updatedAt is when the server was started, ten seconds ago",
		written(func(x *exchange) time.Time {
			return time.Unix((x.started.Unix()-10)|1, 0)
		}, time.RFC3339))
	date("backwards", "updatedAt moves back a minute each time",
		written(func(x *exchange) time.Time {
			return time.Now().Add(-time.Minute * time.Duration(x.count()))
		}, time.RFC3339))
	standing := makes(func(before object) object { return object{"updatedAt": before["updatedAt"]} })
	for _, f := range op.Body.Fields[1:] {
		s.name = f.Name
		s.fault("shown/updatedAt-not-by-{name}", "updatedAt", "an update of {name} alone leaves updatedAt as it was",
			when(all(gives(f, is[string]), alone), standing)).
			choosing(func(c *reference.Choices) { c.DateFormat = "2006-01-02T15:04:05.000Z" })
	}
}

// changedToo change another object in secret, too or instead: another of the owner's, one beside it, or the
// stranger's. Or they confuse two updates that are under way at the same time, or lose one.
func changedToo(s *seeds, op *spec.Operation) {
	const also = " persists EFFECT-1 EFFECT-2"
	name := nameOf(op)
	sent := func(x *exchange) object { return onlyFields(op, x.fields()) }
	renamed := func(*exchange) object { return object{name: "untitled.example.com"} }
	apart := func(ids func(*exchange) []string, fields func(*exchange) object) behaviour {
		return func(x *exchange) *answer {
			return x.apart(op, ids(x), fields(x))
		}
	}
	other := (*exchange).other
	foreign := (*exchange).foreign
	too := topic(s, "effect/",
		"EFFECT-2"+also, func(does behaviour) behaviour { return made(200, setsMine, does) })
	too("other-too", "an update changes another object too", apart(other, sent))
	too("other-resets", "an update sets the name of another object to a default", apart(other, renamed))
	too("foreign-too", "an update changes the stranger's object too", apart(foreign, sent))
	if several(op) {
		too("sibling-too", "an update also changes its sibling", apart((*exchange).sibling, sent))
	}
	s.fault("effect/foreign-in-place", "EFFECT-1"+also,
		"the stranger's update of the owner's object is refused but carried out on the stranger's own",
		made(403, all(byStranger, onMine, changing), apart(foreign, sent)))
	s.everywhere("effect/read-writes", also, "A list sets the name of what * updates to a default",
		made(200, of(mediaFileList),
			apart(func(x *exchange) []string {
				return x.idsOf(op, same, same)
			}, renamed))).graded(spec.Critical)
	s.fault("effect/other-instead", "EFFECT-2 persists shows", "an update is shown but carried out on another object",
		when(setsMine, func(x *exchange) *answer {
			apart(other, sent)(x)
			return asItWas(x)
		}))
	lost := func(name, field string, status int) {
		moves := func(a *answer) bool {
			return a.ok() && a.to.fields()[field] != nil
		}
		s.fault("effect/"+name+"-of-body", "AUTH-4 EFFECT-3 EFFECT-1 persists operation",
			"a "+name+" in the body gets the object",
			afterwards(samePath, moves, byOwner, refuse(status))).graded(spec.Critical)
	}
	lost("user", "userId", 403)
	for _, p := range op.Params[:len(op.Params)-1] {
		lost(p.Name, p.Name, 404)
	}
	s.fault("effect/mixed-up", "shows identity persists operation EFFECT-2",
		"of two updates at the same time each shows the "+name+" of the other",
		when(gives(op.Body.Fields[0], is[string]),
			func(x *exchange) *answer {
				other, _ := x.meet("", x.fields()[name].(string))
				return x.forward().shown(func(data object) {
					data[name] = cmp.Or(other, data[name].(string))
				})
			}))
	if !manyFields(op) {
		s.fault("effect/collide", "HTTP-1", "of two updates of one object at the same time each fails",
			when(setsMine, func(x *exchange) *answer {
				if _, met := x.meet(x.path, ""); met {
					return refuse(500)(x)
				}
				return x.forward()
			}))
		return
	}
	partly := func(x *exchange) bool {
		return len(x.fields()) < len(op.Body.Fields)
	}
	s.fault("open/lost-writer", "OPEN-7 persists shows", "of two writers on different fields of one object one loses",
		// It reads the object, changes the fields that were sent, and writes all back.
		when(all(byOwner, changing, partly), func(x *exchange) *answer {
			whole := x.settings()
			x.meet(x.path, "")
			maps.Copy(whole, x.fields())
			return says(whole)(x)
		}))
}

// refusedUpdates answer with an error and make the update all the same.
func refusedUpdates(s *seeds, op *spec.Operation) {
	add := func(name, sentence string, status int, is condition, does behaviour) {
		s.fault("refused/"+name, "EFFECT-1 persists", sentence, made(status, is, does))
	}
	// everyWrong changes wrong values, and leaves right ones.
	everyWrong := func(correct func(f *spec.Field) change) behaviour {
		return setting(func(x *exchange, fields object) {
			for _, f := range op.Body.Fields {
				where(f.Name, wrongWord, correct(f))(x, fields)
			}
		})
	}
	// asFarAsItGoes completes a body that is cut off, and drops what follows the object.
	asFarAsItGoes := before(func(x *exchange) {
		if x.body = bytes.TrimSuffix(x.body, []byte(" x")); all(bodyBegins("{"), not(bodyHas("}")))(x) {
			x.body = append(x.body, `"}`...)
		}
	})
	add("401-any-key", "a request with a wrong key or none is answered 401 but carried out", 401, always, asOwner)
	add("403-stranger", "a stranger's request is answered 403 but carried out", 403, byStranger, permitted)
	add("403-foreign", "a request for a foreign object is answered 403 but carried out", 403, byOwner, permitted)
	add("404-on-mine",
		"a request for an unknown object is answered 404 but carried out on the user's first object", 404,
		all(unknownAt(len(op.Params)-1), not(onMine)), asMine)
	add("422-malformed", "a malformed body is answered 422 but applied as far as it is valid", 422,
		always, asFarAsItGoes)
	add("422-coerced", "a value of the wrong type is answered 422 but stored as text", 422, always,
		everyWrong(corrected))
	add("reset", "a body that is refused sets the name to a default", 422, always,
		says(object{nameOf(op): "untitled.example.com"}))
	if several(op) {
		add("404-wrong-parent", "a request through the wrong parents is answered 404 but carried out", 404,
			belongs, rightly)
	}
	if manyFields(op) {
		add("422-right-fields", "a partly wrong body is answered 422 but its right fields are set", 422, always,
			everyWrong(func(f *spec.Field) change { return drop(f.Name) }))
	}
}

// wrongDeletes answer a delete with 204 and remove nothing, or something else, or leave a wrong list.
func wrongDeletes(s *seeds, _ *spec.Operation) {
	nothing := func(spec.Creative) []int64 { return nil }
	// file deletes other creatives in place of a media file.
	file := func(ids func(c spec.Creative) []int64) behaviour {
		return deletes(func(c spec.Creative) []int64 {
			if c.ParentID == nil {
				return []int64{c.ID}
			}
			return ids(c)
		})
	}
	s.fault("delete/without-effect", lostDelete, "A delete is answered 204 and removes nothing", deletes(nothing))
	s.fault("delete/file-stays", "DELETE-5 DELETE-3 EFFECT-1 MEDIA-4 MEDIA-7",
		"The delete of a media file is answered 204 and removes nothing", file(nothing))
	too := topic(s, "delete/", "DELETE-4 "+lostDelete, deletes)
	too("next-too", "A delete also removes the creative after the one that is named",
		func(c spec.Creative) []int64 {
			return []int64{c.ID, c.ID + 1}
		})
	too("paged-too", "A delete also removes a media file on the first page of a large container",
		func(c spec.Creative) []int64 { return []int64{c.ID, 1005} })
	s.fault("delete/parent-gone", "DELETE-5 EFFECT-3 DELETE-4 MEDIA-1", "With a media file its parent is deleted",
		file(func(c spec.Creative) []int64 {
			return []int64{c.ID, *c.ParentID}
		})).graded(spec.Critical)
	// leaves changes lists that are shorter than at first.
	leaves := topic(s, "delete/", "DELETE-5 DELETE-4 MEDIA-3 MEDIA-4 MEDIA-7",
		func(change func(p, first *page)) behaviour {
			return lists(func(p *page) {
				first := first(p.exchange, p.path+p.query, p)
				if len(p.items) < len(first.items) {
					change(p, first)
				}
			})
		})
	leaves("still-listed",
		"A deleted media file is still listed", func(p, first *page) { p.shows(first.items) })
	leaves("total-stays", "A deleted media file still counts in totalCount",
		func(p, first *page) { p.numbers["totalCount"] = first.number("totalCount") })
}

// afterDelete does something where a condition holds after a delete under the same key.
func afterDelete(key func(x *exchange) string, is condition, does behaviour) behaviour {
	deletes := func(a *answer) bool {
		return a.ok() && of(creativeDelete)(a.to)
	}
	return afterwards(key, deletes, is, does)
}

// afterDeletes remove another object with a creative, or with any success.
func afterDeletes(s *seeds, op *spec.Operation) {
	if op.Updates() {
		s.everywhere("delete/forgets", "EFFECT-3 DELETE-4", "Deleting a creative also deletes an object that * names",
			afterDelete(anyPath, all(of(op.ID), onMine, byOwner),
				refuse(404))).graded(spec.Critical)
	}
	// The creatives that go too are asked for only to see whether they are there.
	gone := func(name, clauses, sentence, key string, after int64) {
		s.fault("gone/"+name, "EFFECT-3 EFFECT-2 DELETE-4 "+clauses,
			"each success but the first three removes "+sentence+" too",
			answers(func(a *answer) {
				if x := a.to; a.ok() && x.count() > 3 {
					x.deletes(x.idOf(key) + after)
				}
			})).graded(spec.Critical)
	}
	gone("plain", "", "a creative that holds no media files", "plainCreative", 0)
	gone("empty", "MEDIA-1 MEDIA-9", "a container without media files", "emptyVastCreative", 0)
	gone("file", "MEDIA-9 MEDIA-7 MEDIA-4", "a media file that no request named", "vastCreative", 2)
}

// lastPages change the last page of a long list for good, after that page was shown, with the next success of the
// operation.
func lastPages(s *seeds, op *spec.Operation) {
	isLast := func(p *page) bool {
		return !p.single() && p.number("page") == p.number("totalPages")
	}
	add := func(id, clauses, sentence string, change func(p *page)) {
		s.everywhere(id, clauses, "After a success of * "+sentence, func(x *exchange) *answer {
			changes := of(op.ID)(x) && byOwner(x)
			a := x.forward().paged(func(p *page) {
				if !isLast(p) {
					return
				}
				if _, changed := recall[bool](x, "changed"); changed {
					change(p)
				}
				x.keep("shown", true)
			})
			if _, shown := recall[bool](x, "shown"); shown && changes && a.ok() {
				x.keep("changed", true)
			}
			return a
		})
	}
	add("last-page/renames", "MEDIA-9", "the last media file of a long list has another name", func(p *page) {
		p.items[len(p.items)-1].(object)["name"] = "renamed"
	})
	lost := "EFFECT-3 EFFECT-2 DELETE-4 MEDIA-3 MEDIA-4 MEDIA-9"
	add("last-page/removes", lost, "the last media file of a long list is gone", func(p *page) {
		p.items = p.items[:len(p.items)-1]
		p.numbers["count"], p.numbers["totalCount"] = len(p.items), p.number("totalCount")-1
	})
}

// deletes deletes a creative in secret.
func (x *exchange) deletes(id int64) *answer {
	return x.apart(x.Contract.Operation(creativeDelete),
		[]string{itoa(id)}, nil)
}

// deleteAnswers answer a delete wrongly, or with an error and make it all the same.
func deleteAnswers(s *seeds, _ *spec.Operation) {
	refused := func(name, sentence string, status int, is condition, does behaviour) *Server {
		return s.fault("refused/delete-"+name, "EFFECT-1 DELETE-4 DELETE-5", sentence, made(status, is, does))
	}
	letters := func(x *exchange) bool {
		return len(x.lastID()) > 3 && x.lastID()[3] == 'a'
	}
	container := func(x *exchange) bool { return strings.HasSuffix(x.lastID(), "0") }
	file := func(x *exchange) *answer {
		return x.deletes(int64(atoi(x.lastID()) + 2))
	} // the second of the container
	refused("401", "A delete with a wrong key or none is answered 401 but carried out", 401, always, asOwner)
	refused("403", "A stranger's delete is answered 403 but carried out", 403, always, permitted)
	refused("404-trailing-letters", "A delete of 301abc is answered 404 but deletes 301", 404, letters,
		naming(func(x *exchange) []string {
			return []string{x.lastID()[:3]}
		}))
	refused("404-unknown", "A delete of an unknown creative is answered 404 but deletes another", 404, always,
		naming(func(x *exchange) []string {
			return []string{itoa(x.lastDisposable())}
		}))
	refused("403-file", "A stranger's delete of a container is answered 403 but removes one of its media files", 403,
		container, file)
	refused("422-file", "The delete of a container is refused with 422 and removes one of its media files",
		422, always, file).
		choosing(func(c *reference.Choices) { c.DeleteContainerWithFiles = reference.Refuse })
	raw := topic(s, "delete/", "DELETE-2 HTTP-2", func(rest string) behaviour {
		return inPlaceOf(204, always, sends("HTTP/1.1 204 No Content\r\nConnection: close\r\n"+rest))
	})
	raw("204-with-body", "A 204 has a body",
		"Content-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"deleted\":true}\n")
	raw("204-announces-body", "A 204 announces a body that does not come", "Content-Length: 16\r\n\r\n")
	raw("204-body-unannounced", "A body follows a 204 that announces none", "\r\nnull\n")
	again := topic(s, "delete/",
		"DELETE-3", func(is condition) behaviour { return afterDelete(samePath, is, empty(204)) })
	again("again-204", "A second delete is answered 204 too", byOwner)
	again("again-204-for-all", "A second delete is answered 204 too, whichever user sends it", anyUser)
	again("third-204", "Every second repetition of a delete is answered 204", all(byOwner, nth(2)))
	s.everywhere("delete/back-later", "DELETE-3",
		"A deleted creative is there again thirty requests later", func(x *exchange) *answer {
			n := x.count()
			mine := of(creativeDelete)(x) && byOwner(x)
			if at, gone := recall[int64](x, x.path); gone && mine && n > at+30 {
				return empty(204)(x)
			}
			a := x.forward()
			if mine && a.ok() {
				x.keep(x.path, n)
			}
			return a
		})
	s.fault("delete/200-representation", "DELETE-1 ERR-12", "A delete is answered 200 with the deleted creative",
		instead(204, always, func(x *exchange) *answer {
			return reply(200, object{"data": object{"id": atoi(x.lastID())}})
		}))
}
