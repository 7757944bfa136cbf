package faults

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/spec"
)

// asMine gives the answer to the same request for the user's first object.
var asMine = naming((*exchange).mine)

// unknownIDs update, delete or list objects that do not exist.
func unknownIDs(s *seeds, op *spec.Operation) {
	like := func(pattern string) condition {
		return func(x *exchange) bool { return regexp.MustCompile(pattern).MatchString(x.lastID()) }
	}
	unknown := func(name, clauses, sentence, pattern string, does behaviour) *Server {
		return s.fault("path/"+name, "ERR-1 "+clauses, sentence, instead(404, like(pattern), does))
	}
	switch {
	case op.Deletes():
		unknown("unknown-deleted", "DELETE-3", "the delete of a creative that never was is answered 204", `^[0-9]{6,}$`, noContent)
	case op.Lists():
		unknown("missing-listed", "MEDIA-1 MEDIA-7", "a creative that does not exist has the media files of another", "", asMine)
	default:
		unknown("unknown-is-mine", "ERR-2 EFFECT-1", "an unknown id updates the user's first object", `^.{10}$`, asMine).
			graded(spec.Critical)
	}
}

// readings are ways to read an id that is not a positive number as one that is: as the text to, "" for the id of the
// user's first object.
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

// malformedIDs read an id wrongly, at each place of a path.
func malformedIDs(s *seeds, op *spec.Operation) {
	for i, param := range op.Params {
		for _, way := range readings {
			misread := naming(func(x *exchange) []string {
				mine := x.mine()[i]
				if op.Deletes() {
					mine = itoa(x.lastDisposable())
				}
				ids := slices.Clone(x.ids)
				ids[i] = read(ids[i], way.pattern, cmp.Or(way.to, mine))
				return ids
			})
			s.fault("path/"+way.name+"/*/"+param.Name, "ERR-1 ERR-2 EFFECT-1 DELETE-1 DELETE-4",
				"*, "+param.Name+": "+way.sentence, misread).graded(ofAnother(op))
		}
	}
}

// wrongParents check only some of the ids of a path.
func wrongParents(s *seeds, _ *spec.Operation) {
	// ignored uses the right ids instead of the requested ones.
	ignored := func(name, sentence string, is func(right, asked []string) bool) *Server {
		belongs := func(x *exchange) bool { return x.belongs() != nil && is(x.belongs(), x.ids) }
		return s.fault("path/"+name, "ERR-2 ERR-1 EFFECT-1 EFFECT-2", sentence, instead(404, belongs, naming((*exchange).belongs)))
	}
	rest := func(right, asked []string) bool { return right[1] == asked[1] }
	elsewhere := func(x *exchange) bool { return byOwner(x) && onForeign(x) && x.ids[0] != x.foreign()[0] }
	ignored("only-last-id", "only the last id of the path is looked at", func([]string, []string) bool { return true })
	ignored("first-id-ignored", "the first id of the path is not looked at", rest)
	ignored("second-id-ignored", "the second id of the path is not looked at",
		func(right, asked []string) bool { return right[0] == asked[0] })
	ignored("profile-exists-only", "it is enough that the first id exists",
		func(right, asked []string) bool { return rest(right, asked) && len(asked[0]) < 10 })
	s.fault("path/own-parents-suffice", "ERR-2 AUTH-2 EFFECT-1 EFFECT-2", "under an own profile and rule a host of another user is updated",
		when(elsewhere, permitting(naming((*exchange).foreign)))).graded(spec.Critical)
}

// textPage answers in place of the server.
func textPage(status int, media, body string) behaviour {
	return func(*exchange) *answer {
		return &answer{status: status, header: http.Header{"Content-Type": {media}}, body: []byte(body)}
	}
}

// unrouted answer every request to an operation as if a router did not know it.
func unrouted(s *seeds, _ *spec.Operation) {
	says := func(name string, status int, sentence string) *Server {
		page := textPage(status, "text/html", "<!doctype html><title>%s</title>")
		return s.fault("route/"+name, "AUTH-1 ERR-6 HTTP-3 operation", "every request is "+sentence, page).graded(spec.Major)
	}
	says("unrouted", http.StatusNotFound, "answered 404 with a page for people")
	says("page-instead", http.StatusOK, "answered 200 with a page for people")
	says("login-instead", http.StatusFound, "redirected")
}
