package faults

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/spec"
)

// unknownIDs are objects that do not exist and are updated all the same.
func unknownIDs(*spec.Operation) []row {
	unknown := func(x *exchange) bool { return len(x.lastID()) == 10 }
	return []row{
		fault("unknown-is-mine", "ERR-1 ERR-2 EFFECT-1", "an unknown id updates the user's first object",
			inPlaceOf(404, unknown, asMine)).graded(Critical),
		fault("unknown-echoed", "ERR-1 ERR-2", "an unknown id is answered as if the object existed",
			inPlaceOf(404, always, func(x *exchange, a *answer) *answer {
				id, err := strconv.Atoi(x.lastID())
				if err != nil || id < 1_000_000 {
					return a
				}
				data := x.current(x.mine()...)
				data["id"] = id
				maps.Copy(data, x.fields())
				return a.replaced(200, object{"data": data})
			})),
	}
}

// asMine is the answer to the same request for the user's first object.
func asMine(x *exchange, _ *answer) *answer { return x.send(x.with(x.to(x.mine()...))) }

// unknownDeleted and missingListed are unknown ids of what is no update.
func unknownDeleted(*spec.Operation) []row {
	unknown := func(x *exchange) bool {
		n, _ := strconv.Atoi(x.lastID())
		return n > 100_000
	}
	return []row{fault("unknown-deleted/"+creativeDelete, "ERR-1 DELETE-3", "The delete of a creative that never was is answered 204",
		inPlaceOf(404, unknown, func(*exchange, *answer) *answer { return noContent() }))}
}

func missingListed(*spec.Operation) []row {
	return []row{fault("missing-listed/"+mediaFileList, "ERR-1 MEDIA-1 MEDIA-7",
		"The media files of a creative that does not exist are those of another", inPlaceOf(404, always, asMine))}
}

var digits = regexp.MustCompile(`^\d+`)

// readings are ids that are no numbers and name an object all the same: mine is the
// id of the user's first object.
var readings = []struct {
	name, sentence string
	read           func(id, mine string) string
}{
	{"trailing-letters", "what follows the digits of an id is ignored", func(id, _ string) string {
		if d := digits.FindString(id); d != "" {
			return d
		}
		return id
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
		return err != nil && digits.FindString(id) == id
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
					mine = x.lastDisposable()
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
		id := func(is func(id string) bool) behaviour {
			return crashes(func(x *exchange) bool { return is(x.ids[i]) })
		}
		rows = append(rows,
			fault("letters-crash/*/"+param.Name, "HTTP-1 ERR-1", "a "+param.Name+" of letters makes the server fail", id(letters)),
			fault("too-large-crash/*/"+param.Name, "HTTP-1 ERR-1", "a "+param.Name+" beyond 63 bits makes the server fail",
				id(func(id string) bool { return len(id) > 18 })),
			fault("unknown-crash/*/"+param.Name, "HTTP-1 ERR-1 ERR-2", "an unknown "+param.Name+" makes the server fail",
				id(func(id string) bool { return len(id) == 10 && id[0] != '4' })))
	}
	return rows
}

// hugeIDs fail on ids at which an integer ends, or take one that fits none for another.
func hugeIDs(op *spec.Operation) []row {
	const twentyDigits = "99999999999999999999"
	var rows []row
	for _, id := range append(overflowing[1:], twentyDigits) {
		rows = append(rows, crash("id-"+id, "the id "+id, func(x *exchange) bool { return x.lastID() == id }))
	}
	mine := func(x *exchange) *answer {
		ids := slices.Clone(x.mine())
		if op.Deletes() {
			ids[0] = x.lastDisposable()
		}
		return x.send(x.with(x.to(ids...)))
	}
	return append(rows, fault("id-saturated", "ERR-1 ERR-2 EFFECT-1 DELETE-1 DELETE-4 DELETE-3 EFFECT-3",
		"an id of twenty digits is the user's own",
		when(func(x *exchange) bool { return byOwner(x) && x.lastID() == twentyDigits }, mine)).graded(ofAnother(op)))
}

// wrongParents are paths of which only some ids are looked at.
func wrongParents(*spec.Operation) []row {
	// ignored takes the right ids in place of those at the positions.
	ignored := func(name, sentence string, positions []int, is condition) row {
		return fault(name, "ERR-2 ERR-1 EFFECT-1 EFFECT-2", sentence, answers(func(x *exchange, a *answer) *answer {
			ids := x.belongs(x.op, x.lastID())
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
	unknown := func(i int) condition { return func(x *exchange) bool { return len(x.ids[i]) == 10 } }
	elsewhere := func(x *exchange) bool { return byOwner(x) && onForeign(x) && x.ids[0] != x.foreign()[0] }
	return []row{
		ignored("only-last-id", "only the last id of the path is looked at", []int{0, 1}, always),
		ignored("first-id-ignored", "the first id of the path is not looked at", []int{0}, always),
		ignored("second-id-ignored", "the second id of the path is not looked at", []int{1}, always),
		ignored("profile-exists-only", "it is enough that the first id exists", []int{0}, known(0)),
		ignored("rule-exists-only", "it is enough that the second id exists", []int{1}, known(1)),
		ignored("unknown-first-id", "an unknown first id is ignored", []int{0}, unknown(0)),
		ignored("unknown-second-id", "an unknown second id is ignored", []int{1}, unknown(1)),
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
		says("unrouted-text", http.StatusNotFound, "text/plain", "404 page not found\n", "every request is answered 404 with a line of text"),
		says("method-unrouted", http.StatusMethodNotAllowed, "text/html", page, "every request is answered 405 with a page for people"),
		says("page-instead", http.StatusOK, "text/html", page, "every request is answered 200 with a page for people"),
		says("other-instead", http.StatusOK, "application/json", `{"status": "ok"}`, "every request is answered 200 with something else"),
		says("login-instead", http.StatusFound, "text/html", page, "every request is redirected"),
		says("other-404", http.StatusNotFound, "application/json", `{"message": "no Route matched"}`,
			"every request is answered 404 with a message and no error section"),
	}
}
