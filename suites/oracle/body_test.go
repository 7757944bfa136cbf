package oracle

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
)

func TestNoContent(t *testing.T) {
	none := answer(204, "")
	judgeAll(t, []row{
		{"nothing", deleteCreative, none, ""},
		{"body", deleteCreative, answer(204, "{}"), "DELETE-2 "},
		{"announced", deleteCreative, headed(none, "Content-Length", "12"), "DELETE-2 header:Content-Length"},
		{"announced oddly", deleteCreative, headed(none, "Content-Length", "-1"), "DELETE-2 header:Content-Length"},
		{"length 0", deleteCreative, headed(none, "Content-Length", "0"), "OPEN-4 header:Content-Length"},
		{"content type alone", deleteCreative, headed(none, "Content-Type", "text/html"), ""},
	})
}

func TestWhyItIsNotJSON(t *testing.T) {
	for body, want := range map[string]string{
		"\ufeff{}":           "a byte order mark at byte 0",
		" \n":                "nothing but white space",
		`{"a":1} {"b":2}`:    "more after the end of the text at byte 7",
		`{"a":[1,`:           "an unfinished text that ends at byte 8",
		"{\"a\":\"b\xffc\"}": "invalid UTF-8 at byte 7",
	} {
		if _, problem := decode([]byte(body)); problem == nil || problem.got != want {
			t.Errorf("%q: expected %q, got %+v", body, want, problem)
		}
	}
}

// Hostile bodies must lead to a finding, in time and memory proportional to their
// length.
func TestHostileBodies(t *testing.T) {
	id := func(number string) string { return strings.Replace(campaign, `"id":25`, `"id":`+number, 1) }
	extra := func(text string) string { return strings.Replace(campaign, `"id":25`, `"id":25,"x":`+text, 1) }
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	twice := strings.Repeat(`{"a":1,"a":`, 9_000) + "1" + strings.Repeat("}", 9_000)
	c := spec.Load()
	o := New(c, nil)
	for name, tc := range map[string]struct{ body, want string }{
		"nested 100,000":         {extra(deep(100_000)), "JSON-1"},
		"nested 5,000":           {extra(deep(5_000)), ""},
		"twice at every depth":   {extra(twice), "JSON-2"},
		"10,000 digits":          {id(strings.Repeat("9", 10_000)), "CAMPAIGN-5"},
		"a million digits":       {id("1." + strings.Repeat("9", 1_000_000)), "CAMPAIGN-5"},
		"-1e999999999999999999":  {id("-1e999999999999999999"), "CAMPAIGN-5"},
		"0e99999":                {id("0e9999"), "OPEN-5"},
		"long name":              {extra(`{"` + strings.Repeat("n", 1_000_000) + `":1}`), ""},
		"controls in the string": {strings.Replace(campaign, `"id":25`, `"id":"\u0000\u001b[31m\u202e\r\n"`, 1), "CAMPAIGN-5"},
	} {
		t.Run(name, func(t *testing.T) {
			j := o.Judge(c.Operation(updateCampaign), answer(200, tc.body))
			got := ""
			for _, f := range j.Findings {
				checkFinding(t, c, j, f)
				got += f.Clause
			}
			if got != tc.want {
				t.Errorf("expected %q, got %q: %+v", tc.want, got, j.Findings)
			}
		})
	}
}

func TestTooMuch(t *testing.T) {
	long := strings.Repeat("a", maxString)
	for name, test := range map[string]struct{ body, want string }{
		"short":             {`{"a":[1,2]}`, ""},
		"a long list":       {"[" + strings.Repeat("7,", maxValues-2) + "7]", ""},
		"one value more":    {"[" + strings.Repeat("7,", maxValues) + "7]", "too many to judge"},
		"a long string":     {`["` + long + `"]`, ""},
		"one byte more":     {`["` + long + `a"]`, "too long to judge"},
		"escaped quotes":    {`["` + strings.Repeat(`\"`, maxString/2+1) + `"]`, "too long to judge"},
		"escaped backslash": {`["` + strings.Repeat(`\\`, maxString/2) + `",` + strings.Repeat("7,", maxValues) + `7]`, "too many to judge"},
		"too deep":          {strings.Repeat("[", maxValues+1), ""},
		"no end":            {`["` + long + long, ""},
	} {
		if got := TooMuch([]byte(test.body)); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want … %s …", name, got, test.want)
		}
	}
}
