package model

import (
	"cmp"
	"math"
	"mime"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// A requestRow is a sentence about requests as a whole.
type requestRow struct {
	is func(*reading) bool // whether the sentence is about a request
	Departure
	// clause and point return those that depend on the operation; nil where Departure has them.
	clause, point func(*reading) string
}

// departure returns the departure of a request that a row is about.
func (row requestRow) departure(r *reading) Departure {
	d := row.Departure
	if row.clause != nil {
		d.Clause = row.clause(r)
	}
	if row.point != nil {
		d.Point = row.point(r)
	}
	return d
}

// Statuses of refusals, by what is wrong with a request, where the document does not give one.
var (
	ofSyntax = []int{400, 422}                          // it may be refused as bad syntax, too
	ofForms  = []int{301, 302, 307, 308, 400, 404, 405} // of a path that servers may know under another text
	ofPages  = []int{400, 404, 422}                     // of a query
	ofBodies = []int{400, 413, 415, 422}                // of a body where the document has none
)

// requestRows is the document, in its order, and then what it does not show.
var requestRows = []requestRow{
	// Authentication
	{hasNoUser, Departure{Words: "the user cannot be authenticated", Clause: noUser, Statuses: []int{401}}, nil, nil},
	{lacksPermission, Departure{
		Words: "the authenticated user lacks permission to access or change the requested object", Clause: noPermission, Statuses: []int{403},
	}, nil, nil},
	// Errors, 404
	{namesNothing, Departure{Words: "the requested resource does not exist", Clause: "ERR-1", Statuses: []int{404}}, nil, nil},
	{namesDeleted, Departure{Words: "the requested resource was deleted", Statuses: []int{404}}, goneClause, nil},
	{hasNoParent, Departure{Words: "a resource that the requested one depends on does not exist", Clause: "ERR-2", Statuses: []int{404}}, nil, nil},
	{hasOtherParent, Departure{Words: "the requested resource does not belong where the path puts it", Clause: "ERR-2", Statuses: []int{404}}, nil, nil},
	{mixesOwners, Departure{
		Words: "the ids of the path are of two users", Point: "mixed-owners", Clause: "ERR-2", Statuses: []int{403, 404},
	}, nil, nil},
	// Errors, 422; Endpoints 1 to 3, request body: a JSON object
	{hasNoObject, Departure{Words: "the body is not a JSON object", Clause: "ERR-3", Statuses: []int{422}}, nil, nil},

	// Not shown: ids
	{hasMalformedID, Departure{Words: "an id is malformed", Point: "malformed-id", Clause: "ERR-1", Statuses: []int{400, 404, 422}}, nil, nil},
	{hasMalformedIDOfList, Departure{
		Words: "the id of a list is malformed", Point: "malformed-id", Clause: "ERR-1", Statuses: []int{400, 403, 404, 422}, Empty: true,
	}, nil, nil},
	{hasUndecodableID, Departure{Words: "an id has bad percent-encoding", Clause: "ERR-1", Any: true}, nil, nil},
	{hasHugeID, Departure{Words: "an id has more than 31 bits", Point: "malformed-id", Open: true, Statuses: []int{400, 404, 422}}, nil, nil},
	{hasOtherID, Departure{Words: "an id is spelled in another way", Open: true, Statuses: []int{400, 404, 422}, Elsewhere: true}, nil, nil},
	{mayBeAnothers, Departure{Words: "an id may be anyone's, or no one's", Open: true, Statuses: []int{403, 404}}, nil, nil},
	// Not shown: lists and deletes
	{listsNothing, Departure{Words: "the list is of nothing", Clause: "ERR-1", Statuses: []int{403, 404, 422}, Empty: true}, nil, missingPoint},
	{listsDeleted, Departure{Words: "the list is of what was deleted", Open: true, Statuses: []int{403, 404, 422}}, nil, missingPoint},
	{listsNoContainer, Departure{Words: "the list is of no container", Open: true, Statuses: []int{404, 422}}, nil, nonVastPoint},
	{listsEmpty, Departure{Words: "the list is empty", Point: "media-files-of-empty", Open: true, Statuses: []int{404}}, nil, nil},
	{deletesContainer, Departure{Words: "a container is deleted", Point: "delete-container", Open: true, Statuses: []int{422}}, nil, nil},
	{deletesFile, Departure{Words: "a media file is deleted", Point: "delete-media-file", Open: true, Statuses: []int{422}}, nil, nil},
	{deletesUnknown, Departure{Words: "what is deleted may hold media files, or be one", Open: true, Statuses: []int{422}}, nil, nil},
	// Not shown: keys
	{mayBeAnyone, Departure{Words: "the key may be anyone's", Open: true, Statuses: []int{401, 403}}, nil, nil},
	{hasOtherScheme, Departure{Words: "the key has another scheme", Point: "key-scheme", Open: true, Statuses: []int{401}}, nil, nil},
	{repeatsKey, Departure{Words: "the key comes several times", Point: "key-repeated", Open: true, Statuses: []int{400, 401, 403}}, nil, nil},
	// Not shown: bodies
	{hasEmptyBody, Departure{Words: "the body is empty", Point: "empty-body", Open: true, Statuses: []int{400, 411, 415, 422}}, nil, nil},
	{hasEmptyObject, Departure{Words: "the object has no members", Point: "empty-object", Open: true, Statuses: ofSyntax}, nil, nil},
	{hasTrailingText, Departure{Words: "text follows the object", Point: "trailing-text", Open: true, Statuses: ofSyntax}, nil, nil},
	{hasOtherMedia, Departure{
		Words: "the body has another media type, charset or coding", Point: "media-type", Open: true, Any: true, Loose: true,
	}, nil, nil},
	{hasOddBody, Departure{Words: "readers of JSON differ in what the body says", Wild: true, Open: true}, nil, nil},
	{hasLargeBody, Departure{Words: "the body has more than 64 KiB", Point: "body-size", Open: true, Any: true}, nil, nil},
	{hasNeedlessBody, Departure{Words: "a body where the document has none", Point: "needless-body", Open: true, Statuses: ofBodies}, nil, nil},
	// Not shown: paths, queries and headers
	{hasOtherPath, Departure{Words: "the path is spelled in another way", Point: "path-form", Open: true, Statuses: ofForms, Elsewhere: true}, nil, nil},
	{hasOtherMethod, Departure{
		Words: "the path does not have the method", Point: "unknown-methods", Open: true, Statuses: []int{501, 505}, Wild: true,
	}, nil, nil},
	{hasNoAnswerToHead, Departure{Words: "HEAD has no body to judge", Open: true, Wild: true}, nil, nil},
	{asksBeyond, Departure{Words: "the page may not exist", Point: "page-beyond", Open: true, Statuses: ofPages}, nil, nil},
	{hasOtherQuery, Departure{Words: "the document does not know the query", Point: "unknown-parameters", Open: true, Statuses: ofPages}, nil, nil},
	{hasDamagedQuery, Departure{Words: "the query is not well formed", Point: "unknown-parameters", Open: true, Any: true}, nil, nil},
	{wantsOtherMedia, Departure{Words: "another media type than JSON is wanted", Point: "accept", Open: true, Any: true, Wild: true}, nil, nil},
	{hasCondition, Departure{Words: "the request has a condition", Point: "list-validators", Open: true, Statuses: []int{304, 412}}, nil, nil},
	{wantsRange, Departure{Words: "a part of the answer is wanted", Open: true, Statuses: []int{416}, Loose: true}, nil, nil},
	{overridesMethod, Departure{Words: "a header names another method", Open: true, Any: true, Statuses: []int{501}}, nil, nil},
	{hasOrigin, Departure{Words: "the request is from another origin", Open: true, Statuses: []int{400, 403}}, nil, nil},
	{hasOddHeader, Departure{Words: "a header is very long, or not ASCII", Point: "odd-headers", Open: true, Any: true}, nil, nil},
	// Not shown: transfer
	{hasNoLength, Departure{Words: "the body comes in chunks", Point: "transfer", Open: true, Statuses: []int{411}}, nil, nil},
	{isSlow, Departure{Words: "the request comes in halves", Point: "transfer", Open: true, Statuses: []int{408, 417}}, nil, nil},
	{isOld, Departure{Words: "the request is of HTTP/1.0", Point: "transfer", Open: true, Statuses: []int{400, 426, 505}}, nil, nil},
	{isMalformed, Departure{Words: "the request is not well-formed HTTP", Open: true, Statuses: []int{501, 505}, Wild: true}, nil, nil},
}

// Users

func hasNoUser(r *reading) bool        { return r.user == Nobody }
func mayBeAnyone(r *reading) bool      { return r.user == Someone && r.keys == plainKey }
func hasOtherScheme(r *reading) bool   { return r.keys == otherScheme }
func repeatsKey(r *reading) bool       { return r.keys == repeatedKeys }
func isUser(u User) bool               { return u == Owner || u == Stranger }
func (r *reading) isUnpermitted() bool { return hasNoUser(r) || lacksPermission(r) }

// lacksPermission reports whether the path names an object of the other user, and no object of this one.
func lacksPermission(r *reading) bool {
	isOthers := func(id pathID) bool { return isUser(id.owner) && id.owner != r.user }
	return isUser(r.user) && !mixesOwners(r) && slices.ContainsFunc(r.ids, isOthers)
}

// Ids

// last returns the id of the object that the path names, nil if no id names it.
func (r *reading) last() *pathID {
	if len(r.ids) == 0 {
		return nil
	}
	return &r.ids[len(r.ids)-1]
}

// lists reports whether the document does not show how a list of what does not exist is answered.
func (r *reading) lists(point string) bool { return r.op != nil && r.op.Open[point] != "" }

func missingPoint(r *reading) string { return r.op.Open["missing"] }
func nonVastPoint(r *reading) string { return r.op.Open["nonVast"] }
func goneClause(r *reading) string   { return cmp.Or(r.op.Effects["gone"], "ERR-1") }

func (r *reading) lastIs(e Existence) bool { return r.last() != nil && r.last().Existence == e }

func namesNothing(r *reading) bool { return r.lastIs(Absent) && !r.lists("missing") }
func namesDeleted(r *reading) bool { return r.lastIs(Deleted) && !r.lists("missing") }
func listsNothing(r *reading) bool { return r.lastIs(Absent) && r.lists("missing") }
func listsDeleted(r *reading) bool {
	return r.lastIs(Deleted) && r.lists("missing") && !r.isUnpermitted()
}

func hasNoParent(r *reading) bool {
	isNone := func(id pathID) bool { return id.Existence == Absent || id.Existence == Deleted }
	return len(r.ids) > 1 && slices.ContainsFunc(r.ids[:len(r.ids)-1], isNone)
}

// hasOtherParent reports whether an object of the path is of the same user as the one before it, but belongs to another.
func hasOtherParent(r *reading) bool {
	for i := 1; i < len(r.ids); i++ {
		id, above := r.ids[i], r.ids[i-1]
		if id.key == "" || above.key == "" || mixesOwners(r) {
			continue
		}
		if parent := r.named(r.parentKey(i)); parent != "" && !parent.Is(above.ID) {
			return true
		}
	}
	return false
}

func mixesOwners(r *reading) bool {
	owns := func(u User) bool { return slices.ContainsFunc(r.ids, func(id pathID) bool { return id.owner == u }) }
	return owns(Owner) && owns(Stranger)
}

func (r *reading) spells(form idForm) bool {
	return slices.ContainsFunc(r.ids, func(id pathID) bool { return id.spelled == form })
}

func hasMalformedID(r *reading) bool       { return r.spells(malformedID) && !r.lists("missing") }
func hasMalformedIDOfList(r *reading) bool { return r.spells(malformedID) && r.lists("missing") }
func hasHugeID(r *reading) bool            { return r.spells(hugeID) }
func hasOtherID(r *reading) bool           { return r.spells(otherID) }

func hasUndecodableID(r *reading) bool {
	return r.spells(malformedID) && strings.Contains(r.Path, "%")
}

// mayBeAnothers reports whether it is unknown whether an object of the path exists, or whose it is.
func mayBeAnothers(r *reading) bool {
	return slices.ContainsFunc(r.ids, func(id pathID) bool { return id.Existence == Unclear && id.spelled != malformedID })
}

// Lists and deletes

// isContainer reports whether an id is of a container of the target file.
func (id *pathID) isContainer() bool { return isVast(id.key) && !id.isFile() }

// isFile reports whether an id is of a media file of the target file.
func (id *pathID) isFile() bool { return strings.Contains(id.key, ".mediaFiles") }

// isVast reports whether a key of a target file is of a VAST creative.
func isVast(key string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(key, foreignKeys), "[")
	return fixtures.Vast(name)
}

