package suites_test

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// small is a small answer in place of the reference's.
type small struct {
	status       int
	header, body string // header: "Location: /x"
}

func page(status int) *small {
	return &small{status, "Content-Type: text/html", "<html><title>Error</title></html>"}
}

func object(status int, body string) *small {
	return &small{status, "Content-Type: application/json", body}
}

// hinting is a server on which a case shows what has a hint, by a seeded fault or by a small
// answer to the case, and one beside it on which it shows something else.
type hinting struct {
	hint, one     string // a case
	fault, beside string // seeded faults; "": none
	answer, other *small
}

const (
	campaign422 = "updateCampaign/422/"
	campaignOK  = "updateCampaign/success/ordinary"
	cutOff      = campaign422 + "body-cut-off"
	nul         = "updateCampaign/text/name-nul"
)

// shownWith is the body of a success with some members of data in place of the reference's.
func shownWith(members string) string {
	return `{"data":{"id":25,"name":"x","createdAt":"2024-01-01T00:00:00Z","updatedAt":"2024-01-01T00:00:00Z","type":"display",` +
		`"shareURL":"https://a.example/x","adspecId":7,"userId":1,` + members + `}}`
}

var hintings = []hinting{
	{hint: "redirected", one: campaignOK, answer: &small{status: 307, header: "Location: /x/"}, other: object(404, "{}")},
	{
		hint: "redirected-to-log-in", one: "updateCampaign/401/unknown-key",
		answer: &small{status: 302, header: "Location: /login?next=/x"}, other: object(403, "{}"),
	},
	{
		hint: "redirected-to-log-in", one: "updateCampaign/401/no-key",
		answer: &small{status: 307, header: "Location: /login"}, other: page(400),
	},
	{
		hint: "escaped-on-the-way-in", one: "updateCampaign/text/name-script",
		fault: "value/html/updateCampaign/name", beside: "value/no-markup/updateCampaign/name",
	},
	{hint: "nul-in-postgresql", one: nul, fault: "crash/name-nul/updateCampaign", beside: "value/nul-ends/updateCampaign/name"},
	{
		hint: "four-bytes-in-mysql", one: "updateCampaign/text/name-many",
		answer: object(500, `{"message":"Incorrect string value: '\\xF0\\x9F'"}`), other: object(500, `{"message":"syntax error"}`),
	},
	{hint: "too-long-for-column", one: "updateCampaign/text/name-length-300", answer: page(500), other: page(400)},
	{
		hint: "cut-by-column", one: "updateCampaign/text/name-length-300",
		fault: "value/cut-255/updateCampaign/name", beside: "value/refused-longer-12/updateCampaign/name",
	},
	{
		hint: "sql-by-joining", one: "updateCampaign/text/name-sql",
		fault: "crash/name-sql/updateCampaign", beside: "value/keywords-lost/updateCampaign/name",
	},
	{
		hint: "surrogate-in-python", one: "updateCampaign/text/name-damaged",
		fault: "crash/name-surrogate/updateCampaign", beside: "decoding/nested-500/updateCampaign",
	},
	{
		hint: "bytes-not-decoded", one: "updateCampaign/text/name-damaged",
		fault: "decoding/not-utf8-500/updateCampaign", beside: "decoding/nested-500/updateCampaign",
	},
	{
		hint: "nesting", one: "updateCampaign/text/name-damaged",
		fault: "decoding/nested-500/updateCampaign", beside: "decoding/not-utf8-500/updateCampaign",
	},
	{hint: "id-overflows", one: "updateCampaign/open/beyond-63-bit-campaign", answer: page(500), other: page(200)},
	{hint: "type-not-looked-at", one: campaign422 + "name-is-array", answer: page(500), other: page(200)},
	{hint: "body-not-looked-at", one: cutOff, answer: page(500), other: object(400, "{}")},
	{
		hint: "enum-by-number", one: "updateConnectionProfile/422/withcookiesaction-is-zero",
		fault: "validation/withCookiesAction-number-taken/updateConnectionProfile", other: object(409, "{}"),
	},
	{
		hint: "enum-any-case", one: "updateConnectionProfile/422/withcookiesaction-is-upper-case",
		fault: "validation/withCookiesAction-upper-case-taken/updateConnectionProfile", other: object(409, "{}"),
	},
	{
		hint: "enum-unlisted", one: "updateConnectionProfile/422/withcookiesaction-is-unlisted",
		fault:  "validation/withCookiesAction-unlisted-taken/updateConnectionProfile",
		beside: "crash/withCookiesAction-unlisted/updateConnectionProfile",
	},
	{
		hint: "array-as-text", one: campaign422 + "name-is-array",
		fault: "validation/name-array-taken/updateCampaign", beside: "crash/name-array/updateCampaign",
	},
	{
		hint: "object-as-text", one: campaign422 + "name-is-object",
		fault: "validation/name-object-taken/updateCampaign", beside: "crash/name-object/updateCampaign",
	},
	{hint: "scalar-as-text", one: campaign422 + "name-is-number", answer: object(200, shownWith(`"a":1`)), other: object(409, "{}")},
	{hint: "malformed-as-empty", one: cutOff, fault: "validation/cut-off-taken/updateCampaign", beside: "crash/cut-off/updateCampaign"},
	{hint: "malformed-is-400", one: cutOff, answer: object(400, "{}"), other: object(409, "{}")},
	{hint: "type-is-415", one: campaign422 + "name-is-array", answer: object(415, "{}"), other: object(409, "{}")},
	{hint: "validation-is-400", one: campaign422 + "name-is-array", answer: object(400, `{"message":"bad"}`), other: object(409, "{}")},
	{
		hint: "error-of-fastapi", one: campaign422 + "name-is-array",
		answer: object(422, `{"detail":[{"loc":["body","name"],"msg":"x"}]}`), other: object(422, `{"oops":1}`),
	},
	{
		hint: "error-of-spring", one: "updateCampaign/404/unknown-campaign-1",
		answer: object(404, `{"timestamp":"x","status":404,"error":"Not Found","path":"/x"}`), other: object(404, `{"oops":1}`),
	},
	{
		hint: "error-of-problem-details", one: campaign422 + "name-is-array",
		answer: &small{422, "Content-Type: application/problem+json", `{"type":"a","title":"b"}`}, other: object(422, `{"oops":1}`),
	},
	{
		hint: "error-of-laravel", one: campaign422 + "name-is-array",
		answer: object(422, `{"message":"x","errors":["y"]}`), other: object(422, `{"oops":1}`),
	},
	{
		hint: "error-of-node", one: "updateCampaign/404/unknown-campaign-1",
		answer: object(404, `{"message":"x","error":"Not Found","statusCode":404}`), other: object(404, `{"oops":1}`),
	},
	{
		hint: "error-of-drf", one: "updateCampaign/404/unknown-campaign-1",
		answer: object(404, `{"detail":"Not found."}`), other: object(404, `{"oops":1}`),
	},
	{hint: "page-for-error", one: "updateCampaign/404/unknown-campaign-1", answer: page(404), other: object(404, `{"oops":1}`)},
	{
		hint: "not-labelled-as-json", one: "listCreativeMediaFiles/success/raw",
		answer: &small{200, "Content-Type: text/plain", `{"data":[]}`}, other: object(200, `{"data":[]}`),
	},
	{hint: "delete-is-200", one: "deleteCreative/success/ordinary", answer: &small{status: 200}, other: object(200, "{}")},
	{hint: "forbidden-for-anonymous", one: "updateCampaign/401/no-key", answer: object(403, "{}"), other: object(404, "{}")},
	{
		hint: "hidden-by-scope", one: "updateCampaign/403/stranger",
		fault: "permission/not-found-instead/updateCampaign", beside: "permission/not-authenticated-instead/updateCampaign",
	},
	{hint: "key-in-any-case", one: "updateCampaign/401/other-case-key", fault: "auth/letter-case/updateCampaign", other: object(409, "{}")},
	{hint: "key-by-its-start", one: "updateCampaign/401/longer-key", fault: "auth/starts-with/updateCampaign", other: object(409, "{}")},
	{
		hint: "user-by-header", one: "updateCampaign/401/user-headers",
		fault: "user/named-by-X-User-Id/updateCampaign", other: object(409, "{}"),
	},
	{
		hint: "answered-from-a-cache", one: "updateCampaign/state/users-in-turn",
		fault: "auth/cached-for-stranger/updateCampaign", other: object(409, "{}"),
	},
	{
		hint: "id-by-its-start", one: "updateCampaign/open/trailing-letters-campaign",
		answer: object(200, shownWith(`"a":1`)), other: object(409, "{}"),
	},
	{
		hint: "id-wraps", one: "updateCampaign/open/wrapped-32-bit-campaign",
		answer: object(200, shownWith(`"a":1`)), other: object(409, "{}"),
	},
	{
		hint: "parent-not-looked-at", one: "updateConnectionProfileRuleHost/404/wrong-connectionprofile",
		fault: "path/profile-exists-only/updateConnectionProfileRuleHost", other: object(409, "{}"),
	},
	{
		hint: "integer-as-text", one: campaignOK,
		answer: object(200, shownWith(`"adspecId":"7"`)), other: object(200, shownWith(`"adspecId":null`)),
	},
	{
		hint: "integer-as-float", one: campaignOK,
		answer: object(200, shownWith(`"adspecId":7.0`)), other: object(200, shownWith(`"adspecId":"7"`)),
	},
	{
		hint: "date-as-number", one: campaignOK,
		answer: object(200, shownWith(`"createdAt":1700000000000`)), other: object(200, shownWith(`"createdAt":"yesterday"`)),
	},
	{
		hint: "updated-at-stands", one: campaignOK,
		fault: "shown/updatedAt-is-createdAt/updateCampaign", beside: "shown/zero-id/updateCampaign",
	},
	{
		hint: "field-of-the-class", one: campaign422 + "name-is-array",
		answer: object(422, `{"error":{"code":422,"message":"x","issues":[{"type":"a","message":"b","relatedField":"Name"}]}}`),
		other:  object(422, `{"error":{"code":422,"message":"x","issues":[{"type":"a","message":"b","relatedField":"names"}]}}`),
	},
	{
		hint: "deleted-or-not", one: "deleteCreative/effects/gone", fault: "delete/again-204", beside: "delete/again-422",
	},
	{
		hint: "no-field-from-the-parser", one: campaign422 + "name-is-array",
		fault: "validation/field-not-named/updateCampaign", beside: "crash/name-array/updateCampaign",
	},
	{
		hint: "checked-too-late", one: "updateCampaign/401/changes-nothing",
		fault: "refused/401-any-key/updateCampaign", beside: "auth/no-key/updateCampaign",
	},
	{hint: "kept-elsewhere", one: campaignOK, fault: "effect/not-stored/updateCampaign", beside: "shown/zero-id/updateCampaign"},
	{
		hint: "pages-from-zero", one: "listCreativeMediaFiles/success/walk-pagedvastcreatives-0",
		fault: "page/page-from-zero", beside: "page/total-one-more",
	},
	{
		hint: "no-order", one: "listCreativeMediaFiles/success/walk-pagedvastcreatives-0",
		fault: "page/second-page-twice", beside: "page/page-from-zero",
	},
	{
		hint: "count-of-the-page", one: "listCreativeMediaFiles/success/walk-pagedvastcreatives-0",
		fault: "page/total-is-count", beside: "page/page-from-zero",
	},
}

