package model

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
)

// A section is a part of the document, with what it says about requests of one kind.
type section[S any] struct {
	about func(S) bool
	rows  []row[S]
}

// A row is a sentence: what it is about, and how such a request may be answered.
type row[S any] struct {
	is func(S) bool
	Departure
}

// refused returns the departure of a sentence that refuses a request.
func refused(words, clause string, statuses ...int) Departure {
	return Departure{Words: words, Clause: clause, Statuses: statuses}
}

// open returns the departure of a point that the document does not show. It may be refused with these statuses.
func open(words, point string, statuses ...int) Departure {
	return Departure{Words: words, Point: point, Open: true, Statuses: statuses}
}

// at names the open point of a departure that has to be refused in any case.
func (d Departure) at(point string) Departure {
	d.Point = point
	return d
}

func (d Departure) orAny() Departure {
	d.Any = true
	return d
}

func (d Departure) orEmpty() Departure {
	d.Empty = true
	return d
}

func (d Departure) loose() Departure {
	d.Loose = true
	return d
}

func (d Departure) elsewhere() Departure {
	d.Elsewhere = true
	return d
}

func (d Departure) wild() Departure {
	d.Wild = true
	d.Loose = true
	d.Any = true
	return d
}

// The clauses of Authentication.
const noUser, noPermission = "AUTH-1", "AUTH-2"

