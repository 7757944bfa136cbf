package faults

import (
	"strings"
	"unicode"

	"github.com/adconform/adconform/reference"
)

// requestVariants take requests otherwise than the reference does.
func requestVariants() []Variant {
	return []Variant{
		choice("auth/www-authenticate", "A 401 has a challenge", "www-authenticate", func(c *reference.Choices) { c.WWWAuthenticate = `ApiKey realm="ads"` }),
		choice("auth/key-in-query", "A key in the query is taken too", "key-elsewhere", func(c *reference.Choices) { c.KeyInQuery = true }),
		choice("auth/key-as-bearer", "A bearer token is taken too", "key-elsewhere", func(c *reference.Choices) { c.KeyAsBearer = true }),
		choice("path/malformed-id-400", "A malformed id is answered 400", "malformed-id", func(c *reference.Choices) { c.MalformedID = 400 }),
		choice("path/malformed-id-422", "A malformed id is answered 422", "malformed-id", func(c *reference.Choices) { c.MalformedID = 422 }),
		choice("path/read-campaign", "Campaigns can be read with GET", "read-campaign", func(c *reference.Choices) { c.ReadCampaign = true }),
		choice("path/read-all", "Every object can be read with GET", "read-campaign", func(c *reference.Choices) { c.ReadAll = true }),
		choice("body/any-media-type", "A body of any media type is read as JSON", "media-type", func(c *reference.Choices) { c.UnsupportedMediaType = reference.Ignore }),
		choice("body/checked-first", "A wrong body is refused before a missing or forbidden object", "error-precedence", func(c *reference.Choices) { c.CheckBodyFirst = true }),
		choice("body/empty-accepted", "A request without a body is taken for {}", "empty-body", func(c *reference.Choices) { c.EmptyBody = reference.Accept }),
		choice("body/empty-object-refused", "{} is refused", "empty-object", func(c *reference.Choices) { c.EmptyObject = reference.Refuse }),
		choice("body/all-fields-required", "An update has to give every field", "required-fields empty-object", func(c *reference.Choices) { c.RequireAllFields = true }),
		choice("body/name-required", "An update has to give the name or hostname", "required-fields empty-object", func(c *reference.Choices) { c.RequireName = true }),
		choice("body/null-ignored", "null is no value", "null-fields", func(c *reference.Choices) { c.NullFields = reference.Ignore }),
		choice("body/unknown-refused", "Unknown fields are refused", "unknown-fields", func(c *reference.Choices) { c.UnknownFields = reference.Refuse }),
		choice("body/read-only-refused", "Fields that cannot be changed are refused", "read-only-fields", func(c *reference.Choices) { c.ReadOnlyFields = reference.Refuse }),
		choice("body/omitted-reset", "Omitted fields get a fixed default", "omitted-fields", func(c *reference.Choices) { c.OmittedFields = reference.Reset }),
	}
}

