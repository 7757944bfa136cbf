package reference

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

// flips has a row for each value of each choice that is not the default: what a
// client sees of it, by default and flipped.
var flips = []struct {
	choice  string
	flip    func(*Choices)
	probe   func(*Server) string
	byDflt  string
	flipped string
}{
	// Identifying the user.
	{
		"WWWAuthenticate", func(c *Choices) { c.WWWAuthenticate = `ApiKey realm="x"` },
		headerOf("PATCH /campaigns/25", "WWW-Authenticate"), "", `ApiKey realm="x"`,
	},
	{"KeyInQuery", func(c *Choices) { c.KeyInQuery = true }, anonymous("GET /creatives/210/media-files?api_key=" + ownerKey), "401", "200"},
	{"KeyInQuery", func(c *Choices) { c.KeyInQuery = true }, anonymous("GET /creatives/210/media-files?api_key=wrong"), "401", "401"},
	{
		"KeyAsBearer", func(c *Choices) { c.KeyAsBearer = true },
		anonymous("GET /creatives/210/media-files", "Authorization", "Bearer "+ownerKey), "401", "200",
	},
	{
		"KeyAsBearer", func(c *Choices) { c.KeyAsBearer = true },
		anonymous("GET /creatives/210/media-files", "Authorization", "Basic "+ownerKey), "401", "401",
	},

	// Paths.
	{
		"MalformedID", func(c *Choices) { c.MalformedID = 400 },
		errorOf("PATCH /campaigns/x", `{}`), "404 notFound null", "400 invalidParameter campaignId",
	},
	{
		"MalformedID", func(c *Choices) { c.MalformedID = 422 },
		errorOf("DELETE /creatives/0", ``), "404 notFound null", "422 invalidParameter creativeId",
	},
	{"ReadCampaign", func(c *Choices) { c.ReadCampaign = true }, at("GET /campaigns/25", ``, "data.name"), "absent", `"Campaign 25"`},
	{
		"ReadCampaign", func(c *Choices) { c.ReadCampaign = true },
		errorOf("GET /campaigns/92", ``), "405 methodNotAllowed null", `403 forbidden null`,
	},
	{
		"ReadCampaign", func(c *Choices) { c.ReadCampaign = true },
		errorOf("GET /connection-profiles/12", ``), "405 methodNotAllowed null", `405 methodNotAllowed null`,
	},
	{"ReadAll", func(c *Choices) { c.ReadAll = true }, at("GET /campaigns/25", ``, "data.name"), "absent", `"Campaign 25"`},
	{"ReadAll", func(c *Choices) { c.ReadAll = true }, at("GET /connection-profiles/12", ``, "data.name"), "absent", `"Profile 12"`},
	{
		"ReadAll", func(c *Choices) { c.ReadAll = true },
		at("GET /connection-profiles/12/rules/34/hosts/56", ``, "data.hostname"), "absent", `"h56.example.com"`,
	},
	{
		"ReadAll", func(c *Choices) { c.ReadAll = true },
		errorOf("GET /connection-profiles/12/rules/35/hosts/56", ``), "405 methodNotAllowed null", `404 notFound null`,
	},

	// Request bodies as a whole.
	{
		"UnsupportedMediaType", func(c *Choices) { c.UnsupportedMediaType = Ignore },
		status("PATCH /campaigns/25", `{}`, "Content-Type", "text/plain"), "415", "200",
	},
	{"CheckBodyFirst", func(c *Choices) { c.CheckBodyFirst = true }, status("PATCH /campaigns/99", `{"name":1}`), "404", "422"},
	{"CheckBodyFirst", func(c *Choices) { c.CheckBodyFirst = true }, status("PATCH /connection-profiles/91", `[]`), "403", "422"},
	{
		"CheckBodyFirst", func(c *Choices) { c.CheckBodyFirst = true },
		status("PATCH /connection-profiles/91/rules/94/hosts/95", ``), "403", "422",
	},
	{"CheckBodyFirst", func(c *Choices) { c.CheckBodyFirst = true }, status("PATCH /campaigns/99", `{}`), "404", "404"},
	{"TrailingText", func(c *Choices) { c.TrailingText = Ignore }, at("PATCH /campaigns/25", `{"name":"a"} x`, "data.name"), "absent", `"a"`},
	{
		"TrailingText", func(c *Choices) { c.TrailingText = Ignore },
		errorOf("PATCH /campaigns/25", `{"name":"a" x`), "422 malformedJSON null", "422 malformedJSON null",
	},
	{"EmptyBody", func(c *Choices) { c.EmptyBody = Accept }, at("PATCH /campaigns/25", ``, "data.name"), "absent", `"Campaign 25"`},
	{"EmptyObject", func(c *Choices) { c.EmptyObject = Refuse }, errorOf("PATCH /campaigns/25", `{}`), "200", "422 emptyObject null"},
	{
		"RequireAllFields", func(c *Choices) { c.RequireAllFields = true },
		errorOf("PATCH /connection-profiles/12", `{"withCookiesAction":"pass"}`),
		"200", "422 missingField name, missingField withoutCookiesAction",
	},
	{
		"RequireAllFields", func(c *Choices) { c.RequireAllFields = true },
		errorOf(hostPath, `{"hostname":"a.example.com"}`), "200", "422 missingField regularExpression",
	},
	{"RequireAllFields", func(c *Choices) { c.RequireAllFields = true }, errorOf("PATCH /campaigns/25", `{}`), "200", "422 missingField name"},
	{"RequireName", func(c *Choices) { c.RequireName = true }, errorOf("PATCH /connection-profiles/12", `{}`), "200", "422 missingField name"},
	{"RequireName", func(c *Choices) { c.RequireName = true }, errorOf(hostPath, `{}`), "200", "422 missingField hostname"},
	{
		"NullFields", func(c *Choices) { c.NullFields = Ignore },
		at("PATCH /campaigns/25", `{"name":null}`, "data.name"), "absent", `"Campaign 25"`,
	},
	{
		"NullFields", func(c *Choices) { c.NullFields = Ignore },
		at(hostPath, `{"regularExpression":null}`, "data.regularExpression"), "null", `"^/pixel/"`,
	},
	{
		"UnknownFields", func(c *Choices) { c.UnknownFields = Refuse },
		errorOf("PATCH /campaigns/25", `{"title":1}`), "200", "422 unknownField title",
	},
	{"UnknownFields", func(c *Choices) { c.UnknownFields = Refuse }, errorOf("PATCH /campaigns/25", `{"id":1}`), "200", "200"},
	{
		"ReadOnlyFields", func(c *Choices) { c.ReadOnlyFields = Refuse },
		errorOf("PATCH /campaigns/25", `{"type":"x"}`), "200", "422 readOnlyField type",
	},
	{"ReadOnlyFields", func(c *Choices) { c.ReadOnlyFields = Refuse }, errorOf("PATCH /campaigns/25", `{"title":1}`), "200", "200"},
	{
		"OmittedFields", func(c *Choices) { c.OmittedFields = Reset },
		at("PATCH /connection-profiles/12", `{"withoutCookiesAction":"fail"}`, "data.name"), `"Profile 12"`, `"Untitled"`,
	},
	{
		"OmittedFields", func(c *Choices) { c.OmittedFields = Reset },
		at("PATCH /connection-profiles/12", `{"withoutCookiesAction":"fail"}`, "data.withoutCookiesAction"), `"fail"`, `"fail"`,
	},
	{
		"OmittedFields", func(c *Choices) { c.OmittedFields = Reset },
		at("PATCH /connection-profiles/12", `{"name":"N"}`, "data.withCookiesAction"), `"warn"`, `"pass"`,
	},
	{"OmittedFields", func(c *Choices) { c.OmittedFields = Reset }, at(hostPath, `{}`, "data.hostname"), `"h56.example.com"`, `"example.com"`},
	{
		"OmittedFields", func(c *Choices) { c.OmittedFields = Reset },
		at(hostPath, `{"hostname":"a.example.com"}`, "data.regularExpression"), `"^/pixel/"`, "null",
	},

	// Values.
	{"ScalarCoercion", func(c *Choices) { c.ScalarCoercion = Accept }, at("PATCH /campaigns/25", `{"name":1}`, "data.name"), "absent", `"1"`},
	{
		"ScalarCoercion", func(c *Choices) { c.ScalarCoercion = Accept },
		at(hostPath, `{"regularExpression":true}`, "data.regularExpression"), "absent", `"true"`,
	},
	{
		"ScalarCoercion", func(c *Choices) { c.ScalarCoercion = Accept },
		errorOf("PATCH /connection-profiles/12", `{"name":[1]}`), "422 invalidType name", "422 invalidType name",
	},
	{
		"ScalarCoercion", func(c *Choices) { c.ScalarCoercion = Accept },
		errorOf("PATCH /connection-profiles/12", `{"withCookiesAction":1}`),
		"422 invalidType withCookiesAction", "422 invalidType withCookiesAction",
	},
	{"EmptyNames", func(c *Choices) { c.EmptyNames = Accept }, at("PATCH /campaigns/25", `{"name":" "}`, "data.name"), "absent", `" "`},
	{
		"TrimNames", func(c *Choices) { c.TrimNames = true },
		at("PATCH /campaigns/25", `{"name":" a\u00a0"}`, "data.name"), "\" a\u00a0\"", `"a"`,
	},
	{
		"TrimNames", func(c *Choices) { c.TrimNames = true },
		at(hostPath, `{"hostname":" a.example.com "}`, "data.hostname"), "absent", `"a.example.com"`,
	},
	{"TrimNames", func(c *Choices) { c.TrimNames = true }, at("PATCH /campaigns/25", `{"name":"  "}`, "error.responseCode"), "422", `422`},
	{
		"NormalizeNames", func(c *Choices) { c.NormalizeNames = true },
		at("PATCH /campaigns/25", `{"name":"e\u0301"}`, "data.name"), "\"e\u0301\"", "\"\u00e9\"",
	},
	{
		"MaxNameLength", func(c *Choices) { c.MaxNameLength = 3 },
		errorOf("PATCH /campaigns/25", `{"name":"éééé"}`), "200", "422 invalidValue name",
	},
	{"MaxNameLength", func(c *Choices) { c.MaxNameLength = 3 }, errorOf("PATCH /campaigns/25", `{"name":"ééé"}`), "200", "200"},
	{"MaxNameLength", func(c *Choices) { c.MaxNameLength = 3 }, errorOf(hostPath, `{"hostname":"a.de"}`), "200", "422 invalidValue hostname"},
	{
		"UniqueNames", func(c *Choices) { c.UniqueNames = true },
		errorOf("PATCH /campaigns/25", `{"name":"Campaign 26"}`), "200", "422 nameTaken name",
	},
	{"UniqueNames", func(c *Choices) { c.UniqueNames = true }, errorOf("PATCH /campaigns/25", `{"name":"Campaign 25"}`), "200", "200"},
	{"UniqueNames", func(c *Choices) { c.UniqueNames = true }, errorOf("PATCH /campaigns/25", `{"name":"Campaign 92"}`), "200", "200"},
	{
		"UniqueNames", func(c *Choices) { c.UniqueNames = true },
		errorOf("PATCH /connection-profiles/12", `{"name":"Profile 13"}`), "200", "422 nameTaken name",
	},
	{
		"ControlCharacters", func(c *Choices) { c.ControlCharacters = Accept },
		at("PATCH /campaigns/25", `{"name":"a\u0000\tb"}`, "data.name"), "absent", `"a\u0000\tb"`,
	},
	{
		"ControlCharacters", func(c *Choices) { c.ControlCharacters = Accept },
		at(hostPath, `{"regularExpression":"a\tb"}`, "data.regularExpression"), "absent", `"a\tb"`,
	},
	{
		"PlainNamesOnly", func(c *Choices) { c.PlainNamesOnly = true },
		errorOf("PATCH /campaigns/25", `{"name":"é"}`), "200", "422 invalidValue name",
	},
	{
		"PlainNamesOnly", func(c *Choices) { c.PlainNamesOnly = true },
		errorOf("PATCH /campaigns/25", `{"name":"a&b"}`), "200", "422 invalidValue name",
	},
	{"PlainNamesOnly", func(c *Choices) { c.PlainNamesOnly = true }, errorOf("PATCH /campaigns/25", `{"name":"aZ 09-_."}`), "200", "200"},
	{
		"InvalidHostname", func(c *Choices) { c.InvalidHostname = Accept },
		at(hostPath, `{"hostname":"192.0.2.1"}`, "data.hostname"), "absent", `"192.0.2.1"`,
	},
	{
		"LowercaseHostnames", func(c *Choices) { c.LowercaseHostnames = true },
		at(hostPath, `{"hostname":"A.Example.com"}`, "data.hostname"), `"A.Example.com"`, `"a.example.com"`,
	},
	{
		"InvalidRegex", func(c *Choices) { c.InvalidRegex = Accept },
		at(hostPath, `{"regularExpression":"("}`, "data.regularExpression"), "absent", `"("`,
	},
	{
		"EmptyRegexUnsets", func(c *Choices) { c.EmptyRegexUnsets = true },
		at(hostPath, `{"regularExpression":""}`, "data.regularExpression"), `""`, `null`,
	},

	// Deleting creatives.
	{"DeleteMediaFile", func(c *Choices) { c.DeleteMediaFile = Refuse }, errorOf("DELETE /creatives/201", ``), "204", "422 mediaFile null"},
	{"DeleteMediaFile", func(c *Choices) { c.DeleteMediaFile = Refuse }, errorOf("DELETE /creatives/230", ``), "204", "204"},
	{
		"DeleteContainerWithFiles", func(c *Choices) { c.DeleteContainerWithFiles = RefuseContainer },
		errorOf("DELETE /creatives/200", ``), "204", "422 hasMediaFiles null",
	},
	{
		"DeleteContainerWithFiles", func(c *Choices) { c.DeleteContainerWithFiles = RefuseContainer },
		errorOf("DELETE /creatives/210", ``), "204", "204",
	},
	{
		"DeleteContainerWithFiles", func(c *Choices) { c.DeleteContainerWithFiles = Orphan },
		afterwards("DELETE /creatives/200", status("DELETE /creatives/201", ``)), "404", "204",
	},
	{
		"DeleteContainerWithFiles", func(c *Choices) { c.DeleteContainerWithFiles = Orphan },
		afterwards("DELETE /creatives/200", status("DELETE /creatives/200", ``)), "404", "404",
	},

	// Lists.
	{
		"MediaFilesOfMissing", func(c *Choices) { c.MediaFilesOfMissing = 422 },
		errorOf("GET /creatives/99/media-files", ``), "404 notFound null", "422 invalidParameter creativeId",
	},
	{"MediaFilesOfMissing", func(c *Choices) { c.MediaFilesOfMissing = 200 }, body("GET /creatives/99/media-files"), notFoundBody, emptyList},
	{
		"MediaFilesOfMissing", func(c *Choices) { c.MediaFilesOfMissing = 200 },
		afterwards("DELETE /creatives/230", body("GET /creatives/230/media-files")), notFoundBody, emptyList,
	},
	{"MediaFilesOfEmpty", func(c *Choices) { c.MediaFilesOfEmpty = 404 }, body("GET /creatives/210/media-files"), emptyList, notFoundBody},
	{
		"MediaFilesOfEmpty", func(c *Choices) { c.MediaFilesOfEmpty = 404 },
		errorOf("GET /creatives/230/media-files", ``), "422 invalidParameter creativeId", "422 invalidParameter creativeId",
	},
	{
		"MediaFilesOfNonVast", func(c *Choices) { c.MediaFilesOfNonVast = 404 },
		errorOf("GET /creatives/230/media-files", ``), "422 invalidParameter creativeId", "404 notFound null",
	},
	{
		"MediaFilesOfNonVast", func(c *Choices) { c.MediaFilesOfNonVast = 404 },
		errorOf("GET /creatives/201/media-files", ``), "422 invalidParameter creativeId", "404 notFound null",
	},
	{"MediaFilesOfNonVast", func(c *Choices) { c.MediaFilesOfNonVast = 200 }, status("GET /creatives/230/media-files", ``), "422", "200"},
	{
		"MediaFilesOfNonVast", func(c *Choices) { c.MediaFilesOfNonVast = 200 },
		at("GET /creatives/230/media-files", ``, "data"), "absent", "[]",
	},
	{
		"PageParameter", func(c *Choices) { c.PageParameter, c.PageSize = "p", 2 },
		at("GET /creatives/200/media-files?p=2", ``, "data.0.id"), "201", "203",
	},
	{
		"PageParameter", func(c *Choices) { c.PageParameter, c.PageSize = "", 2 },
		at("GET /creatives/200/media-files?page=2", ``, "meta.pagination"),
		`{"count":0,"totalCount":5,"page":2,"totalPages":1}`, `{"count":5,"totalCount":5,"page":1,"totalPages":1}`,
	},
	{"PageParameter", func(c *Choices) { c.PageParameter = "" }, body("GET /creatives/210/media-files"), emptyList, emptyList},
	{
		"PageSize", func(c *Choices) { c.PageSize = 3 },
		at("GET /creatives/200/media-files?page=2", ``, "meta.pagination"),
		`{"count":0,"totalCount":5,"page":2,"totalPages":1}`, `{"count":2,"totalCount":5,"page":2,"totalPages":2}`,
	},
	{
		"PageBeyond", func(c *Choices) { c.PageBeyond = LastPage },
		at("GET /creatives/200/media-files?page=7", ``, "meta.pagination"),
		`{"count":0,"totalCount":5,"page":7,"totalPages":1}`, `{"count":5,"totalCount":5,"page":1,"totalPages":1}`,
	},
	{
		"PageBeyond", func(c *Choices) { c.PageBeyond = PageNotFound },
		errorOf("GET /creatives/200/media-files?page=2", ``), "200", "404 notFound null",
	},
	{
		"MalformedPage", func(c *Choices) { c.MalformedPage = Ignore },
		at("GET /creatives/200/media-files?page=x", ``, "meta.pagination.page"), "absent", "1",
	},
	{"ListOrder", func(c *Choices) { c.ListOrder = Descending }, at("GET /creatives/200/media-files", ``, "data.0.id"), "201", "205"},
	{
		"NbMediaFilesInList", func(c *Choices) { c.NbMediaFilesInList = true },
		at("GET /creatives/200/media-files", ``, "data.0.nbMediaFiles"), "absent", "0",
	},

	// Representations.
	{"SuccessStatus", func(c *Choices) { c.SuccessStatus = 202 }, status("PATCH /campaigns/25", `{}`), "200", "202"},
	{"SuccessStatus", func(c *Choices) { c.SuccessStatus = 201 }, status("PATCH /connection-profiles/12", `{}`), "200", "201"},
	{"SuccessStatus", func(c *Choices) { c.SuccessStatus = 203 }, status(hostPath, `{}`), "200", "203"},
	{"SuccessStatus", func(c *Choices) { c.SuccessStatus = 203 }, status("GET /creatives/200/media-files", ``), "200", "203"},
	{"SuccessStatus", func(c *Choices) { c.SuccessStatus = 202 }, status("DELETE /creatives/230", ``), "204", "204"},
	{
		"MediaType", func(c *Choices) { c.MediaType = "application/vnd.api+json; charset=utf-8" },
		headerOf("GET /x", "Content-Type"), "application/json", "application/vnd.api+json; charset=utf-8",
	},
	{"DateFormat", func(c *Choices) { c.DateFormat = DateMillis }, createdAt, `"2024-03-01T09:00:00Z"`, `"2024-03-01T09:00:00.123Z"`},
	{"DateFormat", func(c *Choices) { c.DateFormat = DateOffset }, createdAt, `"2024-03-01T09:00:00Z"`, `"2024-03-01T11:00:00+02:00"`},
	{"DateFormat", func(c *Choices) { c.DateFormat = DateSpace }, createdAt, `"2024-03-01T09:00:00Z"`, `"2024-03-01 09:00:00"`},
	{"DateFormat", func(c *Choices) { c.DateFormat = DateOnly }, createdAt, `"2024-03-01T09:00:00Z"`, `"2024-03-01"`},
	{"DateFormat", func(c *Choices) { c.DateFormat = DateRFC1123 }, createdAt, `"2024-03-01T09:00:00Z"`, `"Fri, 01 Mar 2024 09:00:00 GMT"`},
	{
		"DateFormat", func(c *Choices) { c.DateFormat = DateOnly },
		at("GET /creatives/200/media-files", ``, "data.0.latestScanStatus.finishedAt"), `"2024-03-01T09:01:00Z"`, `"2024-03-01"`,
	},
	{
		"UpdatedAtStandsStill", func(c *Choices) { c.UpdatedAtStandsStill = true },
		moves("PATCH /campaigns/25", 30*time.Second), "true", "false",
	},
	{"UpdatedAtStandsStill", func(c *Choices) { c.UpdatedAtStandsStill = true }, moves("PATCH /campaigns/25", 90*time.Second), "true", "true"},
	{
		"UnsetRegex", func(c *Choices) { c.UnsetRegex = AbsentKey }, body("PATCH /connection-profiles/12/rules/34/hosts/58"),
		`{"data":{"id":58,"hostname":"h58.example.com","regularExpression":null,"createdAt":"2024-03-01T09:00:00Z","updatedAt":null}}`,
		`{"data":{"id":58,"hostname":"h58.example.com","createdAt":"2024-03-01T09:00:00Z","updatedAt":null}}`,
	},
	{"UnsetRegex", func(c *Choices) { c.UnsetRegex = AbsentKey }, at(hostPath, `{}`, "data.regularExpression"), `"^/pixel/"`, `"^/pixel/"`},
	{
		"NullKeysAbsent", func(c *Choices) { c.NullKeysAbsent = true }, at("GET /creatives/200/media-files", ``, "data.1"),
		`{"id":202,"campaignId":25,"name":"Creative 202","createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-01T09:00:00Z",` +
			`"parentId":200,"sourceType":"vast-child-video","sourceTypeLabel":"Label","shareURL":"https://example.com/s",` +
			`"livePreviewURL":"https://example.com/p","previewAnimationURL":null,"width":null,"height":null,"userId":1,` +
			`"nbVariations":null,"latestScanStatus":null}`,
		`{"id":202,"campaignId":25,"name":"Creative 202","createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-01T09:00:00Z",` +
			`"parentId":200,"sourceType":"vast-child-video","sourceTypeLabel":"Label","shareURL":"https://example.com/s",` +
			`"livePreviewURL":"https://example.com/p","userId":1}`,
	},
	{
		"NullKeysAbsent", func(c *Choices) { c.NullKeysAbsent = true },
		at("GET /creatives/200/media-files", ``, "data.0.latestScanStatus.updatedAt"), "null", "null",
	},
	{
		"ExtraMembers", func(c *Choices) { c.ExtraMembers = true },
		at("PATCH /campaigns/25", `{}`, "data.extension"), "absent", `{"note":"not in the contract"}`,
	},
	{
		"ExtraMembers", func(c *Choices) { c.ExtraMembers = true },
		at("PATCH /campaigns/99", `{}`, "error.issues.0.extension"), "absent", `{"note":"not in the contract"}`,
	},
	{
		"ExtraMembers", func(c *Choices) { c.ExtraMembers = true }, at("GET /creatives/210/media-files", ``, "meta"),
		`{"pagination":{"count":0,"totalCount":0,"page":1,"totalPages":1}}`,
		`{"pagination":{"count":0,"totalCount":0,"page":1,"totalPages":1,"extension":{"note":"not in the contract"}},` +
			`"extension":{"note":"not in the contract"}}`,
	},

	// Errors.
	{
		"RelatedFieldForm", func(c *Choices) { c.RelatedFieldForm = FieldPointer },
		at("PATCH /campaigns/25", `{"name":1}`, "error.issues.0.relatedField"), `"name"`, `"/name"`,
	},
	{
		"RelatedFieldForm", func(c *Choices) { c.RelatedFieldForm = FieldPath },
		at("PATCH /campaigns/25", `{"name":1}`, "error.issues.0.relatedField"), `"name"`, `"data.name"`,
	},
	{
		"RelatedFieldAbsent", func(c *Choices) { c.RelatedFieldAbsent = true },
		body("GET /x"), notFoundBody, strings.Replace(notFoundBody, `,"relatedField":null`, "", 1),
	},
	{
		"RelatedFieldAbsent", func(c *Choices) { c.RelatedFieldAbsent = true },
		at("PATCH /campaigns/25", `{"name":1}`, "error.issues.0.relatedField"), `"name"`, `"name"`,
	},
	{"EmptyIssues", func(c *Choices) { c.EmptyIssues = true }, body("GET /x"), notFoundBody, `{"error":{"responseCode":404,"issues":[]}}`},
	{"EmptyIssues", func(c *Choices) { c.EmptyIssues = true }, errorOf("PATCH /campaigns/92", `{}`), "403 forbidden null", `403 `},
	{
		"EmptyIssues", func(c *Choices) { c.EmptyIssues = true },
		errorOf("PATCH /campaigns/25", `7`), "422 notAnObject null", `422 notAnObject null`,
	},
	{
		"OneIssueOnly", func(c *Choices) { c.OneIssueOnly = true },
		errorOf(hostPath, `{"hostname":1,"regularExpression":1}`),
		"422 invalidType hostname, invalidType regularExpression", "422 invalidType hostname",
	},
}