// document is the interface document on requests, in its order, and then what it does not show. A clause may be the
// name of an effect of the operation (x-effects), and a point that of an aspect (x-open).
var document = []section[*reading]{
	{anyRequest, []row[*reading]{ // Authentication
		{hasNoUser, refused("the user cannot be authenticated", noUser, 401)},
		{lacksPermission, refused("the user lacks permission to access or change the object", noPermission, 403)},
	}},
	{anyRequest, []row[*reading]{ // Errors, 404
		{hasNoParent, refused("a resource that the requested one depends on does not exist", "ERR-2", 404)},
		{hasOtherParent, refused("the resource does not belong where the path puts it", "ERR-2", 404)},
		{mixesOwners, refused("the ids of the path are of two users", "ERR-2", 403, 404).at("mixed-owners")},
	}},
	{isNoList, []row[*reading]{
		{namesNothing, refused("the requested resource does not exist", "ERR-1", 404)},
		{namesDeleted, refused("the requested resource was deleted", "gone", 404)},
		{hasMalformedID, refused("an id is malformed", "ERR-1", 400, 404, 422).at("malformed-id")},
	}},
	{isPlainUpdate, []row[*reading]{ // Errors, 422; Endpoints 1 to 3, request body
		{hasNoObject, refused("the body is not a JSON object", "ERR-3", 422)},
	}},

	// Not shown: Endpoints 5, error responses; Endpoints 4, effect of deleting a container
	{isListOfIDs, []row[*reading]{
		{namesNothing, refused("the list is of nothing", "ERR-1", 403, 404, 422).at("missing").orEmpty()},
		{hasMalformedID, refused("the id is malformed", "ERR-1", 400, 403, 404, 422).at("malformed-id").orEmpty()},
	}},
	{isListOfUser, []row[*reading]{
		{namesDeleted, open("the list is of what was deleted", "missing", 403, 404, 422)},
		{namesNoContainer, open("the list is of no container", "nonVast", 404, 422)},
		{namesEmpty, open("the list is empty", "media-files-of-empty", 404)},
	}},
	{deletesCreative, []row[*reading]{
		{namesContainer, open("a container is deleted", "delete-container", 422)},
		{namesFile, open("a media file is deleted", "delete-media-file", 422)},
		{namesUnclear, open("what is deleted may hold media files, or be one", "", 422)},
	}},
	// Not shown: ids and keys
	{anyRequest, []row[*reading]{
		{hasUndecodableID, refused("an id has bad percent-encoding", "ERR-1").orAny().orEmpty()},
		{hasHugeID, open("an id has more than 31 bits", "malformed-id", 400, 404, 422)},
		{hasOtherID, open("an id is spelled in another way", "path-form", 400, 404, 422).elsewhere()},
		{mayBeAnothers, open("an id may be of anyone, or of nothing", "", 403, 404)},
		{mayBeDeleted, open("what the path names may be deleted", "", 404)},
		{mayBeAnyone, open("the key may be of anyone, or of no form", "", 400, 401, 403)},
		{hasOtherScheme, open("the key has another scheme, or none", "key-scheme", 401)},
		{repeatsKey, open("the key comes several times", "key-repeated", 400, 401, 403)},
		{hasOtherCredential, open("a credential stands in another place, too", "key-elsewhere", 400, 401)},
	}},
	// Not shown: bodies
	{isUpdate, []row[*reading]{
		{hasNoBody, open("the body is empty", "empty-body", 400, 411, 415, 422)},
		{hasNoMember, open("the object has no members", "empty-object", ofSyntax...)},
		{hasTrailingText, open("text follows the object", "trailing-text", ofSyntax...)},
		{hasExtension, open("the body is nearly JSON", "json-extensions", ofSyntax...).loose()},
		{hasOtherMedia, open("the body has another media type, charset or coding", "media-type").orAny().loose()},
		{hasOddBody, open("readers of JSON differ in what the body says", "").wild()},
	}},
	{isBodiless, []row[*reading]{
		{hasNeedlessBody, open("a body where the document has none", "needless-body", 400, 413, 415, 422)},
	}},
	// Not shown: queries and lists by page
	{isList, []row[*reading]{
		{hasPage, open("the page may not exist, nor the parameter", "page-beyond", ofQueries...)},
	}},
	{hasQuery, []row[*reading]{
		{hasOtherQuery, open("the document does not know the query", "unknown-parameters", ofQueries...)},
		{hasDamagedQuery, open("the query is not well formed", "unknown-parameters").orAny()},
	}},
	// Not shown: other forms of HTTP
	{anyRequest, []row[*reading]{
		{hasOtherPath, open("the path is spelled in another way", "path-form", ofPaths...).elsewhere()},
		{isHead, open("HEAD has no body to judge", "unknown-methods").wild()},
		{wantsNoJSON, open("another media type than JSON is wanted", "accept").wild()},
		{hasCondition, open("the request has a condition", "list-validators", 304, 412)},
		{wantsRange, open("a part of the answer is wanted", "", 416).loose()},
		{overridesMethod, open("a header names another method", "", 501).orAny()},
		{hasOrigin, open("the request names another origin or address", "", 400, 403)},
		{namesOtherPath, open("a header names another address", "path-form", ofPaths...).elsewhere()},
		{hasOddHeader, open("a header is very long, or not ASCII", "odd-headers").orAny()},
		{hasLargeBody, open("the body has more than 64 KiB", "body-size").orAny()},
		{hasNoLength, open("the body comes in chunks", "transfer", 411)},
		{isSlow, open("the request comes in halves", "transfer", 408, 417)},
		{isOld, open("the request is of HTTP/1.0", "transfer", 400, 426, 505)},
		{isMalformed, open("the request is not well-formed HTTP", "", 501, 505).wild()},
	}},
}

// unknownOperation is the departure of a request that no operation has.
var unknownOperation = open("no operation has the path and the method", "unknown-methods", 501, 505).wild()

// Statuses of refusals where the document gives none.
var (
	ofSyntax  = []int{400, 422}
	ofQueries = []int{400, 404, 422}
	ofPaths   = []int{301, 302, 307, 308, 400, 404, 405} // servers redirect, or know the path under one text only
)

// departures returns the departures of a request that the document is about.
func (r *reading) departures() (all []Departure) {
	if r.op == nil {
		return []Departure{unknownOperation}
	}
	for _, section := range document {
		if !section.about(r) {
			continue
		}
		for _, row := range section.rows {
			if row.is(r) {
				all = append(all, r.resolved(row.Departure))
			}
		}
	}
	return append(all, r.fieldDepartures()...)
}

