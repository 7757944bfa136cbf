package faults

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/spec"
)

// asMine is the answer to the same request for the user's first object.
var asMine = naming((*exchange).mine)

// unknown answers in place of 404, where a condition holds.
func unknown(name, clauses, sentence string, is condition, does behaviour) row {
	return fault(name, clauses, sentence, inPlaceOf(404, is, func(x *exchange, _ *answer) *answer { return does(x) }))
}

// unknownIDs are objects that do not exist and are updated all the same.
func unknownIDs(*spec.Operation) []row {
	tenDigits := func(x *exchange) bool { return len(x.lastID()) == 10 }
	large := func(x *exchange) bool {
		id, err := strconv.Atoi(x.lastID())
		return err == nil && id >= 1_000_000
	}
	return []row{
		unknown("unknown-is-mine", "ERR-1 ERR-2 EFFECT-1", "an unknown id updates the user's first object", tenDigits, asMine).
			graded(Critical),
		unknown("unknown-echoed", "ERR-1 ERR-2", "an unknown id is answered as if the object existed", large, func(x *exchange) *answer {
			data := x.current(x.mine()...)
			data["id"] = atoi(x.lastID())
			maps.Copy(data, x.fields())
			return refusal(200).replaced(200, object{"data": data})
		}),
	}
}

// unknownDeleted and missingListed are unknown ids of what is no update.
func unknownDeleted(*spec.Operation) []row {
	const sentence = "The delete of a creative that never was is answered 204"
	large := func(x *exchange) bool {
		id, _ := strconv.Atoi(x.lastID()) // the largest there is for one that is larger
		return id > 100_000
	}
	return []row{unknown("unknown-deleted/"+creativeDelete, "ERR-1 DELETE-3", sentence, large, noContent)}
}

func missingListed(*spec.Operation) []row {
	return []row{fault("missing-listed/"+mediaFileList, "ERR-1 MEDIA-1 MEDIA-7",
		"The media files of a creative that does not exist are those of another",
		inPlaceOf(404, always, func(x *exchange, _ *answer) *answer { return asMine(x) }))}
}

// readings are ids that are no numbers and name an object all the same: mine is the
// id of the user's first object.
var readings = []struct {
	name, sentence string
	read           func(id, mine string) string
}{
	{"trailing-letters", "what follows the digits of an id is ignored", func(id, _ string) string {
		return cmp.Or(id[:len(id)-len(strings.TrimLeft(id, "0123456789"))], id)
	}},
	{"32-bit", "ids are cut to 32 bits", func(id, _ string) string {
		if n, err := strconv.ParseInt(id, 10, 64); err == nil {
			return itoa(int(uint32(n)))
		}
		return id
	}},
	{"zero", "the id 0 is the user's first object", mineWhere(func(id string) bool { return id == "0" })},
	{"negative", "a negative id is the user's first object", mineWhere(func(id string) bool { return strings.HasPrefix(id, "-") })},
	{"letters", "an id of letters is the user's first object", mineWhere(letters)},
	{"too-large", "an id that fits no number is the user's first object", mineWhere(func(id string) bool {
		_, err := strconv.ParseInt(id, 10, 64)
		return err != nil && strings.Trim(id, "0123456789") == ""
	})},
}

func mineWhere(is func(id string) bool) func(id, mine string) string {
	return func(id, mine string) string {
		if is(id) {
			return mine
		}
		return id
	}
}

func letters(id string) bool { return !strings.ContainsAny(id, "0123456789") }

// ofAnother is the severity of doing something to an object that the path does not name.
func ofAnother(op *spec.Operation) Severity {
	if op.Lists() {
		return Major
	}
	return Critical
}

