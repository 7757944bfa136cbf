package model_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/docs/dialects"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/spec"
)

const (
	campaign  = "PATCH /campaigns/25 "
	profile   = "PATCH /connection-profiles/12 "
	host      = "PATCH /connection-profiles/12/rules/34/hosts/56 "
	files     = "GET /creatives/200/media-files"
	name      = `{"name":"Teal k3f9"}`
	hostBody  = `{"hostname":"cdn.example.com","regularExpression":"^/px/k3f9"}`
	absent    = "2147483000"
	deletedID = "302"
)

func one(id spec.ID) []fixtures.Object { return []fixtures.Object{{ID: id}} }

// target names an object of each kind.
func target() *fixtures.Target {
	return &fixtures.Target{
		Credentials: fixtures.Credentials{Owner: "key-of-the-owner", Stranger: "key-of-the-stranger"},
		Objects: fixtures.Objects{
			"connectionProfile": one("12"), "otherConnectionProfile": one("13"),
			"connectionProfileRule": one("34"), "connectionProfileOtherRule": one("35"),
			"connectionProfileRuleHost": one("56"), "connectionProfileOtherRuleHost": one("57"), "connectionProfileRuleOtherHost": one("58"),
			"campaign": one("25"), "otherCampaign": one("26"), "vastCreative": one("200"), "emptyVastCreative": one("210"),
			"plainCreative": one("230"), "disposableCreatives": {{ID: "301"}, {ID: deletedID}},
			"disposableVastCreatives": {{ID: "240", MediaFileIDs: []spec.ID{"241"}}},
		},
		Foreign: fixtures.Foreign{
			"campaign": "92", "connectionProfile": "91", "connectionProfileRule": "94", "connectionProfileRuleHost": "95",
			"vastCreative": "96",
		},
	}
}

func world() *model.World {
	return &model.World{
		Contract: spec.Load(), Target: target(),
		Existence: func(_ string, id spec.ID) (model.Existence, bool) {
			is, known := map[spec.ID]model.Existence{
				absent: model.Absent, "4294967321": model.Absent, deletedID: model.Deleted, "210": model.Empty,
			}[id]
			return is, known
		},
		Unique: func(text string) bool { return strings.Contains(text, "k3f9") || strings.HasPrefix(text, "cdn.") },
	}
}

// operation matches the beginning of a request, behind its header lines.
var operation = regexp.MustCompile(`(PATCH|GET|DELETE|PUT|HEAD) /`)

// request reads a request: "as stranger; Accept: text/csv; PATCH /campaigns/25 {…}". Two values of a line stand beside |.
func request(text string) model.Request {
	r := model.Request{Header: http.Header{"X-Api-Key": {"key-of-the-owner"}, "Accept": {"application/json"}}}
	begin := operation.FindStringIndex(text)[0]
	words := strings.SplitN(text[begin:], " ", 3)
	r.Method, r.Path = words[0], words[1]
	if len(words) == 3 {
		r.Header.Set("Content-Type", "application/json")
		r.Body = []byte(words[2])
	}
	for line := range strings.SplitSeq(text[:begin], "; ") {
		name, value, _ := strings.Cut(line, ": ")
		switch line {
		case "":
		case "as nobody":
			r.Header.Del("X-Api-Key")
		case "as stranger":
			r.Header.Set("X-Api-Key", "key-of-the-stranger")
		case "in halves":
			r.Halved = true
		default:
			r.Header[http.CanonicalHeaderKey(name)] = strings.Split(value, " | ")
		}
	}
	return r
}

// said returns what is allowed: "success, 404 or 422: ERR-4 name".
func said(a model.Allowed) string {
	e := a.Expect()
	if e.OnlyCrash {
		return "anything"
	}
	var all []string
	if e.Success {
		all = append(all, "success")
	}
	if e.EmptyList {
		all = append(all, "empty")
	}
	if e.Elsewhere {
		all = append(all, "elsewhere")
	}
	if e.AnyRefusal {
		all = append(all, "4xx")
	}
	for _, status := range e.Statuses {
		all = append(all, fmt.Sprint(status))
	}
	return strings.TrimSpace(strings.Join(all, " ") + ": " + e.Clause + " " + e.Field)
}