const (
	emptyList    = `{"meta":{"pagination":{"count":0,"totalCount":0,"page":1,"totalPages":1}},"data":[]}`
	notFoundBody = `{"error":{"responseCode":404,"issues":[{"type":"notFound",` +
		`"message":"The resource, or one that it depends on, does not exist.","relatedField":null}]}}`
)

// The probes are what a client may look at.

func status(name, body string, headers ...string) func(*Server) string {
	return func(s *Server) string { return fmt.Sprint(ask(s, name, body, headers...).status) }
}

func at(name, body, place string) func(*Server) string {
	return func(s *Server) string { return ask(s, name, body).at(place) }
}

func body(name string) func(*Server) string {
	return func(s *Server) string { return ask(s, name, `{}`).body }
}

func errorOf(name, body string) func(*Server) string {
	return func(s *Server) string {
		r := ask(s, name, body)
		if r.status < 300 {
			return fmt.Sprint(r.status)
		}
		return fmt.Sprint(r.status) + " " + r.issues()
	}
}

func anonymous(name string, headers ...string) func(*Server) string {
	return func(s *Server) string { return fmt.Sprint(request(s, name, "", headers...).status) }
}

func headerOf(name, header string) func(*Server) string {
	return func(s *Server) string { return request(s, name, "").header.Get(header) }
}