// handmade are hints whose findings no quick run shows for certain.
var handmade = map[string][2]oracle.Finding{
	"rounded-by-javascript": {
		{Check: "identity", Expected: "id 9007199254740993, the id in the path", Got: "9007199254740992"},
		{Check: "identity", Expected: "id 25, the id in the path", Got: "26"},
	},
	"emoji-in-mysql": {
		{Check: "server-error", CauseWords: "a text makes the server fail with 500", Sent: &oracle.Sent{What: "a text with an emoji"}},
		{
			Check: "server-error", CauseWords: "a text with special characters makes the server fail with 500",
			Sent: &oracle.Sent{What: "a text with special characters"},
		},
	},
	"trimmed": {
		{Check: "text-altered", Sent: &oracle.Sent{What: "a text with spaces around it"}},
		{Check: "text-altered", Sent: &oracle.Sent{What: "a text that is not normalised"}},
	},
	"whole-row-written": {{Check: "concurrent-writers"}, {Check: "stale", CauseWords: "an update was answered with success and is not kept"}},
}

// Of a text of ten oddities nobody knows which of them the server failed at.
func TestNoHintForManyOddities(t *testing.T) {
	for _, check := range []string{"server-error", "shows-sent", "stale"} {
		f := oracle.Finding{
			Check: check, CauseWords: "a text with special characters makes the server fail with 500",
			Sent: &oracle.Sent{At: "/name", What: "a text with special characters"}, Got: "status 500",
		}
		if h := judge.HintFor(&f); h != nil {
			t.Errorf("%s has the hint %s", check, h.ID)
		}
	}
}