func listsNoContainer(r *reading) bool {
	return r.lists("nonVast") && (r.lastIs(Exists) || r.lastIs(Unclear)) && !r.last().isContainer() && !r.isUnpermitted()
}

func listsEmpty(r *reading) bool {
	return r.op != nil && r.op.Lists() && r.lastIs(Empty) && !r.isUnpermitted()
}

func (r *reading) deletes() bool {
	return r.op != nil && r.op.Deletes() && r.last() != nil && r.op.Representation() == nil
}

func deletesContainer(r *reading) bool { return r.deletes() && r.last().isContainer() }
func deletesFile(r *reading) bool      { return r.deletes() && r.last().isFile() }
func deletesUnknown(r *reading) bool   { return r.deletes() && r.lastIs(Unclear) }

// Bodies

func (r *reading) updates() bool { return r.op != nil && r.op.Body != nil && r.form != otherMethod }

func (r *reading) sends(kind bodyKind) bool { return r.updates() && r.body.is == kind }

func hasNoObject(r *reading) bool {
	return (r.sends(noJSON) || r.sends(otherJSON)) && r.body.media == plainJSON
}
func hasEmptyBody(r *reading) bool    { return r.sends(noBody) }
func hasEmptyObject(r *reading) bool  { return r.sends(object) && len(r.body.fields) == 0 }
func hasTrailingText(r *reading) bool { return r.sends(beforeText) }
func hasOddBody(r *reading) bool      { return r.sends(oddJSON) }
func hasOtherMedia(r *reading) bool   { return r.updates() && r.body.media == otherMedia }
func hasLargeBody(r *reading) bool    { return len(r.Body) > maxBody }

