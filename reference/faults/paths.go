package faults

import (
	"cmp"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// asMine gives the answer to the same request for the user's first object.
var asMine = naming((*exchange).mine)

// unknownIDs update, delete or list objects that do not exist.
func unknownIDs(op *spec.Operation) []row {
	like := func(pattern string) condition {
		return func(x *exchange) bool { return regexp.MustCompile(pattern).MatchString(x.lastID()) }
	}
	echoed := func(x *exchange) *answer {
		data := x.current(x.mine()...)
		data["id"] = atoi(x.lastID())
		maps.Copy(data, x.fields())
		return reply(200, object{"data": data})
	}
	switch {
	case op.Deletes():
		return []row{fault("path/unknown-deleted", "ERR-1 DELETE-3", "the delete of a creative that never was is answered 204",
			instead(404, like(`^[0-9]{6,}$`), noContent))}
	case op.Lists():
		return []row{fault("path/missing-listed", "ERR-1 MEDIA-1 MEDIA-7", "a creative that does not exist has the media files of another",
			instead(404, always, asMine))}
	}
	return []row{
		fault("path/unknown-is-mine", "ERR-1 ERR-2 EFFECT-1", "an unknown id updates the user's first object",
			instead(404, like(`^.{10}$`), asMine)).
			graded(spec.Critical),
		fault("path/unknown-echoed", "ERR-1 ERR-2", "an unknown id is answered as if the object existed",
			instead(404, like(`^[0-9]{7,18}$`), echoed)),
	}
}

// readings are ways to read an id that is not a positive number as one that is: as the text to, "" for the id of the user's first object.
var readings = []struct{ name, sentence, pattern, to string }{
	{"trailing-letters", "what follows the digits of an id is ignored", `^([0-9]+)[^0-9].*`, "$1"},
	{"32-bit", "ids are cut to 32 bits", "", ""},
	{"zero", "the id 0 is the user's first object", `^0$`, ""},
	{"negative", "a negative id is the user's first object", `^-.*`, ""},
	{"letters", "an id of letters is the user's first object", `^[^0-9]*$`, ""},
	{"too-large", "an id of more than 19 digits, or 2^63, is the user's first object", `^([0-9]{20,}|9223372036854775808)$`, ""},
}

func read(id, pattern, to string) string {
	if pattern != "" {
		return regexp.MustCompile(pattern).ReplaceAllString(id, to)
	}
	if n, err := strconv.ParseInt(id, 10, 64); err == nil {
		return itoa(int(uint32(n)))
	}
	return id
}

func letters(id string) bool  { return !strings.ContainsAny(id, "0123456789") }
func noNumber(id string) bool { return strings.Trim(id, "0123456789") != "" }

// ofAnother returns the severity of an effect on an object that the path does not name.
func ofAnother(op *spec.Operation) spec.Impact {
	if op.Lists() {
		return spec.Major
	}
	return spec.Critical
}

// malformedIDs read an id wrongly, at each place of a path, or fail on it.
func malformedIDs(op *spec.Operation) (rows []row) {
	for i, param := range op.Params {
		for _, way := range readings {
			misread := func(x *exchange) *answer {
				mine := x.mine()[i]
				if op.Deletes() {
					mine = itoa(x.lastDisposable())
				}
				ids := slices.Clone(x.ids)
				ids[i] = read(ids[i], way.pattern, cmp.Or(way.to, mine))
				if ids[i] == x.ids[i] {
					return x.forward()
				}
				return x.send(x.to(ids...))
			}
			rows = append(rows, fault("path/"+way.name+"/*/"+param.Name, "ERR-1 ERR-2 EFFECT-1 DELETE-1 DELETE-4",
				"*, "+param.Name+": "+way.sentence, misread).graded(ofAnother(op)))
		}
		fails := func(name, sentence string, is func(id string) bool) {
			rows = append(rows, fault("path/"+name+"-crash/*/"+param.Name, "HTTP-1 ERR-1", sentence+" makes the server fail",
				crashes(func(x *exchange) bool { return is(x.ids[i]) })))
		}
		fails("letters", "a "+param.Name+" of letters", letters)
		fails("too-large", "a "+param.Name+" beyond 63 bits", func(id string) bool { return len(id) > 18 })
	}
	return rows
}

// hugeIDs fail on the first ids that an integer type cannot hold.
func hugeIDs(*spec.Operation) []row {
	var rows []row
	for _, id := range append(overflowing[1:], "99999999999999999999") {
		rows = append(rows, crash("path/id-"+id, "the id "+id, func(x *exchange) bool { return x.lastID() == id }))
	}
	return rows
}

// wrongParents check only some of the ids of a path.
func wrongParents(*spec.Operation) []row {
	// ignored uses the right ids instead of the requested ones.
	ignored := func(name, sentence string, is func(right, asked []string) bool) row {
		belongs := func(x *exchange) bool { return x.belongs() != nil && is(x.belongs(), x.ids) }
		return fault("path/"+name, "ERR-2 ERR-1 EFFECT-1 EFFECT-2", sentence,
			instead(404, belongs, func(x *exchange) *answer { return x.send(x.to(x.belongs()...)) }))
	}
	rest := func(right, asked []string) bool { return right[1] == asked[1] }
	elsewhere := func(x *exchange) bool { return byOwner(x) && onForeign(x) && x.ids[0] != x.foreign()[0] }
	return []row{
		ignored("only-last-id", "only the last id of the path is looked at", func([]string, []string) bool { return true }),
		ignored("first-id-ignored", "the first id of the path is not looked at", rest),
		ignored("second-id-ignored", "the second id of the path is not looked at",
			func(right, asked []string) bool { return right[0] == asked[0] }),
		ignored("profile-exists-only", "it is enough that the first id exists",
			func(right, asked []string) bool { return rest(right, asked) && len(asked[0]) < 10 }),
		fault("path/own-parents-suffice", "ERR-2 AUTH-2 EFFECT-1 EFFECT-2", "under an own profile and rule a host of another user is updated",
			when(elsewhere, func(x *exchange) *answer {
				return x.send(x.to(x.foreign()...).with(fixtures.DefaultKeyHeader, x.stranger()))
			})).graded(spec.Critical),
	}
}

// textPage answers in place of the server.
func textPage(status int, media, body string) behaviour {
	return func(*exchange) *answer {
		return &answer{status: status, header: http.Header{"Content-Type": {media}}, body: []byte(body)}
	}
}

// unrouted answer every request to an operation as if a router did not know it.
func unrouted(op *spec.Operation) []row {
	says := func(name string, status int, sentence string) row {
		const html = "<!doctype html><title>%s</title>"
		return fault("route/"+name, "AUTH-1 ERR-6 HTTP-3 operation", sentence, textPage(status, "text/html", html)).graded(spec.Major)
	}
	return []row{
		says("unrouted", http.StatusNotFound, "every request is answered 404 with a page for people"),
		says("page-instead", http.StatusOK, "every request is answered 200 with a page for people"),
		says("login-instead", http.StatusFound, "every request is redirected"),
	}
}