// malformedIDs are ids of each place of a path that are read wrongly, or not at all.
func malformedIDs(op *spec.Operation) []row {
	rows := []row{fault("page-for-malformed", "ERR-6", "an id that is no number is answered 404 with a page for people",
		when(byOwner, answers(func(x *exchange, a *answer) *answer {
			if !slices.ContainsFunc(x.ids, letters) {
				return a
			}
			return &answer{status: http.StatusNotFound, header: http.Header{"Content-Type": {"text/html"}}, body: []byte("<h1>Not Found</h1>")}
		})))}
	for i, param := range op.Params {
		for _, way := range readings {
			misread := func(x *exchange) *answer {
				mine := x.mine()[i]
				if op.Deletes() {
					mine = itoa(x.lastDisposable())
				}
				ids := slices.Clone(x.ids)
				ids[i] = way.read(ids[i], mine)
				if ids[i] == x.ids[i] {
					return x.forward()
				}
				return x.send(x.with(x.to(ids...)))
			}
			rows = append(rows, fault(way.name+"/*/"+param.Name, "ERR-1 ERR-2 EFFECT-1 DELETE-1 DELETE-4",
				"*, "+param.Name+": "+way.sentence, misread).graded(ofAnother(op)))
		}
		fails := func(name, clauses, sentence string, is func(id string) bool) {
			rows = append(rows, fault(name+"-crash/*/"+param.Name, clauses, sentence+" makes the server fail",
				crashes(func(x *exchange) bool { return is(x.ids[i]) })))
		}
		fails("letters", "HTTP-1 ERR-1", "a "+param.Name+" of letters", letters)
		fails("too-large", "HTTP-1 ERR-1", "a "+param.Name+" beyond 63 bits", func(id string) bool { return len(id) > 18 })
		fails("unknown", "HTTP-1 ERR-1 ERR-2", "an unknown "+param.Name, func(id string) bool { return len(id) == 10 && id[0] != '4' })
	}
	return rows
}

// hugeIDs fail on ids at which an integer ends.
func hugeIDs(*spec.Operation) []row {
	var rows []row
	for _, id := range append(overflowing[1:], "99999999999999999999") {
		rows = append(rows, crash("id-"+id, "the id "+id, func(x *exchange) bool { return x.lastID() == id }))
	}
	return rows
}

// wrongParents are paths of which only some ids are looked at.
func wrongParents(*spec.Operation) []row {
	// ignored takes the right ids in place of those at the positions.
	ignored := func(name, sentence string, positions []int, is condition) row {
		return fault(name, "ERR-2 ERR-1 EFFECT-1 EFFECT-2", sentence, answers(func(x *exchange, a *answer) *answer {
			ids := x.belongs()
			if a.status != 404 || ids == nil || !is(x) {
				return a
			}
			for i := range ids {
				if !slices.Contains(positions, i) && ids[i] != x.ids[i] {
					return a
				}
			}
			return x.send(x.with(x.to(ids...)))
		}))
	}
	known := func(i int) condition { return func(x *exchange) bool { return len(x.ids[i]) < 10 } }
	elsewhere := func(x *exchange) bool { return byOwner(x) && onForeign(x) && x.ids[0] != x.foreign()[0] }
	return []row{
		ignored("only-last-id", "only the last id of the path is looked at", []int{0, 1}, always),
		ignored("first-id-ignored", "the first id of the path is not looked at", []int{0}, always),
		ignored("second-id-ignored", "the second id of the path is not looked at", []int{1}, always),
		ignored("profile-exists-only", "it is enough that the first id exists", []int{0}, known(0)),
		fault("own-parents-suffice", "ERR-2 AUTH-2 EFFECT-1 EFFECT-2", "under an own profile and rule a host of another user is updated",
			when(elsewhere, func(x *exchange) *answer { return x.send(x.with(x.to(x.foreign()...), x.as(x.stranger()))) })).graded(Critical),
	}
}

// unrouted are operations that are not there, as a router or what stands in its place says.
func unrouted(op *spec.Operation) []row {
	says := func(name string, status int, media, body, sentence string) row {
		return fault(name, "AUTH-1 ERR-6 HTTP-3 operation", sentence, rewrites(func(a *answer) {
			*a = answer{status: status, header: http.Header{"Content-Type": {media}}, body: []byte(body)}
		})).graded(Major)
	}
	const page = "<!doctype html><title>%s</title>"
	return []row{
		says("unrouted", http.StatusNotFound, "text/html", page, "every request is answered 404 with a page for people"),
		says("page-instead", http.StatusOK, "text/html", page, "every request is answered 200 with a page for people"),
		says("other-instead", http.StatusOK, "application/json", `{"status": "ok"}`, "every request is answered 200 with something else"),
		says("login-instead", http.StatusFound, "text/html", page, "every request is redirected"),
		says("other-404", http.StatusNotFound, "application/json", `{"message": "no Route matched"}`,
			"every request is answered 404 with a message and no error section"),
	}
}