// hasNeedlessBody reports whether an operation without a body gets one, or the header of one.
func hasNeedlessBody(r *reading) bool {
	isTyped := r.Header.Get("Content-Type")+r.Header.Get("Content-Encoding") != ""
	return r.op != nil && r.op.Body == nil && (len(r.Body) > 0 || isTyped)
}

// Paths, queries and headers

func hasOtherPath(r *reading) bool      { return r.form == otherPath }
func hasOtherMethod(r *reading) bool    { return r.form == otherMethod }
func hasNoAnswerToHead(r *reading) bool { return r.Method == http.MethodHead && !r.isUnpermitted() }

// pages returns the values of the parameter that selects a page.
func (r *reading) pages() []string { return r.query[r.pageParameter()] }

func (r *reading) pageParameter() string {
	pinned, is := r.Target.Open[spec.PageParameter]
	if name, _ := pinned.(string); is {
		return name
	}
	return cmp.Or(r.op.Page, "page")
}

func (r *reading) isList() bool { return r.op != nil && r.op.Lists() }

// asksBeyond reports whether a list is asked for by a page other than the first, or by what is no number.
func asksBeyond(r *reading) bool { return r.isList() && len(r.pages()) > 0 }

func hasOtherQuery(r *reading) bool {
	for name := range r.query {
		isKey := name == r.Target.Credentials.Query
		isPage := r.isList() && name == r.pageParameter()
		if !isKey && !isPage {
			return true
		}
	}
	return false
}

