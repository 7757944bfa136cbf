package reference

import (
	"time"

	"github.com/adconform/adconform/fixtures"
)

// Choices settles what the contract leaves open. Every combination of allowed
// values conforms; DefaultChoices is what spec/open.yaml says of the bundled
// reference. In the comments the default comes first.
type Choices struct {
	// Identifying the user.
	WWWAuthenticate string // value of the header WWW-Authenticate of a 401; "" for no such header
	KeyHeader       string // header that carries the key: X-API-Key; or a line of one: Authorization: Bearer {key}
	KeyQuery        string // parameter of the query that carries it in place of a header
	AnyScheme       bool   // in the line of a header, the key may have another scheme, or none
	KeyUses         int    // requests for which a key is good before its user has another, see Server.Token; 0: any
	Tenant          string // header line that every request must have, or a gateway answers 400; "" for none
	KeyInQuery      bool   // ?api_key= identifies the user too
	KeyAsBearer     bool   // Authorization: Bearer identifies the user too

	// Paths.
	MalformedID  int  // status for an id that is no positive 63-bit integer: 404, 400 or 422
	ReadCampaign bool // GET of a campaign's path shows the campaign
	ReadAll      bool // GET of a campaign's, profile's or host's path shows the object

	// Request bodies as a whole.
	UnsupportedMediaType Policy // Refuse: 415; Ignore: read it as JSON
	CheckBodyFirst       bool   // a wrong body is refused before missing and forbidden objects are
	TrailingText         Policy // Refuse or Ignore text after the object
	EmptyBody            Policy // Refuse; Accept: it is {}
	EmptyObject          Policy // Accept unless fields are required, Refuse, or Ignore required fields
	Required             string // regexp of the fields that an update must give, such as campaign.name; "" for none
	NullFields           Policy // Refuse, but null unsets regularExpression; Ignore: null is no value
	UnknownFields        Policy // Ignore or Refuse
	ReadOnlyFields       Policy // Ignore or Refuse; fields that are shown but cannot be changed
	OmittedFields        Policy // Keep; Reset to a fixed value: Untitled, example.com, pass, no expression

	// Values.
	ScalarCoercion     Policy // Refuse; Accept, or only Numbers or Booleans, for a free text: the text that was sent
	ListedSpelling     Policy // Refuse; Accept a listed value in other letters, or with white space around it
	EmptyNames         Policy // Refuse or Accept; names and hostnames without a visible character
	TrimNames          bool   // names and hostnames are stored without white space around them
	NormalizeNames     bool   // names are stored in Unicode normalization form C
	MaxNameLength      int    // of names and hostnames, in code points: 255
	NameTaken          int    // status for the name of another profile or campaign of the user's: 422, 409; 0: none
	ControlCharacters  Policy // Refuse or Accept, in every text
	NamePattern        string // regexp that names must match
	HostnamePattern    string // regexp that hostnames must match
	RegexPattern       string // regexp that a regularExpression must match
	InvalidHostname    Policy // Refuse or Accept a text that is not a DNS name (RFC 1123, 2.1)
	LowercaseHostnames bool   // hostnames are stored in lower case
	InvalidRegex       Policy // Refuse or Accept expressions that Go's regexp cannot compile
	EmptyRegexUnsets   bool   // "" unsets regularExpression

	// Deleting creatives.
	DeleteMediaFile          Policy // Accept; Refuse: 422
	DeleteContainerWithFiles Policy // Cascade: its files go too; Refuse: 422; Orphan: they stay, with parentId null

	// Lists.
	MediaFilesOfMissing int    // status for a creative that does not exist: 404, 403, 422 or 200 with an empty list
	MediaFilesOfEmpty   int    // status for a VAST creative without media files: 200 with an empty list, or 404
	MediaFilesOfNonVast int    // status for a creative that is no VAST creative: 422, 404 or 200 with an empty list
	PageParameter       string // query parameter that selects the page: "page"; "" for everything on one page
	PageSize            int    // items: 100
	PageBeyond          Policy // after the last: EmptyPage, PageZero, LastPage, Renumbered or PageNotFound
	MalformedPage       int    // status for a page that is no positive integer: 422 or 400; 0: it is page 1
	EmptyListPages      int    // totalPages of an empty list: 1
	ListOrder           Policy // Ascending or Descending, by id
	NbMediaFilesInList  bool   // items have nbMediaFiles

	// Representations.
	SuccessStatus  int    // of updates and lists: 200, 201, 202 or 203
	MediaType      string // of every body: application/json
	DateFormat     string // layout of package time: RFC 3339
	DateZone       int    // seconds east of Greenwich
	Clock          int    // seconds that the server's clock is fast, by which answers are dated too
	SameDated      bool   // an update that changes nothing sets updatedAt
	EmptyDated     bool   // an update without fields has a date
	UnsetRegex     Policy // a regularExpression without value is shown as Null, or is Absent
	NullKeysAbsent bool   // nullable fields of a creative are left out instead of null
	ExtraMembers   bool   // every JSON object has an extra member

	// Errors.
	RelatedFieldForm   string // how an issue names a field: name, /name (JSON Pointer) or data.name
	RelatedFieldAbsent bool   // relatedField is left out, not null, if no field is involved
	EmptyIssues        bool   // 401, 403 and 404 have no issues
	OneIssueOnly       bool   // only the first wrong field is reported
}

// Policy is a way to handle an open point. Each choice allows some policies.
type Policy string

// The policies.
const (
	Accept       Policy = "accept"
	Ignore       Policy = "ignore" // go on as if it were not there
	Refuse       Policy = "refuse" // 422, or 415 for a media type
	Keep         Policy = "keep"
	Reset        Policy = "reset"
	Cascade      Policy = "cascade"
	Orphan       Policy = "orphan"
	Numbers      Policy = "numbers"
	Booleans     Policy = "booleans"
	EmptyPage    Policy = "empty"
	PageZero     Policy = "0" // an empty page with the number 0
	LastPage     Policy = "last"
	Renumbered   Policy = "renumbered" // the last page, with the number that was asked for
	PageNotFound Policy = "404"
	Ascending    Policy = "asc"
	Descending   Policy = "desc"
	Null         Policy = "null"
	Absent       Policy = "absent"
)

// DefaultChoices returns the choices of the bundled reference (spec/open.yaml).
func DefaultChoices() Choices {
	return Choices{
		MalformedID:     404,
		WWWAuthenticate: "ApiKey", KeyHeader: fixtures.DefaultKeyHeader,

		UnsupportedMediaType: Refuse, TrailingText: Refuse, EmptyBody: Refuse, EmptyObject: Accept,
		NullFields: Refuse, UnknownFields: Ignore, ReadOnlyFields: Ignore, OmittedFields: Keep,

		ScalarCoercion: Refuse, ListedSpelling: Refuse, EmptyNames: Refuse, MaxNameLength: 255,
		ControlCharacters: Refuse,
		InvalidHostname:   Refuse, InvalidRegex: Refuse,

		DeleteMediaFile: Accept, DeleteContainerWithFiles: Cascade,

		MediaFilesOfMissing: 404, MediaFilesOfEmpty: 200, MediaFilesOfNonVast: 422,
		PageParameter: "page", PageSize: 100, PageBeyond: EmptyPage, MalformedPage: 422, EmptyListPages: 1,
		ListOrder: Ascending,

		SuccessStatus: 200, MediaType: "application/json", DateFormat: time.RFC3339, UnsetRegex: Null,
		RelatedFieldForm: "name",
	}
}