// Each row is a sentence of the interface document, or a point that it leaves open, and a request that it is about.
func TestRight(t *testing.T) {
	for _, row := range []struct{ sentence, request, want string }{
		// Endpoints
		{
			"Success response: the new representation of the profile.",
			profile + `{"name":"Teal k3f9","withoutCookiesAction":"pass","withCookiesAction":"warn"}`,
			"success: PROFILE-1",
		},
		{"Success response: the new representation of the rule host.", host + hostBody, "success: HOST-1"},
		{"Success response: the new representation of the campaign.", campaign + name, "success: CAMPAIGN-1"},
		{"Success response: status 204, with no content.", "DELETE /creatives/301", "success: DELETE-1"},
		{"Success response: an object with meta.pagination and a data array.", files, "success: MEDIA-1"},
		// Authentication
		{"When the user cannot be authenticated, the response is 401.", "as nobody; " + campaign + name, "401: AUTH-1"},
		{"The same for a key of no user.", "X-Api-Key: x; " + campaign + name, "401: AUTH-1"},
		{"When the authenticated user lacks permission, the response is 403.", "as stranger; " + campaign + name, "403: AUTH-2"},
		{"The same in every operation.", "as stranger; " + files, "403: AUTH-2"},
		{"The same for the owner.", "PATCH /campaigns/92 " + name, "403: AUTH-2"},
		{"The stranger may change what is the stranger's.", "as stranger; PATCH /campaigns/92 " + name, "success: CAMPAIGN-1"},
		{
			"Where a key is sent is not shown: its header has no other name.",
			"X-Key: key-of-the-owner; as nobody; " + campaign + name,
			"401: AUTH-1",
		},
		{
			"Two keys of a request: not shown.",
			"X-Api-Key: key-of-the-owner | key-of-the-stranger; " + campaign + name,
			"success 400 401 403: CAMPAIGN-1",
		},
		// Errors, 404
		{"The requested resource does not exist.", "PATCH /campaigns/" + absent + " " + name, "404: ERR-1"},
		{"It was deleted.", "DELETE /creatives/" + deletedID, "404: DELETE-3"},
		{"A resource it depends on does not exist.", "PATCH /connection-profiles/12/rules/" + absent + "/hosts/56 " + hostBody, "404: ERR-2"},
		{"It belongs to another profile.", "PATCH /connection-profiles/13/rules/34/hosts/56 " + hostBody, "404: ERR-2"},
		{"It belongs to another rule.", "PATCH /connection-profiles/12/rules/34/hosts/57 " + hostBody, "404: ERR-2"},
		{"Each object under its own parents is found.", "PATCH /connection-profiles/12/rules/35/hosts/57 " + hostBody, "success: HOST-1"},
		{"A sibling, too.", "PATCH /connection-profiles/12/rules/34/hosts/58 " + hostBody, "success: HOST-1"},
		{"Ids of two users: not shown.", "PATCH /connection-profiles/91/rules/34/hosts/56 " + hostBody, "403 404: ERR-2"},
		{"No key for what does not exist: which error wins is not shown.", "as nobody; DELETE /creatives/" + deletedID, "401 404: AUTH-1"},
		{"A malformed id: not shown.", "PATCH /campaigns/25abc " + name, "400 404 422: ERR-1"},
		{"The same for zero.", "PATCH /campaigns/0 " + name, "400 404 422: ERR-1"},
		{"The same beyond 63 bits.", "GET /creatives/9223372036854775808/media-files", "empty 400 403 404 422: ERR-1"},
		{"An id of more than 31 bits that no one has.", "PATCH /campaigns/4294967321 " + name, "400 404 422: ERR-1"},
		{"An id that is not UTF-8.", "PATCH /campaigns/%ff " + name, "empty 4xx: ERR-1"},
		{
			"An id that a lax reader takes for another text: not shown.",
			"PATCH /campaigns/025 " + name,
			"success elsewhere 400 404 422: CAMPAIGN-1",
		},
		// Errors, 422
		{"The content of the request is wrong: no JSON.", campaign + `{"name":"Te`, "422: ERR-3"},
		{"No JSON object.", campaign + `[]`, "422: ERR-3"},
		{"A badly formatted field.", campaign + `{"name":["Teal k3f9"]}`, "422: ERR-4 name"},
		{
			"The same among others.",
			profile + `{"name":"Teal k3f9","withoutCookiesAction":2,"withCookiesAction":"warn"}`,
			"422: ERR-4 withoutCookiesAction",
		},
		{
			"A value that is not listed.",
			profile + `{"name":"Teal k3f9","withoutCookiesAction":"never","withCookiesAction":"warn"}`,
			"422: ERR-5 withoutCookiesAction",
		},
		{"Two wrong fields: each issue names one.", profile + `{"name":{},"withoutCookiesAction":2,"withCookiesAction":"warn"}`, "422: ERR-4"},
		{"Field types: not shown, so 1 may be taken for \"1\".", campaign + `{"name":1}`, "success 422: CAMPAIGN-1 name"},
		{
			"A listed value in other letters: not shown.",
			profile + `{"name":"Teal k3f9","withoutCookiesAction":"PASS","withCookiesAction":"warn"}`,
			"success 422: PROFILE-1 withoutCookiesAction",
		},
		{"Which fields are required: not shown.", host + `{"hostname":"cdn.example.com"}`, "success 400 422: HOST-1"},
		{"The same for all fields.", campaign + `{}`, "success 400 422: CAMPAIGN-1"},
		{"The same for no body.", campaign, "success 400 411 415 422: CAMPAIGN-1"},
		{"Null for an optional field: not shown.", host + `{"hostname":"cdn.example.com","regularExpression":null}`, "success 400 422: HOST-1"},
		{"Further fields: not shown.", campaign + `{"name":"Teal k3f9","id":26}`, "success 400 422: CAMPAIGN-1"},
		{"Which characters a name may have: not shown.", campaign + `{"name":"k3f9 <b>"}`, "success 422: CAMPAIGN-1"},
		{"How long a name may be: not shown.", campaign + `{"name":"k3f9 and many more letters"}`, "success 413 422: CAMPAIGN-1"},
		{"Whether names are unique: not shown.", campaign + `{"name":"Spring"}`, "success 409 422: CAMPAIGN-1 name"},
		{"Text behind the object: RFC 8259, 9.", campaign + name + " x", "success 400 422: CAMPAIGN-1"},
		{"Comments and the like: RFC 8259, 9.", campaign + `{/* x */"name":"a"}`, "success 400 422: CAMPAIGN-1"},
		{"A name that comes twice: RFC 8259, 4.", campaign + `{"name":"a","name":"b"}`, "anything"},
		{"The same without a key: refused.", "as nobody; " + campaign + `{"name":"a","name":"b"}`, "4xx 401: AUTH-1"},
		// The same request in another spelling
		{"RFC 8259, 2 and 7: white space and escapes.", campaign + "{ \"n\\u0061me\" :\t\"Teal k3f9\"\n}", "success: CAMPAIGN-1"},
		{"RFC 8259, 11: a charset has no effect.", "Content-Type: application/json;charset=UTF-8; " + campaign + name, "success: CAMPAIGN-1"},
		{"RFC 9110, 12.5.1: JSON among others.", "Accept: text/html, application/json;q=0.5, */*;q=0.1; " + files, "success: MEDIA-1"},
		{"RFC 9112, 7.1: chunks.", "Transfer-Encoding: chunked; " + campaign + name, "success 411: CAMPAIGN-1"},
		{"A slash behind the path: not shown.", "PATCH /campaigns/25/ " + name, "success elsewhere 301 302 307 308 400 404 405: CAMPAIGN-1"},
		{"It is served to nobody else.", "as nobody; PATCH /%63ampaigns/25 " + name, "elsewhere 301 302 307 308 400 401 404 405: AUTH-1"},
		{"Another media type: not shown.", "Content-Type: text/plain; " + campaign + name, "success 4xx: CAMPAIGN-1"},
		{"Another id in the query: not shown.", "PATCH /campaigns/25?campaignId=26 " + name, "success 400 404 422: CAMPAIGN-1"},
		{"No body is required of a delete; a body: not shown.", "DELETE /creatives/301 {}", "success 400 413 415 422: DELETE-1"},
		{"Another media type is wanted: not shown.", "Accept: text/csv; " + files, "anything"},
		{"Halves: not shown.", "in halves; " + campaign + name, "success 408 417: CAMPAIGN-1"},
		// Lists and deletes, not shown
		{"The list of what does not exist.", "GET /creatives/" + absent + "/media-files", "empty 403 404 422: ERR-1"},
		{"The same without a key: not even an empty list.", "as nobody; GET /creatives/" + absent + "/media-files", "401 403 404 422: AUTH-1"},
		{"The list of what is no container.", "GET /creatives/230/media-files", "success 404 422: MEDIA-1"},
		{"The list of an empty container.", "GET /creatives/210/media-files", "success 404: MEDIA-1"},
		{"A page by its number.", files + "?page=2", "success 400 404 422: MEDIA-1"},
		{"A delete of a container.", "DELETE /creatives/240", "success 422: DELETE-1"},
		{"A delete of a media file.", "DELETE /creatives/241", "success 422: DELETE-1"},
		{"Other methods.", "PUT /campaigns/25 " + name, "anything"},
		{"Other paths.", "GET /health", "anything"},
	} {
		if got := said(world().Right(request(row.request))); got != row.want {
			t.Errorf("%s\n  %s\n  got  %s\n  want %s", row.sentence, row.request, got, row.want)
		}
	}
}