// resolved returns a departure with the clause of an effect and the point of an aspect in place of their names.
func (r *reading) resolved(d Departure) Departure {
	if d.Clause == "gone" && r.op.Effects["gone"] == "" { // of an operation that does not delete
		d.Clause = "ERR-1"
	}
	d.Clause = cmp.Or(r.op.Effects[d.Clause], d.Clause)
	d.Point = cmp.Or(r.op.Open[d.Point], d.Point)
	return d
}

// Kinds of requests of an operation.

func anyRequest(*reading) bool      { return true }
func isUpdate(r *reading) bool      { return r.op.Body != nil }
func isBodiless(r *reading) bool    { return r.op.Body == nil }
func isPlainUpdate(r *reading) bool { return isUpdate(r) && r.body.media == plainJSON }
func isList(r *reading) bool        { return r.op.Lists() }
func isListOfIDs(r *reading) bool   { return isList(r) && r.op.Open["missing"] != "" }
func isNoList(r *reading) bool      { return !isListOfIDs(r) }

// isListOfUser reports whether a user asks for a list who may see it.
func isListOfUser(r *reading) bool {
	mayNotSee := hasNoUser(r) || lacksPermission(r)
	return isListOfIDs(r) && !mayNotSee
}

func deletesCreative(r *reading) bool {
	return r.op.Deletes() && r.last().kind == creative
}
func hasQuery(r *reading) bool { return strings.Contains(r.Path, "?") }

// creative is the kind of objects that may hold others.
var creative = fixtures.KindOf("vastCreative")

// Users

func hasNoUser(r *reading) bool      { return r.user == Nobody }
func mayBeAnyone(r *reading) bool    { return r.user == Someone && r.keys == plainKey }
func hasOtherScheme(r *reading) bool { return r.keys == otherScheme }
func repeatsKey(r *reading) bool     { return r.keys == repeatedKeys }

// lacksPermission reports whether a user names objects of the other user only.
func lacksPermission(r *reading) bool {
	others := map[User]User{Owner: Stranger, Stranger: Owner}[r.user]
	if others == "" || mixesOwners(r) {
		return false
	}
	return r.owns(others)
}

func mixesOwners(r *reading) bool { return r.owns(Owner) && r.owns(Stranger) }

// owns reports whether the path names an object of a user.
func (r *reading) owns(u User) bool {
	return slices.ContainsFunc(r.ids, func(id pathID) bool { return id.owner == u })
}

// Ids

func namesNothing(r *reading) bool     { return r.last().Existence == Absent }
func namesDeleted(r *reading) bool     { return r.last().Existence == Deleted }
func namesEmpty(r *reading) bool       { return r.last().Existence == Empty }
func namesUnclear(r *reading) bool     { return r.last().Existence == Unclear }
func namesFile(r *reading) bool        { return r.last().holds == aFile }
func namesContainer(r *reading) bool   { return r.last().holds == files }
func hasMalformedID(r *reading) bool   { return r.spells(malformedID) }
func hasHugeID(r *reading) bool        { return r.spells(hugeID) }
func hasOtherID(r *reading) bool       { return r.spells(otherID) }
func hasUndecodableID(r *reading) bool { return r.spells(undecodableID) }

// namesNoContainer reports whether the object of the path exists, or may, and is not a container as far as it is known.
func namesNoContainer(r *reading) bool {
	switch {
	case namesContainer(r), hasMalformedID(r):
		return false
	}
	return r.last().Existence <= Exists
}

func (r *reading) spells(form idForm) bool {
	return slices.ContainsFunc(r.ids, func(id pathID) bool { return id.spelled == form })
}

func hasNoParent(r *reading) bool {
	parents := r.ids[:max(0, len(r.ids)-1)]
	return slices.ContainsFunc(parents, func(id pathID) bool { return id.Existence >= Absent })
}