// valueVariants take, refuse or store texts otherwise than the reference does.
func valueVariants() []Variant {
	ascii := func(s string) bool {
		return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII || r < ' ' })
	}
	return []Variant{
		choice("value/empty-accepted", "Empty names are taken", "blank-text", func(c *reference.Choices) { c.EmptyNames = reference.Accept }),
		choice("value/trimmed", "Names are trimmed", "trimming", func(c *reference.Choices) { c.TrimNames = true }),
		choice("value/normalised", "Names are normalised", "trimming", func(c *reference.Choices) { c.NormalizeNames = true }),
		choice("value/length-30", "Names have at most 30 characters", "text-length", func(c *reference.Choices) { c.MaxNameLength = 30 }),
		choice("value/length-60", "Names have at most 60 characters", "text-length", func(c *reference.Choices) { c.MaxNameLength = 60 }),
		choice("value/length-open", "Names may have 100,000 characters", "text-length", func(c *reference.Choices) { c.MaxNameLength = 100_000 }),
		choice("value/unique-names", "Names are unique", "name-uniqueness", func(c *reference.Choices) { c.UniqueNames = true }),
		choice("value/control-accepted", "Control characters are taken", "text-characters", func(c *reference.Choices) { c.ControlCharacters = reference.Accept }),
		choice("value/plain-names", "Names are plain ASCII", "text-characters", func(c *reference.Choices) { c.PlainNamesOnly = true }),
		choice("value/any-hostname", "Any hostname is taken", "hostname-syntax", func(c *reference.Choices) { c.InvalidHostname = reference.Accept }),
		choice("value/lower-hostnames", "Hostnames are stored in lower case", "", func(c *reference.Choices) { c.LowercaseHostnames = true }),
		choice("value/any-regex", "Any expression is taken", "regex-syntax", func(c *reference.Choices) { c.InvalidRegex = reference.Accept }),
		choice("value/empty-regex-unsets", "An empty expression unsets it", "blank-text", func(c *reference.Choices) { c.EmptyRegexUnsets = true }),
		stricter("value/ascii-30", "Names have at most 30 characters of plain ASCII", "text-length text-characters", "name", func(s string) bool { return len(s) > 30 || !ascii(s) }),
		stricter("value/no-quotes", "Names have no quotation marks, brackets or backslashes", "text-characters", "name", func(s string) bool { return strings.ContainsAny(s, `"'\<>%&`) }),
		stricter("value/short-regex", "Expressions have at most 64 characters of plain ASCII", "text-length text-characters", "regularExpression", func(s string) bool { return len(s) > 64 || !ascii(s) }),
		stricter("value/no-digits-only", "Names are no numbers and no literals", "text-characters", "name", func(s string) bool { return s == "0815" || s == "true" }),
		limited("value/name-16", "Names have at most 16 characters", "name", 16),
		limited("value/name-20", "Names have at most 20 characters", "name", 20),
		limited("value/regex-16", "Expressions have at most 16 characters", "regularExpression", 16),
		limited("value/regex-30", "Expressions have at most 30 characters", "regularExpression", 30),
		limited("value/hostname-32", "Hostnames have at most 32 characters", "hostname", 32),
		stricter("value/dns-hostname", "Hostnames have three labels at least, the first of which begins with a letter", "hostname-syntax", "hostname", func(s string) bool {
			labels := strings.Split(s, ".")
			return len(labels) < 3 || s[0] < 'a' || s[0] > 'z'
		}),
		stricter("value/short-hostname", "Hostnames have at most 40 characters", "hostname-syntax", "hostname", func(s string) bool { return len(s) > 40 }),
	}
}

// deleteVariants delete less or more than the reference does.
func deleteVariants() []Variant {
	return []Variant{
		choice("delete/media-file-refused", "Media files cannot be deleted", "delete-media-file", func(c *reference.Choices) { c.DeleteMediaFile = reference.Refuse }),
		choice("delete/container-refused", "Creatives with media files cannot be deleted", "delete-container", func(c *reference.Choices) { c.DeleteContainerWithFiles = reference.RefuseContainer }),
		choice("delete/container-orphans", "Deleting a creative leaves its media files", "delete-container", func(c *reference.Choices) { c.DeleteContainerWithFiles = reference.Orphan }),
		choice("delete/all-refused", "Neither media files nor their creative can be deleted", "delete-media-file delete-container", func(c *reference.Choices) {
			c.DeleteMediaFile, c.DeleteContainerWithFiles = reference.Refuse, reference.RefuseContainer
		}),
	}
}

