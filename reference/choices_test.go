package reference

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
)

// flips has a row for each value of each choice that is not the default, with its
// visible effect, by default and flipped.
var flips = []struct {
	choice  string // what is set: MalformedID=400
	probe   func(*Server) string
	byDflt  string
	flipped string
}{
	// Identifying the user.
	{`WWWAuthenticate=ApiKey realm="x"`, headerOf(campaignPath, "WWW-Authenticate"), "ApiKey", `ApiKey realm="x"`},
	{"KeyHeader=X-Key", anonymous(empty, "X-Key", ownerKey), "401", "200"},
	{"KeyHeader=X-Key", anonymous(empty, "X-API-Key", ownerKey), "200", "401"},
	{"KeyHeader=Authorization: Bearer {key}", anonymous(empty, "Authorization", "bearer "+ownerKey), "401", "200"},
	{"KeyHeader=Authorization: Bearer {key}", anonymous(empty, "Authorization", "Token "+ownerKey), "401", "401"},
	{"KeyHeader=Authorization: Bearer {key}", anonymous(empty, "Authorization", ownerKey), "401", "401"},
	{"KeyHeader=Authorization: Bearer {key}, AnyScheme=true", anonymous(empty, "Authorization", "Token "+ownerKey), "401", "200"},
	{"KeyHeader=Authorization: Bearer {key}, AnyScheme=true", anonymous(empty, "Authorization", ownerKey), "401", "200"},
	{"KeyHeader=Authorization: Basic {key}", anonymous(empty, "Authorization", "Basic "+basic("Owner", ownerKey)), "401", "200"},
	{"KeyHeader=Authorization: Basic {key}", anonymous(empty, "Authorization", "Basic "+basic("Nobody", ownerKey)), "401", "401"},
	{"KeyHeader=Authorization: Basic {key}", anonymous(empty, "Authorization", "Basic "+ownerKey), "401", "401"},
	{"KeyHeader=Cookie: session={key}", anonymous(empty, "Cookie", "a=b; session="+ownerKey), "401", "200"},
	{"KeyQuery=api_key", anonymous(empty + "?page=1&api_key=" + percentEncoded(ownerKey)), "401", "200"},
	{"KeyQuery=api_key", anonymous(empty, "X-API-Key", ownerKey), "200", "401"},
	{"KeyUses=2", anonymous(empty, "X-API-Key", ownerKey+".1"), "401", "401"},
	{"Tenant=X-Tenant: eu-1", anonymous(empty, "X-API-Key", ownerKey, "X-Tenant", "eu-2"), "200", "400"},
	{"Tenant=X-Tenant: eu-1", anonymous(empty, "X-API-Key", ownerKey, "X-Tenant", "eu-1"), "200", "200"},
	{"KeyInQuery=true", anonymous("GET /creatives/210/media-files?api_key=" + ownerKey), "401", "200"},
	{"KeyAsBearer=true", anonymous("GET /creatives/210/media-files", "Authorization", "Bearer "+ownerKey), "401", "200"},

	// Paths.
	{"MalformedID=400", errorOf("PATCH /campaigns/x", `{}`), "404 notFound null", "400 invalidParameter campaignId"},
	{"MalformedID=422", errorOf("DELETE /creatives/0", ``), "404 notFound null", "422 invalidParameter creativeId"},
	{"ReadCampaign=true", at("GET /campaigns/25", ``, "data.name"), "absent", `"Spring video"`},
	{"ReadCampaign=true", errorOf("GET /campaigns/92", ``), "405 methodNotAllowed null", `403 forbidden null`},
	{"ReadAll=true", at("GET /connection-profiles/12", ``, "data.name"), "absent", `"EU publishers"`},
	{"ReadAll=true", errorOf("GET /connection-profiles/12/rules/35/hosts/56", ``), "405 methodNotAllowed null", `404 notFound null`},

	// Request bodies as a whole.
	{"UnsupportedMediaType=ignore", status(campaignPath, `{}`, "Content-Type", "text/plain"), "415", "200"},
	{"CheckBodyFirst=true", status("PATCH /campaigns/99", `{"name":1}`), "404", "422"},
	{"TrailingText=ignore", at(campaignPath, `{"name":"a"} x`, "data.name"), "absent", `"a"`},
	{"EmptyBody=accept", at(campaignPath, ``, "data.name"), "absent", `"Spring video"`},
	{"EmptyObject=refuse", errorOf(campaignPath, `{}`), "200", "422 emptyObject null"},
	{
		"Required=.", errorOf(profilePath, `{"withCookiesAction":"pass"}`),
		"200", "422 missingField name, missingField withoutCookiesAction",
	},
	{"Required=.", errorOf(hostPath, `{"hostname":"a.example.com"}`), "200", "422 missingField regularExpression"},
	{"Required=host.hostname", errorOf(hostPath, `{}`), "200", "422 missingField hostname"},
	{"Required=host, EmptyObject=ignore", errorOf(hostPath, `{}`), "200", "200"},
	{"NullFields=ignore", at(hostPath, `{"regularExpression":null}`, "data.regularExpression"), "null", `"^/pixel/"`},
	{"UnknownFields=refuse", errorOf(campaignPath, `{"title":1}`), "200", "422 unknownField title"},
	{"ReadOnlyFields=refuse", errorOf(campaignPath, `{"type":"x"}`), "200", "422 readOnlyField type"},
	{"OmittedFields=reset", at(profilePath, `{"withoutCookiesAction":"fail"}`, "data.name"), `"EU publishers"`, `"Untitled"`},
	{"OmittedFields=reset", at(hostPath, `{"hostname":"a.example.com"}`, "data.regularExpression"), `"^/pixel/"`, "null"},

	// Values.
	{"ScalarCoercion=accept", at(campaignPath, `{"name":1}`, "data.name"), "absent", `"1"`},
	{"ScalarCoercion=booleans", at(campaignPath, `{"name":1}`, "data.name"), "absent", "absent"},
	{"ScalarCoercion=numbers", at(campaignPath, `{"name":1}`, "data.name"), "absent", `"1"`},
	{"ListedSpelling=accept", at(profilePath, `{"withCookiesAction":" FAIL "}`, "data.withCookiesAction"), "absent", `"fail"`},
	{"EmptyNames=accept", at(campaignPath, `{"name":" "}`, "data.name"), "absent", `" "`},
	{"TrimNames=true", at(campaignPath, `{"name":" a\u00a0"}`, "data.name"), "\" a\u00a0\"", `"a"`},
	{"NormalizeNames=true", at(campaignPath, `{"name":"e\u0301"}`, "data.name"), "\"e\u0301\"", "\"\u00e9\""},
	{"MaxNameLength=3", errorOf(campaignPath, `{"name":"éééé"}`), "200", "422 invalidValue name"},
	{"NameTaken=409", errorOf(campaignPath, `{"name":"Teal Jambul display"}`), "200", "409 nameTaken name"},
	{"NameTaken=422", errorOf(campaignPath, `{"name":"Olive Grapefruit video"}`), "200", "200"},
	{"NameTaken=422", errorOf(profilePath, `{"name":"US publishers"}`), "200", "422 nameTaken name"},
	{"ControlCharacters=accept", at(campaignPath, `{"name":"a\u0000\tb"}`, "data.name"), "absent", `"a\u0000\tb"`},
	{"NamePattern=^[ -~]*$", errorOf(campaignPath, `{"name":"é"}`), "200", "422 invalidValue name"},
	{"HostnamePattern=^a", errorOf(hostPath, `{"hostname":"b.example.com"}`), "200", "422 invalidValue hostname"},
	{"RegexPattern=^a", errorOf(hostPath, `{"regularExpression":"b"}`), "200", "422 invalidValue regularExpression"},
	{"InvalidHostname=accept", at(hostPath, `{"hostname":"192.0.2.1"}`, "data.hostname"), "absent", `"192.0.2.1"`},
	{"LowercaseHostnames=true", at(hostPath, `{"hostname":"A.Example.com"}`, "data.hostname"), `"A.Example.com"`, `"a.example.com"`},
	{"InvalidRegex=accept", at(hostPath, `{"regularExpression":"("}`, "data.regularExpression"), "absent", `"("`},
	{"EmptyRegexUnsets=true", at(hostPath, `{"regularExpression":""}`, "data.regularExpression"), `""`, `null`},

	// Deleting creatives.
	{"DeleteMediaFile=refuse", errorOf("DELETE /creatives/201", ``), "204", "422 mediaFile null"},
	{"DeleteContainerWithFiles=refuse", errorOf("DELETE /creatives/200", ``), "204", "422 hasMediaFiles null"},
	{"DeleteContainerWithFiles=orphan", afterwards("DELETE /creatives/200", status("DELETE /creatives/201", ``)), "404", "204"},
	{"DeleteContainerWithFiles=orphan", afterwards("DELETE /creatives/200", status("DELETE /creatives/200", ``)), "404", "404"},

	// Lists.
	{"MediaFilesOfMissing=422", errorOf("GET /creatives/99/media-files", ``), "404 notFound null", "422 invalidParameter creativeId"},
	{"MediaFilesOfMissing=200", body("GET /creatives/99/media-files"), notFoundBody, emptyList},
	{"MediaFilesOfEmpty=404", body("GET /creatives/210/media-files"), emptyList, notFoundBody},
	{"MediaFilesOfNonVast=404", errorOf("GET /creatives/230/media-files", ``), "422 invalidParameter creativeId", "404 notFound null"},
	{"MediaFilesOfNonVast=200", at("GET /creatives/230/media-files", ``, "data"), "absent", "[]"},
	{"PageParameter=p, PageSize=2", at(listPath+"?p=2", ``, "data.0.id"), "201", "203"},
	{"PageParameter=, PageSize=2", at(listPath+"?page=2", ``, "meta.pagination"), pagination(0, 3, 2, 1), pagination(3, 3, 1, 1)},
	{"PageSize=2", at(listPath+"?page=2", ``, "meta.pagination"), pagination(0, 3, 2, 1), pagination(1, 3, 2, 2)},
	{"PageBeyond=last", at(listPath+"?page=7", ``, "meta.pagination"), pagination(0, 3, 7, 1), pagination(3, 3, 1, 1)},
	{"PageBeyond=renumbered", at(listPath+"?page=7", ``, "meta.pagination"), pagination(0, 3, 7, 1), pagination(3, 3, 7, 1)},
	{"PageBeyond=0", at(listPath+"?page=7", ``, "meta.pagination"), pagination(0, 3, 7, 1), pagination(0, 3, 0, 1)},
	{
		"EmptyListPages=0, PageBeyond=last",
		at("GET /creatives/210/media-files", ``, "meta.pagination"), pagination(0, 0, 1, 1), pagination(0, 0, 1, 0),
	},
	{"EmptyListPages=0", at("GET /creatives/210/media-files", ``, "meta.pagination"), pagination(0, 0, 1, 1), pagination(0, 0, 1, 0)},
	{"PageBeyond=404", errorOf(listPath+"?page=2", ``), "200", "404 notFound null"},
	{"MalformedPage=0", at(listPath+"?page=x", ``, "meta.pagination.page"), "absent", "1"},
	{"ListOrder=desc", at(listPath, ``, "data.0.id"), "201", "203"},
	{"NbMediaFilesInList=true", at(listPath, ``, "data.0.nbMediaFiles"), "absent", "0"},

	// Representations.
	{"SuccessStatus=202", status(campaignPath, `{}`), "200", "202"},
	{"SuccessStatus=203", status(listPath, ``), "200", "203"},
	{
		"MediaType=application/vnd.api+json; charset=utf-8", headerOf("GET /x", "Content-Type"),
		"application/json", "application/vnd.api+json; charset=utf-8",
	},
	{"DateFormat=2006-01-02 15:04:05", createdAt, `"2024-03-01T09:00:00Z"`, `"2024-03-01 09:00:00"`},
	{"DateZone=7200", createdAt, `"2024-03-01T09:00:00Z"`, `"2024-03-01T11:00:00+02:00"`},
	{"Clock=-86400", age(`{"name":"later"}`), "0s", "24h0m0s"},
	{"SameDated=true", age(`{"name":"Spring video"}`), "old", "0s"},
	{"EmptyDated=true", age(`{}`), "old", "0s"},
	{
		"UnsetRegex=absent", body("PATCH /connection-profiles/12/rules/34/hosts/58"),
		`{"data":{"id":58,"hostname":"static.example.net","regularExpression":null,"createdAt":"2024-01-08T10:39:00Z","updatedAt":null}}`,
		`{"data":{"id":58,"hostname":"static.example.net","createdAt":"2024-01-08T10:39:00Z","updatedAt":null}}`,
	},
	{"NullKeysAbsent=true", at(listPath, ``, "data.2.width"), "null", "absent"},
	{"NullKeysAbsent=true", at(listPath, ``, "data.1.latestScanStatus.updatedAt"), "null", "null"},
	{"ExtraMembers=true", at(campaignPath, `{}`, "data.extension"), "absent", `{"note":"not in the contract"}`},
	{"ExtraMembers=true", at("PATCH /campaigns/99", `{}`, "error.issues.0.extension"), "absent", `{"note":"not in the contract"}`},

	// Errors.
	{"RelatedFieldForm=/name", at(campaignPath, `{"name":1}`, "error.issues.0.relatedField"), `"name"`, `"/name"`},
	{"RelatedFieldForm=data.name", at(campaignPath, `{"name":1}`, "error.issues.0.relatedField"), `"name"`, `"data.name"`},
	{"RelatedFieldAbsent=true", body("GET /x"), notFoundBody, strings.Replace(notFoundBody, `,"relatedField":null`, "", 1)},
	{"EmptyIssues=true", body("GET /x"), notFoundBody, `{"error":{"responseCode":404,"issues":[]}}`},
	{"EmptyIssues=true", errorOf(campaignPath, `7`), "422 notAnObject null", `422 notAnObject null`},
	{
		"OneIssueOnly=true", errorOf(hostPath, `{"hostname":1,"regularExpression":1}`),
		"422 invalidType hostname, invalidType regularExpression", "422 invalidType hostname",
	},
}

