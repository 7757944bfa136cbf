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
	OmittedFields        Omitted

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
	DeleteContainerWithFiles ContainerDelete

	// Lists.
	MediaFilesOfMissing int    // status for a creative that does not exist: 404, 422 or 200 with an empty list
	MediaFilesOfEmpty   int    // status for a VAST creative without media files: 200 with an empty list, or 404
	MediaFilesOfNonVast int    // status for a creative that is no VAST creative: 422, 404 or 200 with an empty list
	PageParameter       string // query parameter that selects the page: "page"; "" for everything on one page
	PageSize            int    // items: 100
	PageBeyond          PageBeyond
	MalformedPage       Policy // Refuse: 422; Ignore: it is page 1
	ListOrder           ListOrder
	NbMediaFilesInList  bool // items have nbMediaFiles

	// Representations.
	SuccessStatus  int    // of updates and lists: 200, 201, 202 or 203
	MediaType      string // of every body: application/json
	DateFormat     DateFormat
	UnsetRegex     Unset // of regularExpression
	NullKeysAbsent bool  // what may be null in a creative is left out instead
	ExtraMembers   bool  // every JSON object has a member that nobody knows

	// Errors.
	RelatedFieldForm   RelatedFieldForm
	RelatedFieldAbsent bool // relatedField is left out, not null, where no field is involved
	EmptyIssues        bool // 401, 403 and 404 have no issues
	OneIssueOnly       bool // only the first wrong field is reported
}

// Policy says what becomes of something that may be let pass or not.
type Policy string

// The policies; each choice allows two of them.
const (
	Accept Policy = "accept"
	Ignore Policy = "ignore" // go on as if it were not there
	Refuse Policy = "refuse" // 422, or 415 for a media type
)

// Omitted says what an update does to fields that it does not give.
type Omitted string

// The effects of omitting a field.
const (
	Keep  Omitted = "keep"
	Reset Omitted = "reset" // to a fixed value: Untitled, example.com, pass, no expression
)

// ContainerDelete says what deleting a creative with media files does.
type ContainerDelete string

// The effects on the media files.
const (
	Cascade         ContainerDelete = "cascade" // they are deleted too
	RefuseContainer ContainerDelete = "refuse"  // 422, nothing is deleted
	Orphan          ContainerDelete = "orphan"  // they stay, with parentId null
)

// PageBeyond says what a page after the last shows.
type PageBeyond string

// The answers to a page after the last.
const (
	EmptyPage    PageBeyond = "empty" // no items; page is the number asked for
	LastPage     PageBeyond = "last"  // the last page; page is its number
	PageNotFound PageBeyond = "404"
)

// ListOrder is the order of items by id.
type ListOrder string

// The orders.
const (
	Ascending  ListOrder = "asc"
	Descending ListOrder = "desc"
)

// Unset says how a field without value is shown.
type Unset string

// The ways to show an unset field.
const (
	NullKey   Unset = "null"
	AbsentKey Unset = "absent"
)

// RelatedFieldForm is how an issue names a field of the request.
type RelatedFieldForm string

// The forms, named by what they make of the field name.
const (
	FieldName    RelatedFieldForm = "name"
	FieldPointer RelatedFieldForm = "/name"     // JSON Pointer (RFC 6901)
	FieldPath    RelatedFieldForm = "data.name" // from the envelope down
)

// DateFormat is how dates are written.
type DateFormat string

// The formats, all of the same moments.
const (
	DateRFC3339 DateFormat = "rfc3339"         // 2024-03-01T09:00:00Z
	DateMillis  DateFormat = "rfc3339-millis"  // 2024-03-01T09:00:00.000Z
	DateOffset  DateFormat = "rfc3339-offset"  // 2024-03-01T11:00:00+02:00
	DateSpace   DateFormat = "space-separated" // 2024-03-01 09:00:00
	DateMinute  DateFormat = "minute"          // 2024-03-01T09:00Z
	DateOnly    DateFormat = "date-only"       // 2024-03-01
	DateRFC1123 DateFormat = "rfc1123"         // Fri, 01 Mar 2024 09:00:00 GMT
)

// DefaultChoices are those of the bundled reference (spec/open.yaml).
func DefaultChoices() Choices {
	return Choices{
		MalformedID: 404,

		WWWAuthenticate: "ApiKey",

		UnsupportedMediaType: Refuse,
		TrailingText:         Refuse,
		EmptyBody:            Refuse,
		EmptyObject:          Accept,
		NullFields:           Refuse,
		UnknownFields:        Ignore,
		ReadOnlyFields:       Ignore,
		OmittedFields:        Keep,

		ScalarCoercion:    Refuse,
		EmptyNames:        Refuse,
		MaxNameLength:     255,
		ControlCharacters: Refuse,
		InvalidHostname:   Refuse,
		InvalidRegex:      Refuse,

		DeleteMediaFile:          Accept,
		DeleteContainerWithFiles: Cascade,

		MediaFilesOfMissing: 404,
		MediaFilesOfEmpty:   200,
		MediaFilesOfNonVast: 422,
		PageParameter:       "page",
		PageSize:            100,
		PageBeyond:          EmptyPage,
		MalformedPage:       Refuse,
		ListOrder:           Ascending,

		SuccessStatus: 200,
		MediaType:     "application/json",
		DateFormat:    DateRFC3339,
		UnsetRegex:    NullKey,

		RelatedFieldForm: FieldName,
	}
}