// Each hint shows beside what it is for, and not beside what looks like it.
func TestHints(t *testing.T) {
	tested := map[string]bool{}
	for i, h := range hintings {
		tested[h.hint] = true
		if testing.Short() && i%8 != 0 {
			continue
		}
		t.Run(h.hint, func(t *testing.T) {
			t.Parallel()
			if got := hintsOn(t, h.one, h.fault, h.answer); !strings.Contains(got, h.hint+" ") {
				t.Errorf("not beside what it is for: %s", got)
			}
			if got := hintsOn(t, h.one, h.beside, h.other); strings.Contains(got, h.hint+" ") || !strings.Contains(got, ":") {
				t.Errorf("beside something else, or nothing was found: %q", got)
			}
		})
	}
	for id, findings := range handmade {
		tested[id] = true
		for i, f := range findings {
			if h := judge.HintFor(&f); (h != nil && h.ID == id) != (i == 0) {
				t.Errorf("%s: %+v has the hint %v", id, f, h)
			}
		}
	}
	for _, h := range judge.Hints() {
		if !tested[h.ID] {
			t.Errorf("nothing tests the hint %s", h.ID)
		}
	}
}

// hintsOn are the hints beside what a case finds on a server, as "id : cause".
func hintsOn(t *testing.T, one, fault string, answer *small) string {
	t.Helper()
	var seeded []string
	if fault != "" {
		seeded = append(seeded, fault)
	}
	r := runOn(t, answeringTo(one, answer, faulty(t, seeded...)), func(c *suites.Config) {
		c.Select = func(cs *judge.Case) bool {
			return cs.ID == one || cs.Probes && cs.Operation.ID == strings.Split(one, "/")[0]
		}
	})
	var all []string
	for _, f := range report.NewView(r).Findings {
		all = append(all, strings.TrimPrefix(hintOf(&f)+" : ", " ")+f.Title)
	}
	return strings.Join(all, "; ")
}

// hintOf is the id of a finding's hint.
func hintOf(f *oracle.Finding) string {
	for _, h := range judge.Hints() {
		if h.String() == f.Hint {
			return h.ID
		}
	}
	return ""
}