// A success shows what was sent, unless it is open what that is.
func TestShows(t *testing.T) {
	for text, want := range map[string]map[string]any{
		campaign + name:                                       {"name": "Teal k3f9"},
		campaign + `{"name":true}`:                            {"name": "true"},
		campaign + `{"name":" "}`:                             {},
		campaign + `{"name":null}`:                            {},
		campaign + `{"name":[]}`:                              {},
		campaign + `{"name":"k3f9 <b>","id":26}`:              {"name": "k3f9 <b>"},
		campaign + `{"name":"k3f9\u200b"}`:                    {},
		campaign + `{"name":"a","name":"b"}`:                  {},
		host + `{"hostname":"-","regularExpression":"(k3f9"}`: {"regularExpression": "(k3f9"},
		"Content-Type: text/plain; " + campaign + name:        {},
		"as nobody; " + campaign + name:                       {},
		files:                                                 {},
		"PATCH /campaigns/25/ " + name:                        {"name": "Teal k3f9"},
	} {
		got := map[string]any{}
		for _, shown := range world().Right(request(text)).Shows {
			got[shown.Name] = shown.Value
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// What the target file settles is not open.
func TestPins(t *testing.T) {
	for _, row := range []struct {
		pin           string
		value         any
		request, want string
	}{
		{"malformedID", int64(404), "PATCH /campaigns/0 " + name, "404: ERR-1"},
		{"emptyObject", "accepted", campaign + `{}`, "success: CAMPAIGN-1"},
		{"emptyObject", "refused", campaign + `{}`, "400 422: PIN-1"},
		{"scalarCoercion", "refused", campaign + `{"name":1}`, "422: ERR-4 name"},
		{"unknownFields", "ignored", campaign + `{"name":"Teal k3f9","x":1}`, "success: CAMPAIGN-1"},
		{"mediaFilesOfMissing", int64(422), "GET /creatives/" + absent + "/media-files", "422: ERR-1"},
		{"mediaFilesOfNonVast", int64(404), "GET /creatives/230/media-files", "404: PIN-1"},
		{"deleteContainer", int64(204), "DELETE /creatives/240", "success: DELETE-1"},
		{"pageParameter", nil, files + "?page=2", "success 400 404 422: MEDIA-1"},
	} {
		w := world()
		w.Target.Open = fixtures.Pins{row.pin: row.value}
		if got := said(w.Right(request(row.request))); got != row.want {
			t.Errorf("%s: %v: %s\n  got  %s\n  want %s", row.pin, row.value, row.request, got, row.want)
		}
	}
}

// Of recorded traffic neither the users nor the objects are known.
func TestNothingIsKnown(t *testing.T) {
	w := &model.World{Contract: spec.Load(), Target: &fixtures.Target{}}
	for text, want := range map[string]string{
		campaign + name:                 "success 400 401 403 404 409 422: CAMPAIGN-1",
		campaign + `{"name":[]}`:        "400 401 403 404 422: ERR-4 name",
		"as nobody; " + campaign + name: "401 403 404 409 422: AUTH-1",
		"DELETE /creatives/301":         "success 400 401 403 404 422: DELETE-1",
		files:                           "success 400 401 403 404 422: MEDIA-1",
	} {
		if got := said(w.Right(request(text))); got != want {
			t.Errorf("%s\n  got  %s\n  want %s", text, got, want)
		}
	}
}

// Each row cites a clause of the contract, or names one of its open points.
// A UUID in other letter case names the object, but a server that compares texts may not find it.
func TestUUIDInOtherLetterCase(t *testing.T) {
	const profile, rule, id = "bd2d234a-2cc0-4c34-9826-2079889e146b", "949701a4-3418-49b7-af53-34efdfcfd695",
		"abac0f9f-49f0-42d8-a741-fe547fbec79c"
	contract, err := dialects.Contract([]string{"bearer-uuid"})
	if err != nil {
		t.Fatal(err)
	}
	w := world()
	w.Contract = contract
	w.Target.Objects["connectionProfile"] = one(profile)
	w.Target.Objects["connectionProfileRule"] = one(rule)
	w.Target.Objects["connectionProfileRuleHost"] = one(id)
	for ids, want := range map[[3]string]bool{
		{profile, rule, id}:                  false,
		{strings.ToUpper(profile), rule, id}: true,
		{profile, strings.ToUpper(rule), id}: true,
		{profile, rule, strings.ToUpper(id)}: true,
	} {
		path := fmt.Sprintf("/connection-profiles/%s/rules/%s/hosts/%s", ids[0], ids[1], ids[2])
		e := w.Right(request("PATCH " + path + " " + hostBody)).Expect()
		if got := slices.Contains(e.Statuses, http.StatusNotFound); !e.Success || got != want {
			t.Errorf("%s: success %t, 404 allowed %t, want true and %t", path, e.Success, got, want)
		}
	}
}

func TestRowsCiteTheContract(t *testing.T) {
	contract := spec.Load()
	for _, text := range []string{
		"as nobody; PATCH /campaigns/" + absent + `/?x=%ff {"name":[],"more":1,"id":2}`, "in halves; X-Api-Key: a | b; DELETE /creatives/0 {}",
		"Accept: text/csv; GET /creatives/" + absent + "/media-files?page=2", host + `{"hostname":" -","regularExpression":"(?<"}`,
	} {
		for _, d := range world().Right(request(text)).Departures {
			switch {
			case d.Point != "" && contract.OpenPoint(d.Point) == nil:
				t.Errorf("%s: %s is not in open.yaml", d.Words, d.Point)
			case d.Clause != "" && contract.Clause(d.Clause) == nil:
				t.Errorf("%s: %s is not in clauses.yaml", d.Words, d.Clause)
			}
		}
	}
}

// What a target was seen to accept alone is no longer open.
func TestWithout(t *testing.T) {
	a := world().Right(request("as nobody; PATCH /campaigns/25?x=1 " + `{"name":"k3f9 <b>","x":1}`))
	var points []string
	for _, d := range a.Openings() {
		points = append(points, d.Point)
	}
	if diff := cmp.Diff([]string{"unknown-parameters", "text-characters", "unknown-fields"}, points); diff != "" {
		t.Error(diff)
	}
	sharp := a.Without(func(d model.Departure) bool { return d.Point != "unknown-fields" })
	if got, want := said(sharp), "400 401 422: AUTH-1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
