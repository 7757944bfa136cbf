package faults

import (
	"bytes"
	"compress/gzip"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/reference"
)

// Conditions on the form of a request, whoever sends it. An encoded byte that stands for no character of ASCII is no
// form of a character.
func isChunked(x *exchange) bool { return header("Transfer-Encoding", "chunked")(x) }
func isLarge(x *exchange) bool   { return len(x.body) > 1<<16 }
func isHTTP10(x *exchange) bool  { return x.proto == "HTTP/1.0" }
func isEncoded(x *exchange) bool { return !strings.EqualFold(x.written, x.path) }

// pathForms are forms of a path, or of the whole target of a request, that routers take for the plain one, which
// plain returns.
var pathForms = []struct {
	name, words string
	of          func(x *exchange) string
	plain       func(string) string
}{
	{"slash", "with a slash behind its path", samePath, swapAll(`/$`, "")},
	{"double-slash", "with a double slash in its path", samePath, swap("//", "/")},
	{"encoded", "with an encoded character in its path", writtenPath, reference.Route},
	{"capital", "with a capital in its path", samePath, strings.ToLower},
	{"dots", "with dots in its path", samePath, swapAll(`/(\.|[^/]+/\.\.)/`, "/")},
	{"suffix", "with .json behind its path", samePath, swapAll(`\.json$`, "")},
	{"matrix", "with a matrix parameter", samePath, swapAll(matrix.String(), "")},
	{"empty-query", "with an empty query", wholeTarget, swapAll(`\?$`, "")},
}

var matrix = regexp.MustCompile(`%3B[^/]*`)

func writtenPath(x *exchange) string { return x.written }
func wholeTarget(x *exchange) string { return x.target }

// without returns the path without forms that pathForms names.
func (x *exchange) without(forms ...string) string {
	looked := *x
	for _, form := range pathForms {
		if slices.Contains(forms, form.name) {
			looked.path = form.plain(looked.path)
		}
	}
	return looked.path
}

// unless lets another behaviour answer where a condition holds.
func (b behaviour) unless(is condition, first behaviour) behaviour {
	return func(x *exchange) *answer {
		if is(x) {
			return first(x)
		}
		return b(x)
	}
}