func afterwards(first string, probe func(*Server) string) func(*Server) string {
	return func(s *Server) string { ask(s, first, ""); return probe(s) }
}

// moves says whether updatedAt of a second update, so long after the first, is another.
func moves(name string, after time.Duration) func(*Server) string {
	return func(s *Server) string {
		clock := time.Now()
		s.now = func() time.Time { return clock }
		first := ask(s, name, `{"name":"first"}`).at("data.updatedAt")
		clock = clock.Add(after)
		return fmt.Sprint(first != ask(s, name, `{"name":"second"}`).at("data.updatedAt"))
	}
}

func createdAt(s *Server) string { return ask(s, "PATCH /campaigns/25", `{}`).at("data.createdAt") }

func TestEachChoiceShows(t *testing.T) {
	tested := map[string]bool{}
	for _, row := range flips {
		tested[row.choice] = true
		t.Run(row.choice, func(t *testing.T) {
			t.Parallel()
			if got := row.probe(newServer(t, nil)); got != row.byDflt {
				t.Errorf("by default: expected %s, got %s", row.byDflt, got)
			}
			if got := row.probe(newServer(t, row.flip)); got != row.flipped {
				t.Errorf("flipped: expected %s, got %s", row.flipped, got)
			}
		})
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Choices]()) {
		if !tested[field.Name] {
			t.Errorf("choice %s has no row", field.Name)
		}
	}
}

func TestZeroChoicesAreTheDefault(t *testing.T) {
	s := newServerWith(t, Options{World: testWorld()})
	if s.choices != DefaultChoices() {
		t.Errorf("got %+v", s.choices)
	}
	ask(s, "PATCH /campaigns/25", `{}`).is(t, http.StatusOK)
}
