package reference

// Choices settles what the contract leaves open. Every combination of allowed
// values conforms; DefaultChoices is what spec/open.yaml says of the bundled
// reference. In the comments the default comes first.
type Choices struct {
	// Identifying the user.
	WWWAuthenticate string // value of the header WWW-Authenticate of a 401; "" for no such header
	KeyInQuery      bool   // ?api_key= identifies the user too
	KeyAsBearer     bool   // Authorization: Bearer identifies the user too

	// Paths.
	MalformedID  int  // status for an id that is no positive 63-bit integer: 404, 400 or 422
	ReadCampaign bool // GET of a campaign's path shows the campaign
	ReadAll      bool // GET of a campaign's, profile's or host's path shows the object

	// Request bodies as a whole.
	UnsupportedMediaType Policy // Refuse: 415; Ignore: read it as JSON
	CheckBodyFirst       bool   // a wrong body is refused before missing and forbidden objects are
	TrailingText         Policy // Refuse; Ignore what follows the object
	EmptyBody            Policy // Refuse; Accept: it is {}
	EmptyObject          Policy // Accept or Refuse
	RequireAllFields     bool   // an update has to give every field
	RequireName          bool   // an update has to give the name or hostname
	NullFields           Policy // Refuse, but null unsets regularExpression; Ignore: null is no value
	UnknownFields        Policy // Ignore or Refuse
	ReadOnlyFields       Policy // Ignore or Refuse; fields that are shown but cannot be changed
	OmittedFields        Policy // Keep; Reset to a fixed value: Untitled, example.com, pass, no expression

	// Values.
	ScalarCoercion     Policy // Refuse; Accept: a number or boolean for a free text is the text that was sent
	EmptyNames         Policy // Refuse or Accept; names and hostnames without a visible character
	TrimNames          bool   // names and hostnames are stored without white space around them
	NormalizeNames     bool   // names are stored in Unicode normalization form C
	MaxNameLength      int    // of names and hostnames, in code points: 255
	UniqueNames        bool   // no two profiles and no two campaigns of one user have the same name
	ControlCharacters  Policy // Refuse or Accept, in every text
	PlainNamesOnly     bool   // names are ASCII letters, digits, space, - _ and .
	InvalidHostname    Policy // Refuse or Accept what is no DNS name (RFC 1123, 2.1)
	LowercaseHostnames bool   // hostnames are stored in lower case
	InvalidRegex       Policy // Refuse or Accept what Go's regexp cannot compile
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
	PageBeyond          Policy // a page after the last is an EmptyPage with its number, the LastPage, or PageNotFound
	MalformedPage       Policy // Refuse: 422; Ignore: it is page 1
	ListOrder           Policy // Ascending or Descending, by id
	NbMediaFilesInList  bool   // items have nbMediaFiles

	// Representations.
	SuccessStatus  int    // of updates and lists: 200, 201, 202 or 203
	MediaType      string // of every body: application/json
	DateFormat     Policy // a key of dateLayouts
	UnsetRegex     Policy // a regularExpression without value is shown as Null, or is Absent
	NullKeysAbsent bool   // what may be null in a creative is left out instead
	ExtraMembers   bool   // every JSON object has a member that nobody knows

	// Errors.
	RelatedFieldForm   string // how an issue names a field: name, /name (JSON Pointer) or data.name
	RelatedFieldAbsent bool   // relatedField is left out, not null, where no field is involved
	EmptyIssues        bool   // 401, 403 and 404 have no issues
	OneIssueOnly       bool   // only the first wrong field is reported
}

// Policy is one way to go at an open point; each choice allows some.
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
	EmptyPage    Policy = "empty"
	LastPage     Policy = "last"
	PageNotFound Policy = "404"
	Ascending    Policy = "asc"
	Descending   Policy = "desc"
	Null         Policy = "null"
	Absent       Policy = "absent"
	DateMillis   Policy = "rfc3339-millis"
	DateOffset   Policy = "rfc3339-offset" // two hours east of UTC
)

// dateLayouts are how dates may be written, all of the same moments.
var dateLayouts = map[Policy]string{
	"rfc3339":         "2006-01-02T15:04:05Z07:00",
	DateMillis:        "2006-01-02T15:04:05.000Z07:00",
	DateOffset:        "2006-01-02T15:04:05Z07:00",
	"space-separated": "2006-01-02 15:04:05",
	"minute":          "2006-01-02T15:04Z07:00",
	"date-only":       "2006-01-02",
	"rfc1123":         "Mon, 02 Jan 2006 15:04:05 GMT",
}

// DefaultChoices are those of the bundled reference (spec/open.yaml).
func DefaultChoices() Choices {
	return Choices{
		MalformedID:     404,
		WWWAuthenticate: "ApiKey",

		UnsupportedMediaType: Refuse, TrailingText: Refuse, EmptyBody: Refuse, EmptyObject: Accept,
		NullFields: Refuse, UnknownFields: Ignore, ReadOnlyFields: Ignore, OmittedFields: Keep,

		ScalarCoercion: Refuse, EmptyNames: Refuse, MaxNameLength: 255, ControlCharacters: Refuse,
		InvalidHostname: Refuse, InvalidRegex: Refuse,

		DeleteMediaFile: Accept, DeleteContainerWithFiles: Cascade,

		MediaFilesOfMissing: 404, MediaFilesOfEmpty: 200, MediaFilesOfNonVast: 422,
		PageParameter: "page", PageSize: 100, PageBeyond: EmptyPage, MalformedPage: Refuse, ListOrder: Ascending,

		SuccessStatus: 200, MediaType: "application/json", DateFormat: "rfc3339", UnsetRegex: Null,
		RelatedFieldForm: "name",
	}
}