// pairVariants are strict or generous at two open points that meet in one request.
func pairVariants(s *seeds) {
	add := func(id, sentence, open string, does behaviour, choose func(*reference.Choices)) *Server {
		return s.variant("pair/"+id, sentence, open, does).choosing(choose)
	}
	isJSON := func(x *exchange) bool {
		mediaType, _, err := mime.ParseMediaType(x.header.Get("Content-Type"))
		return err == nil && mediaType == "application/json"
	}
	untidy := []string{"slash", "double-slash", "dots"}
	isUntidy := func(x *exchange) bool {
		return isEncoded(x) || x.without(untidy...) != x.path
	}
	strictTypes := when(all(updating, not(isJSON)), unlessRefused(plainly(415)))
	add("paths-404-types-415",
		"A path with an encoded character is answered 404, and any media type but application/json 415", "media-type",
		strictTypes.unless(isEncoded, refuse(404)), unchanged)
	add("paths-308-names-409",
		"An untidy or encoded path is redirected to the plain one, and a name of another object is answered 409",
		"name-uniqueness", when(isUntidy, func(x *exchange) *answer {
			a := empty(http.StatusPermanentRedirect)(x)
			a.header.Set("Location", x.without(untidy...))
			return a
		}), func(c *reference.Choices) { c.NameTaken = http.StatusConflict })
	add("paths-served-page-last",
		"Any form of a path is served like the plain one, and a page beyond the last is the last",
		"page-beyond",
		before(func(x *exchange) {
			x.path = x.without(append(untidy, "capital", "suffix", "matrix")...)
		}),
		func(c *reference.Choices) { c.PageBeyond = reference.LastPage })
	hasMatrix := func(x *exchange) bool { return matrix.MatchString(x.path) }
	add("matrix-422-ids-400", "A matrix parameter is answered 422, and another malformed id 400", "malformed-id",
		when(all(inContract, hasMatrix), unlessRefused(refuse(422))),
		func(c *reference.Choices) { c.MalformedID = http.StatusBadRequest })
	add("http-1.0-426-chunks-411", "HTTP/1.0 is answered 426, and a body in chunks 411", "",
		when(isChunked, plainly(http.StatusLengthRequired)).unless(isHTTP10,
			func(x *exchange) *answer {
				a := plainly(http.StatusUpgradeRequired)(x)
				a.header.Set("Upgrade", "HTTP/1.1")
				a.header.Set("Connection", "Upgrade")
				return a
			}), unchanged)
	plainLists := instead(200,
		all(of(mediaFileList), not(asks(""))), refuse(422))
	add("queries-422-large-413", "A list with a query is answered 422, and a body above 64 KiB 413",
		"page-parameter page-beyond text-length", plainLists.unless(isLarge, plainly(413)), unchanged).Thin = true
	add("members-422-names-409", "Unknown members are refused, and a name of another object is answered 409",
		"unknown-fields read-only-fields name-uniqueness", (*exchange).forward, func(c *reference.Choices) {
			c.UnknownFields = reference.Refuse
			c.ReadOnlyFields = reference.Refuse
			c.NameTaken = http.StatusConflict
		})
	add("empty-422-null-ignored", "{} is refused, and a field that is null is no value",
		"empty-object null-fields null-optional null-unsets", (*exchange).forward, func(c *reference.Choices) {
			c.EmptyObject = reference.Refuse
			c.NullFields = reference.Ignore
		})
	add("gzip-types-406",
		"Answers are compressed for clients that accept it, and one that accepts no JSON is answered 406",
		"", when(header("Accept-Encoding", "gzip"), answers((*answer).compress)).
			unless(all(inContract, not(acceptsJSON)),
				unlessRefused(plainly(http.StatusNotAcceptable))), unchanged)
	bodiless := all(inContract, not(updating))
	hasType := func(x *exchange) bool { return x.header.Get("Content-Type") != "" }
	add("bodies-400-types-415", "A list or a delete with a body is answered 400, and one with a Content-Type 415", "",
		when(all(bodiless, hasType), unlessRefused(plainly(415))).
			unless(all(bodiless, hasBody), unlessRefused(plainly(400))), unchanged)
	add("types-ignored-trimmed", "A body of any media type is read as JSON, and texts are trimmed",
		"media-type trimming", (*exchange).forward, func(c *reference.Choices) {
			c.UnsupportedMediaType = reference.Ignore
			c.TrimNames = true
		})
}

// plainly refuses a request with its status as text, and without the error section.
func plainly(status int) behaviour {
	return replies(status, object{"detail": http.StatusText(status)})
}

func unchanged(*reference.Choices) {}

// acceptsJSON reports whether a range of the Accept header has JSON, or there is no such header (RFC 9110, 12.5.1).
func acceptsJSON(x *exchange) bool {
	ranges := strings.Split(strings.Join(x.header.Values("Accept"), ","), ",")
	return x.header.Get("Accept") == "" || slices.ContainsFunc(ranges, hasJSON)
}

func hasJSON(mediaRange string) bool {
	mediaType, params, err := mime.ParseMediaType(mediaRange)
	isAny := slices.Contains([]string{"*/*", "application/*"}, mediaType)
	return err != nil || params["q"] != "0" && (isAny || strings.Contains(mediaType, "json"))
}

// compress compresses the body of an answer that has one.
func (a *answer) compress() {
	if a.raw != nil || len(a.body) == 0 {
		return
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(a.body) // into memory
	_ = w.Close()
	a.header.Set("Content-Encoding", "gzip")
	a.body = b.Bytes()
}
