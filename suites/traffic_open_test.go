package suites_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

func shownHost(name string) string {
	return fmt.Sprintf(`{"data":{"id":56,"hostname":%q,"regularExpression":"^/a","createdAt":"2024-03-01T09:00:00Z","updatedAt":null}}`, name)
}

// What a target makes of a text beyond the ordinary is open, and which of several
// faults it names.
func TestJudgeOfTextsBeyondTheOrdinary(t *testing.T) {
	const key, path = "some-key-of-a-user", "PATCH /v2/connection-profiles/12/rules/34/hosts/56 "
	body := func(name, regex string) string {
		return fmt.Sprintf(`{"hostname":%s,"regularExpression":%s}`, name, regex)
	}
	for name, c := range map[string]struct {
		exchange recorded
		clause   string
	}{
		"a hostname":                 {recorded{path + body(`"a.example"`, `"^/a"`), key, 200, shownHost("b.example")}, "HOST-3"},
		"in ASCII":                   {recorded{path + body(`"bücher.example"`, `"^/a"`), key, 200, shownHost("xn--bcher-kva.example")}, ""},
		"an address":                 {recorded{path + body(`"https://a.example/x"`, `"^/a"`), key, 200, shownHost("a.example")}, ""},
		"several spaces":             {recorded{`PATCH /v2/campaigns/25 {"name":"a  b"}`, key, 200, shown("a b")}, ""},
		"no space left":              {recorded{`PATCH /v2/campaigns/25 {"name":"a  b"}`, key, 200, shown("ab")}, "CAMPAIGN-3"},
		"a wrong type":               {recorded{path + body(`[7]`, `"^/a"`), key, 422, refused(422, "regularExpression")}, "ERR-10"},
		"a wrong type and a pattern": {recorded{path + body(`7`, `"("`), key, 422, refused(422, "regularExpression")}, ""},
		"a wrong type and a name":    {recorded{path + body(`"a b"`, `7`), key, 422, refused(422, "hostname")}, ""},
	} {
		r := judged(t, true, c.exchange)
		if found := slices.ContainsFunc(r.Findings, func(f oracle.Finding) bool { return f.Clause == c.clause }); found != (c.clause != "") ||
			!found && len(r.Findings) > 0 {
			t.Errorf("%s: want %q: %+v", name, c.clause, r.Findings)
		}
	}
}

// A media type that is like JSON may be refused, but a wrong type is wrong in it.
func TestJudgeOfAnotherMediaType(t *testing.T) {
	for status, verdict := range map[int]report.Verdict{
		415: report.Conforming, 400: report.Conforming, 422: report.Conforming, 200: report.Nonconforming,
	} {
		j, err := suites.NewJudge(suites.NewConfig(&fixtures.Target{BaseURL: "https://api.example/v2"}), true)
		if err != nil {
			t.Fatal(err)
		}
		answer := refused(status, "name")
		if status == 200 {
			answer = shown("1")
		}
		method, target, x := recorded{`PATCH /v2/campaigns/25 {"name":[1]}`, "some-key-of-a-user", status, answer}.exchange()
		x.RequestHeader.Set("Content-Type", "application/merge-patch+json")
		j.End(j.Begin(method, target), x)
		if r := j.Report(); r.Verdict != verdict {
			t.Errorf("%d: %s: %+v", status, r.Verdict, r.Findings)
		}
	}
}

// A key that comes elsewhere than in the key header is open.
func TestJudgeOfOtherCredentials(t *testing.T) {
	for name, verdict := range map[string]report.Verdict{
		"X-Auth-Token": report.Conforming, "Api-Key": report.Conforming, "X-Forwarded-Client-Cert": report.Conforming,
		"X-Request-Id": report.Nonconforming, "Idempotency-Key": report.Nonconforming,
	} {
		j, err := suites.NewJudge(suites.NewConfig(&fixtures.Target{BaseURL: "https://api.example/v2"}), true)
		if err != nil {
			t.Fatal(err)
		}
		method, target, x := recorded{`PATCH /v2/campaigns/25 {"name":"a"}`, "", 200, shown("a")}.exchange()
		x.RequestHeader.Set(name, "something-1")
		j.End(j.Begin(method, target), x)
		if r := j.Report(); r.Verdict != verdict {
			t.Errorf("%s: %s: %+v", name, r.Verdict, r.Findings)
		}
	}
}