func basic(user, password string) string { return fixtures.JoinBasic(user, password) }

// percentEncoded writes a text as a query may have it.
func percentEncoded(text string) (all string) {
	for _, b := range []byte(text) {
		all += fmt.Sprintf("%%%02x", b)
	}
	return all
}

const (
	empty        = "GET /creatives/210/media-files"
	emptyList    = `{"meta":{"pagination":{"count":0,"totalCount":0,"page":1,"totalPages":1}},"data":[]}`
	profilePath  = "PATCH /connection-profiles/12"
	hostPath     = "PATCH /connection-profiles/12/rules/34/hosts/56"
	campaignPath = "PATCH /campaigns/25"
	listPath     = "GET /creatives/200/media-files"
	notFoundBody = `{"error":{"responseCode":404,"issues":[{"type":"notFound",` +
		`"message":"The resource, or one that it depends on, does not exist.","relatedField":null}]}}`
)

func pagination(count, totalCount, page, totalPages int) string {
	return fmt.Sprintf(`{"count":%d,"totalCount":%d,"page":%d,"totalPages":%d}`, count, totalCount, page, totalPages)
}

// The probes are the effects that a client can see.

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

// age returns how long ago a campaign was updated.
func age(body string) func(*Server) string {
	return func(s *Server) string {
		date, _ := time.Parse(time.RFC3339, strings.Trim(at(campaignPath, body, "data.updatedAt")(s), `"`))
		if ago := time.Since(date).Round(time.Hour); ago < 48*time.Hour {
			return ago.String()
		}
		return "old"
	}
}

var createdAt = at(campaignPath, `{}`, "data.createdAt")

// set makes choices such as "PageParameter=p, PageSize=2".
func set(c *Choices, settings string) (names []string) {
	for setting := range strings.SplitSeq(settings, ", ") {
		name, text, _ := strings.Cut(setting, "=")
		names = append(names, name)
		switch v := reflect.ValueOf(c).Elem().FieldByName(name); v.Kind() {
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int:
			n, _ := strconv.ParseInt(text, 10, 64)
			v.SetInt(n)
		default:
			v.SetString(text)
		}
	}
	return names
}

func TestEachChoiceShows(t *testing.T) {
	tested := map[string]bool{}
	for _, row := range flips {
		for _, name := range set(&Choices{}, row.choice) {
			tested[name] = true
		}
		t.Run(row.choice, func(t *testing.T) {
			t.Parallel()
			if got := row.probe(newServer(t, nil)); got != row.byDflt {
				t.Errorf("by default: expected %s, got %s", row.byDflt, got)
			}
			if got := row.probe(newServer(t, func(c *Choices) { set(c, row.choice) })); got != row.flipped {
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
