package suites_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// serving makes a server of the reference, on which a case shows something.
type serving func(t *testing.T, one string) http.Handler

// by is a seeded fault.
func by(fault string) serving {
	return func(t *testing.T, _ string) http.Handler { return faulty(t, fault) }
}

// small is a small answer to the case in place of the reference's; header is one: "Location: /x".
func small(status int, header, body string) serving {
	return func(t *testing.T, one string) http.Handler {
		next := bundled(t)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get(wire.CaseHeader) != one {
				next.ServeHTTP(w, r)
				return
			}
			if name, value, ok := strings.Cut(header, ": "); ok {
				w.Header().Set(name, value)
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
	}
}

func page(status int) serving {
	return small(status, "Content-Type: text/html", "<html><title>Error</title></html>")
}

func object(status int, body string) serving {
	return small(status, "Content-Type: application/json", body)
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

// hintings are hints, each with a server on which a case shows what has it, and one on which it shows
// something else.
var hintings = []struct {
	hint, one     string
	shows, beside serving
}{
	{"redirected", campaignOK, small(307, "Location: /x/", ""), object(404, "{}")},
	{"redirected-to-log-in", "updateCampaign/401/unknown-key", small(302, "Location: /login?next=/x", ""), object(403, "{}")},
	{"redirected-to-log-in", "updateCampaign/401/no-key", small(307, "Location: /login", ""), page(400)},
	{
		"escaped-on-the-way-in", "updateCampaign/text/name-script",
		by("value/html/updateCampaign/name"), by("value/no-markup/updateCampaign/name"),
	},
	{"nul-in-postgresql", nul, by("crash/name-nul/updateCampaign"), by("value/nul-ends/updateCampaign/name")},
	{
		"four-bytes-in-mysql", "updateCampaign/text/name-many",
		object(500, `{"message":"Incorrect string value: '\\xF0\\x9F'"}`), object(500, `{"message":"syntax error"}`),
	},
	{"too-long-for-column", "updateCampaign/text/name-length-300", page(500), page(400)},
	{
		"cut-by-column", "updateCampaign/text/name-length-300",
		by("value/cut-255/updateCampaign/name"), by("value/refused-longer-12/updateCampaign/name"),
	},
	{
		"sql-by-joining", "updateCampaign/text/name-sql",
		by("crash/name-sql/updateCampaign"), by("value/keywords-lost/updateCampaign/name"),
	},
	{
		"surrogate-in-python", "updateCampaign/text/name-damaged",
		by("crash/name-surrogate/updateCampaign"), by("decoding/nested-500/updateCampaign"),
	},
	{
		"bytes-not-decoded", "updateCampaign/text/name-damaged",
		by("decoding/not-utf8-500/updateCampaign"), by("decoding/nested-500/updateCampaign"),
	},
	{"nesting", "updateCampaign/text/name-damaged", by("decoding/nested-500/updateCampaign"), by("decoding/not-utf8-500/updateCampaign")},
	{"id-overflows", "updateCampaign/open/beyond-63-bit-campaign", page(500), page(200)},
	{"type-not-looked-at", campaign422 + "name-is-array", page(500), page(200)},
	{"body-not-looked-at", cutOff, page(500), object(400, "{}")},
	{
		"enum-by-number", "updateConnectionProfile/422/withcookiesaction-is-zero",
		by("validation/withCookiesAction-number-taken/updateConnectionProfile"), object(409, "{}"),
	},
	{
		"enum-any-case", "updateConnectionProfile/422/withcookiesaction-is-upper-case",
		by("validation/withCookiesAction-upper-case-taken/updateConnectionProfile"), object(409, "{}"),
	},
	{
		"enum-unlisted", "updateConnectionProfile/422/withcookiesaction-is-unlisted",
		by("validation/withCookiesAction-unlisted-taken/updateConnectionProfile"),
		by("crash/withCookiesAction-unlisted/updateConnectionProfile"),
	},
	{
		"array-as-text", campaign422 + "name-is-array",
		by("validation/name-array-taken/updateCampaign"), by("crash/name-array/updateCampaign"),
	},
	{
		"object-as-text", campaign422 + "name-is-object",
		by("validation/name-object-taken/updateCampaign"), by("crash/name-object/updateCampaign"),
	},
	{"scalar-as-text", campaign422 + "name-is-number", object(200, shownWith(`"a":1`)), object(409, "{}")},
	{"malformed-as-empty", cutOff, by("validation/cut-off-taken/updateCampaign"), by("crash/cut-off/updateCampaign")},
	{"malformed-is-400", cutOff, object(400, "{}"), object(409, "{}")},
	{"type-is-415", campaign422 + "name-is-array", object(415, "{}"), object(409, "{}")},
	{"validation-is-400", campaign422 + "name-is-array", object(400, `{"message":"bad"}`), object(409, "{}")},
	{
		"error-of-fastapi", campaign422 + "name-is-array",
		object(422, `{"detail":[{"loc":["body","name"],"msg":"x"}]}`), object(422, `{"oops":1}`),
	},
	{
		"error-of-spring", "updateCampaign/404/unknown-campaign-1",
		object(404, `{"timestamp":"x","status":404,"error":"Not Found","path":"/x"}`), object(404, `{"oops":1}`),
	},
	{
		"error-of-problem-details", campaign422 + "name-is-array",
		small(422, "Content-Type: application/problem+json", `{"type":"a","title":"b"}`), object(422, `{"oops":1}`),
	},
	{"error-of-laravel", campaign422 + "name-is-array", object(422, `{"message":"x","errors":["y"]}`), object(422, `{"oops":1}`)},
	{
		"error-of-node", "updateCampaign/404/unknown-campaign-1",
		object(404, `{"message":"x","error":"Not Found","statusCode":404}`), object(404, `{"oops":1}`),
	},
	{"error-of-drf", "updateCampaign/404/unknown-campaign-1", object(404, `{"detail":"Not found."}`), object(404, `{"oops":1}`)},
	{"page-for-error", "updateCampaign/404/unknown-campaign-1", page(404), object(404, `{"oops":1}`)},
	{
		"not-labelled-as-json", "listCreativeMediaFiles/success/raw",
		small(200, "Content-Type: text/plain", `{"data":[]}`), object(200, `{"data":[]}`),
	},
	{"delete-is-200", "deleteCreative/success/ordinary", small(200, "", ""), object(200, "{}")},
	{"forbidden-for-anonymous", "updateCampaign/401/no-key", object(403, "{}"), object(404, "{}")},
	{
		"hidden-by-scope", "updateCampaign/403/stranger",
		by("permission/not-found-instead/updateCampaign"), by("permission/not-authenticated-instead/updateCampaign"),
	},
	{"key-in-any-case", "updateCampaign/401/other-case-key", by("auth/letter-case/updateCampaign"), object(409, "{}")},
	{"key-by-its-start", "updateCampaign/401/longer-key", by("auth/starts-with/updateCampaign"), object(409, "{}")},
	{"user-by-header", "updateCampaign/401/user-headers", by("user/named-by-X-User-Id/updateCampaign"), object(409, "{}")},
	{"answered-from-a-cache", "updateCampaign/state/users-in-turn", by("auth/cached-for-stranger/updateCampaign"), object(409, "{}")},
	{"id-by-its-start", "updateCampaign/open/trailing-letters-campaign", object(200, shownWith(`"a":1`)), object(409, "{}")},
	{"id-wraps", "updateCampaign/open/wrapped-32-bit-campaign", object(200, shownWith(`"a":1`)), object(409, "{}")},
	{
		"parent-not-looked-at", "updateConnectionProfileRuleHost/404/wrong-connectionprofile",
		by("path/profile-exists-only/updateConnectionProfileRuleHost"), object(409, "{}"),
	},
	{"integer-as-text", campaignOK, object(200, shownWith(`"adspecId":"7"`)), object(200, shownWith(`"adspecId":null`))},
	{"integer-as-float", campaignOK, object(200, shownWith(`"adspecId":7.0`)), object(200, shownWith(`"adspecId":"7"`))},
	{
		"date-as-number", campaignOK,
		object(200, shownWith(`"createdAt":1700000000000`)), object(200, shownWith(`"createdAt":"yesterday"`)),
	},
	{"updated-at-stands", campaignOK, by("shown/updatedAt-is-createdAt/updateCampaign"), by("shown/zero-id/updateCampaign")},
	{
		"field-of-the-class", campaign422 + "name-is-array",
		object(422, `{"error":{"code":422,"message":"x","issues":[{"type":"a","message":"b","relatedField":"Name"}]}}`),
		object(422, `{"error":{"code":422,"message":"x","issues":[{"type":"a","message":"b","relatedField":"names"}]}}`),
	},
	{"deleted-or-not", "deleteCreative/effects/gone", by("delete/again-204"), by("delete/again-422")},
	{
		"no-field-from-the-parser", campaign422 + "name-is-array",
		by("validation/field-not-named/updateCampaign"), by("crash/name-array/updateCampaign"),
	},
	{
		"checked-too-late", "updateCampaign/401/changes-nothing",
		by("refused/401-any-key/updateCampaign"), by("auth/no-key/updateCampaign"),
	},
	{"kept-elsewhere", campaignOK, by("effect/not-stored/updateCampaign"), by("shown/zero-id/updateCampaign")},
	{"pages-from-zero", "listCreativeMediaFiles/success/walk-pagedvastcreatives-0", by("page/page-from-zero"), by("page/total-one-more")},
	{"no-order", "listCreativeMediaFiles/success/walk-pagedvastcreatives-0", by("page/second-page-twice"), by("page/page-from-zero")},
	{
		"count-of-the-page", "listCreativeMediaFiles/success/walk-pagedvastcreatives-0",
		by("page/total-is-count"), by("page/page-from-zero"),
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
			if got := hintsOn(t, h.one, h.shows); !strings.Contains(got, h.hint+" ") {
				t.Errorf("not beside what it is for: %s", got)
			}
			if got := hintsOn(t, h.one, h.beside); strings.Contains(got, h.hint+" ") || !strings.Contains(got, ":") {
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
func hintsOn(t *testing.T, one string, server serving) string {
	t.Helper()
	r := runOn(t, server(t, one), func(c *suites.Config) {
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