func hasDamagedQuery(r *reading) bool {
	_, query, _ := strings.Cut(r.Path, "?")
	values, err := url.ParseQuery(query)
	return err != nil || len(query) > maxValue || !utf8.ValidString(values.Encode())
}

// wantsOtherMedia reports whether no JSON is wanted (RFC 9110, 12.5.1).
func wantsOtherMedia(r *reading) bool {
	wanted := strings.Join(r.Header.Values("Accept"), ",")
	if wanted == "" {
		return false
	}
	for part := range strings.SplitSeq(wanted, ",") {
		kind, parameters, err := mime.ParseMediaType(part)
		isJSON := kind == "*/*" || kind == "application/*" || kind == "application/json"
		if isJSON && err == nil && weight(parameters["q"]) > 0 {
			return false
		}
	}
	return true
}

// weight returns the weight of a media range, 1 if none is given.
func weight(q string) float64 {
	if q == "" {
		return 1
	}
	n, err := strconv.ParseFloat(q, 64)
	if err != nil || math.IsNaN(n) {
		return 0
	}
	return n
}

// hasAny reports whether the request has any of some headers.
func (r *reading) hasAny(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return r.Header[textproto.CanonicalMIMEHeaderKey(name)] != nil })
}

func hasCondition(r *reading) bool {
	return r.hasAny("If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range")
}

func wantsRange(r *reading) bool { return r.hasAny("Range", "Content-Range") }

func overridesMethod(r *reading) bool {
	return r.hasAny("X-Http-Method-Override", "X-Http-Method", "X-Method-Override", "Prefer", "Upgrade")
}

func hasOrigin(r *reading) bool { return r.hasAny("Origin", "Referer", "Sec-Fetch-Site") }

// maxValue is the length of a header or a query that every server takes.
const maxValue = 2 << 10

// visible matches the value of a header that every server takes (RFC 9110, 5.5).
var visible = regexp.MustCompile(`^[\t -~]*$`)

func hasOddHeader(r *reading) bool {
	for _, values := range r.Header {
		isOdd := func(v string) bool { return len(v) > maxValue || !visible.MatchString(v) }
		if slices.ContainsFunc(values, isOdd) {
			return true
		}
	}
	return false
}

// Transfer

func hasNoLength(r *reading) bool { return r.hasAny("Transfer-Encoding") }
func isSlow(r *reading) bool      { return r.Halved || r.hasAny("Expect") }
func isOld(r *reading) bool       { return r.Proto == "HTTP/1.0" }
func isMalformed(r *reading) bool { return r.Malformed }