// hasOtherParent reports whether an object of the path belongs to another than the one before it.
func hasOtherParent(r *reading) bool {
	for i := 1; i < len(r.ids) && !mixesOwners(r); i++ {
		if parent := r.parentOf(i); parent != "" && !parent.Is(r.ids[i-1].ID) {
			return true
		}
	}
	return false
}

// mayBeAnothers reports whether it is unknown whether an object of the path exists, and whose it is.
func mayBeAnothers(r *reading) bool { return slices.Contains(r.unclear(), "") }

func mayBeDeleted(r *reading) bool { return len(strings.Join(r.unclear(), "")) > 0 }

// unclear returns the keys under which the target file names the objects of the path that may exist or not.
func (r *reading) unclear() (keys []string) {
	for _, id := range r.ids {
		if id.ID != "" && id.Existence == Unclear {
			keys = append(keys, id.key)
		}
	}
	return keys
}

// Bodies

func hasNoObject(r *reading) bool     { return r.body.is == noJSON || r.body.is == otherJSON }
func hasNoBody(r *reading) bool       { return r.body.is == noBody }
func hasNoMember(r *reading) bool     { return r.body.is == object && len(r.body.fields) == 0 }
func hasTrailingText(r *reading) bool { return r.body.is == beforeText }
func hasExtension(r *reading) bool    { return r.body.is == nearlyJSON }
func hasOddBody(r *reading) bool      { return r.body.is == oddJSON }
func hasOtherMedia(r *reading) bool   { return r.body.media == otherMedia }
func hasLargeBody(r *reading) bool    { return len(r.Body) > maxBody }

// hasNeedlessBody reports whether a request has a body, or a header about one.
func hasNeedlessBody(r *reading) bool {
	return len(r.Body) > 0 || r.hasAny("Content-Type", "Content-Encoding")
}

// Queries, paths and methods

func hasPage(r *reading) bool      { return r.query.Has(r.pageParameter(r.op)) }
func hasOtherPath(r *reading) bool { return r.form == otherPath }
func isHead(r *reading) bool       { return r.Method == http.MethodHead }

func hasOtherQuery(r *reading) bool {
	known := []string{r.Target.Credentials.Query}
	if isList(r) {
		known = append(known, r.pageParameter(r.op))
	}
	for name := range r.query {
		if name == "" || !slices.Contains(known, name) {
			return true
		}
	}
	return false
}

// Headers

// hasAny reports whether the request has any of some headers.
func (r *reading) hasAny(names ...string) bool {
	for _, name := range names {
		if r.Header[http.CanonicalHeaderKey(name)] != nil {
			return true
		}
	}
	return false
}

func hasCondition(r *reading) bool {
	return r.hasAny("If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range")
}

func wantsRange(r *reading) bool { return r.hasAny("Range", "Content-Range") }

func overridesMethod(r *reading) bool {
	return r.hasAny("X-Http-Method-Override", "X-Http-Method", "X-Method-Override", "Prefer", "Upgrade")
}

func namesOtherPath(r *reading) bool {
	return r.hasAny("X-Original-Url", "X-Rewrite-Url", "X-Forwarded-Prefix", "X-Forwarded-Host", "X-Forwarded-Proto",
		"X-Forwarded-Port", "Forwarded")
}

func hasOrigin(r *reading) bool {
	return r.hasAny("Origin", "Referer", "Sec-Fetch-Site",
		"X-Forwarded-For", "X-Real-Ip", "X-Client-Ip", "True-Client-Ip", "Via")
}

// hasOtherCredential reports whether a header for other credentials is beside the one of the target's keys.
func hasOtherCredential(r *reading) bool {
	own := http.CanonicalHeaderKey(r.Target.Credentials.Form().Header)
	return r.hasAny(drop([]string{"Authorization", "Cookie"}, own)...)
}

// Transfer

func hasNoLength(r *reading) bool { return r.hasAny("Transfer-Encoding") }
func isSlow(r *reading) bool      { return r.Halved || r.hasAny("Expect") }
func isOld(r *reading) bool       { return r.Proto == "HTTP/1.0" }
func isMalformed(r *reading) bool { return r.Malformed }