// listVariants list otherwise than the reference does.
func listVariants() []Variant {
	noPages := choice("list/no-paging", "Everything is on one page", "page-parameter page-size", func(c *reference.Choices) { c.PageParameter = "" })
	pinned := choice("list/parameter-p", "The page parameter is p, which the target file says", "page-parameter", func(c *reference.Choices) { c.PageParameter = "p" })
	pinned.Pins = map[string]any{"pageParameter": "p"}
	none := choice("list/no-paging-pinned", "Everything is on one page, which the target file says", "page-parameter", func(c *reference.Choices) { c.PageParameter = "" })
	none.Pins = map[string]any{"pageParameter": nil}
	return []Variant{
		noPages, pinned, none,
		choice("list/parameter-unknown", "The page parameter has a name that nobody says", "page-parameter", func(c *reference.Choices) { c.PageParameter = "seite" }),
		choice("list/missing-422", "The list of a missing creative is answered 422", "media-files-of-missing", func(c *reference.Choices) { c.MediaFilesOfMissing = 422 }),
		choice("list/missing-empty", "The list of a missing creative is empty", "media-files-of-missing", func(c *reference.Choices) { c.MediaFilesOfMissing = 200 }),
		choice("list/non-vast-404", "The list of a creative that is no VAST creative is answered 404", "media-files-of-non-vast", func(c *reference.Choices) { c.MediaFilesOfNonVast = 404 }),
		choice("list/non-vast-empty", "The list of a creative that is no VAST creative is empty", "media-files-of-non-vast", func(c *reference.Choices) { c.MediaFilesOfNonVast = 200 }),
		choice("list/page-size-7", "A page has 7 items", "page-size", func(c *reference.Choices) { c.PageSize = 7 }),
		choice("list/page-size-50", "A page has 50 items", "page-size", func(c *reference.Choices) { c.PageSize = 50 }),
		choice("list/page-size-250", "A page has as many items as the largest creative", "page-size", func(c *reference.Choices) { c.PageSize = 250 }),
		choice("list/page-size-2", "A page has 2 items, and a walk is bounded", "page-size", func(c *reference.Choices) { c.PageSize = 2 }),
		choice("list/beyond-last", "A page beyond the last is the last", "page-beyond", func(c *reference.Choices) { c.PageBeyond = reference.LastPage }),
		choice("list/beyond-404", "A page beyond the last is answered 404", "page-beyond", func(c *reference.Choices) { c.PageBeyond = reference.PageNotFound }),
		choice("list/malformed-page-1", "A page that is no number is page 1", "page-beyond", func(c *reference.Choices) { c.MalformedPage = reference.Ignore }),
		choice("list/descending", "Items are listed newest first", "list-order", func(c *reference.Choices) { c.ListOrder = reference.Descending }),
		choice("list/nb-media-files", "Items have nbMediaFiles", "list-media-files-count", func(c *reference.Choices) { c.NbMediaFilesInList = true }),
	}
}

// answerVariants show the same in another form.
func answerVariants() []Variant {
	all := []Variant{
		choice("answer/status-201", "A success is 201", "success-status", func(c *reference.Choices) { c.SuccessStatus = 201 }),
		choice("answer/status-202", "A success is 202", "success-status", func(c *reference.Choices) { c.SuccessStatus = 202 }),
		choice("answer/status-203", "A success is 203", "success-status", func(c *reference.Choices) { c.SuccessStatus = 203 }),
		choice("answer/json-api-type", "The media type is that of JSON:API", "", func(c *reference.Choices) { c.MediaType = "application/vnd.api+json" }),
		choice("answer/charset", "The media type has a charset", "", func(c *reference.Choices) { c.MediaType = "application/json; charset=utf-8" }),
		choice("answer/charset-upper", "The media type is in upper case with a quoted charset", "", func(c *reference.Choices) { c.MediaType = `Application/JSON;Charset="UTF-8"` }),
		choice("answer/updated-at-stands", "updatedAt stays for a minute after an update", "", func(c *reference.Choices) { c.UpdatedAtStandsStill = true }),
		choice("answer/regex-absent", "An unset expression is left out", "regex-unset", func(c *reference.Choices) { c.UnsetRegex = reference.AbsentKey }),
		choice("answer/nulls-absent", "What may be null in a creative is left out", "creative-nulls", func(c *reference.Choices) { c.NullKeysAbsent = true }),
		choice("answer/extra-members", "Every object has a member that nobody knows", "", func(c *reference.Choices) { c.ExtraMembers = true }),
		choice("answer/related-field-pointer", "relatedField is a JSON pointer", "related-field-form", func(c *reference.Choices) { c.RelatedFieldForm = reference.FieldPointer }),
		choice("answer/related-field-path", "relatedField is a path", "related-field-form", func(c *reference.Choices) { c.RelatedFieldForm = reference.FieldPath }),
		choice("answer/related-field-absent", "relatedField is left out where no field is involved", "related-field-unset", func(c *reference.Choices) { c.RelatedFieldAbsent = true }),
		choice("answer/issues-empty", "401, 403 and 404 have no issues", "issues-empty", func(c *reference.Choices) { c.EmptyIssues = true }),
		choice("answer/one-issue", "Only the first wrong field is reported", "both-fields-wrong", func(c *reference.Choices) { c.OneIssueOnly = true }),
	}
	for name, format := range map[string]reference.DateFormat{
		"millis": reference.DateMillis, "offset": reference.DateOffset, "space": reference.DateSpace,
		"only": reference.DateOnly, "rfc1123": reference.DateRFC1123,
	} {
		all = append(all, choice("answer/date-"+name, "Dates are written as "+string(format), "date-format", func(c *reference.Choices) { c.DateFormat = format }))
	}
	return all
}

// combinedVariants are implementations that differ at many points.
func combinedVariants() []Variant {
	return []Variant{
		choice("combined/lenient", "Whatever may be taken is taken", "empty-body null-fields media-type blank-text text-characters hostname-syntax regex-syntax page-beyond", func(c *reference.Choices) {
			c.EmptyBody, c.NullFields, c.UnsupportedMediaType = reference.Accept, reference.Ignore, reference.Ignore
			c.EmptyNames, c.ControlCharacters, c.InvalidHostname, c.InvalidRegex = reference.Accept, reference.Accept, reference.Accept, reference.Accept
			c.MalformedPage, c.MaxNameLength, c.KeyInQuery, c.KeyAsBearer = reference.Ignore, 100_000, true, true
			c.MediaFilesOfMissing, c.MediaFilesOfNonVast = 200, 200
		}),
		choice("combined/strict", "Whatever may be refused is refused", "required-fields empty-object unknown-fields read-only-fields delete-media-file delete-container text-length text-characters", func(c *reference.Choices) {
			c.RequireAllFields, c.EmptyObject, c.UnknownFields, c.ReadOnlyFields = true, reference.Refuse, reference.Refuse, reference.Refuse
			c.DeleteMediaFile, c.DeleteContainerWithFiles = reference.Refuse, reference.RefuseContainer
			c.PlainNamesOnly, c.MaxNameLength, c.UniqueNames, c.MalformedID = true, 30, true, 422
			c.MediaFilesOfMissing, c.PageBeyond = 422, reference.PageNotFound
		}),
		choice("combined/other-forms", "Dates, media type, status, nulls and relatedField have other forms", "date-format success-status creative-nulls related-field-form regex-unset", func(c *reference.Choices) {
			c.DateFormat, c.MediaType, c.SuccessStatus = reference.DateSpace, "application/hal+json", 202
			c.NullKeysAbsent, c.UnsetRegex, c.RelatedFieldForm, c.RelatedFieldAbsent = true, reference.AbsentKey, reference.FieldPointer, true
			c.ExtraMembers, c.EmptyIssues, c.OneIssueOnly, c.NbMediaFilesInList = true, true, true, true
		}),
		choice("combined/resetting", "Omitted fields are reset, names trimmed and normalised, dates days", "omitted-fields trimming date-format", func(c *reference.Choices) {
			c.OmittedFields, c.TrimNames, c.NormalizeNames, c.LowercaseHostnames = reference.Reset, true, true, true
			c.DateFormat, c.UpdatedAtStandsStill, c.ReadAll = reference.DateOnly, true, true
		}),
		choice("combined/reset-required", "Omitted fields are reset and the name is required", "omitted-fields required-fields empty-object", func(c *reference.Choices) {
			c.OmittedFields, c.RequireName, c.EmptyObject = reference.Reset, true, reference.Refuse
		}),
		choice("combined/body-first", "A wrong body is refused first, and every field is required", "error-precedence required-fields", func(c *reference.Choices) {
			c.CheckBodyFirst, c.RequireAllFields, c.MalformedID = true, true, 400
		}),
	}
}
