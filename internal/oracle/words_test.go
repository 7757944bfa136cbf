package oracle

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// An expectation says which answers it allows, which check finds another, and what was expected.
func TestExpect(t *testing.T) {
	for _, tc := range []struct {
		operation    string
		e            Expect
		status       int
		body         string
		check, words string
	}{
		{updateCampaign, Expect{Success: true}, 200, campaign, "", "a 2xx status with the representation"},
		{updateCampaign, Expect{Success: true}, 200, `{"data":[]}`, "expected-status", "a 2xx status with the representation"},
		{updateCampaign, Expect{Statuses: []int{401, 404}}, 404, errorBody, "", "status 401 or status 404"},
		{updateCampaign, Expect{Statuses: []int{401}}, 200, campaign, "not-refused", "status 401"},
		{deleteCreative, Expect{Success: true}, 200, "", "expected-status", "status 204"},
		{listMedia, Expect{Success: true}, 200, listBody(0, 0, 1, 0), "", "a 2xx status with the list"},
		{listMedia, Expect{EmptyList: true, AnyRefusal: true}, 422, errorBody, "", "an empty list or a 4xx status"},
		{listMedia, Expect{EmptyList: true}, 200, listBody(0, 0, 1, 0), "", "an empty list"},
		{listMedia, Expect{Elsewhere: true}, 200, "<html>", "", "an answer that is not the list"},
		{listMedia, Expect{Elsewhere: true}, 200, listBody(0, 0, 1, 0), "not-refused", "an answer that is not the list"},
		{updateCampaign, Expect{Elsewhere: true}, 301, "", "", "an answer that is not the representation"},
	} {
		op, body := spec.Load().Operation(tc.operation), Decode([]byte(tc.body))
		check := ""
		if !tc.e.Allows(op, tc.status, body) {
			check = tc.e.Check(tc.status)
		}
		if words := tc.e.Words(op); check != tc.check || words != tc.words {
			t.Errorf("%d to %+v: %q, %s, want %q, %s", tc.status, tc.e, check, words, tc.check, tc.words)
		}
	}
}

func TestAltered(t *testing.T) {
	for _, tc := range []struct {
		want, got any
		altered   bool
	}{
		{"a b", "a b", false}, // the texts are equal
		{" a  b\n", "a b", true},
		{"a\tb", "a b", true},
		{"e\u0301", "é", true},
		{"a\x00b", "a b", false},
		{"a b", "A b", false},
		{"a b", nil, false},
		{json.Number("1"), "1", false},
	} {
		if got := Altered(tc.want, tc.got); got != tc.altered {
			t.Errorf("%q for %q: %t, want %t", tc.got, tc.want, got, tc.altered)
		}
	}
}

func TestTextOf(t *testing.T) {
	text, action, count := &spec.Field{Type: "string"}, &spec.Field{Type: "string", Enum: []string{"pass"}}, &spec.Field{Type: "integer"}
	for _, tc := range []struct {
		field *spec.Field
		sent  any
		want  string
		ok    bool
	}{
		{text, 1, "1", true},
		{text, true, "true", true},
		{text, json.Number("1.0"), "1.0", true},
		{text, "1", "", false},
		{text, nil, "", false},
		{action, 1, "", false},
		{action, "pass", "", false},
		{action, " PASS\n", "pass", true},
		{action, "passing", "", false},
		{count, 1, "", false},
	} {
		if got, ok := TextOf(tc.field, tc.sent); got != tc.want || ok != tc.ok {
			t.Errorf("%v for a %s: %q, %t, want %q, %t", tc.sent, tc.field.Type, got, ok, tc.want, tc.ok)
		}
	}
}

func TestWords(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, tc := range []struct{ got, want string }{
		{clip("a\tb\x1b[31m\u202e\x00\u00a0é😀"), `a\tb\x1b[31m\u202e\x00\u00a0é😀`},
		{clip("\xff\ufffd"), "\\xff\ufffd"},
		{clip(long), strings.Repeat("é", 199) + "…"},
		{clip(strings.Repeat("\x00", 300)), strings.Repeat(`\x00`, 49) + `\x0…`},
		{Describe("x"), `the string "x"`},
		{Describe(true), "true"},
		{Describe(json.Number("1.50")), "the number 1.50"},
		{Describe(map[string]any{}), "an object of 0 members"},
		{shortPointer("/data/0/id"), "/data/0/id"},
		{shortPointer("/data/" + long), "/data"},
		{shortPointer("/" + long), ""},
		{pointer("a/b", "~", ""), "/a~1b/~0/"},
		{wording.AnyItem("/data/12/id1"), "/data/*/id1"},
	} {
		if tc.got != tc.want {
			t.Errorf("expected %q, got %q", tc.want, tc.got)
		}
	}
}

// Whatever a server sends, Judge returns findings that can be reported, and the
// same ones each time.
func FuzzJudge(f *testing.F) {
	c := spec.Load()
	o := New(c, nil)
	list := listBody(2, 2, 1, 1, 241, 242)
	for _, body := range []string{
		profileBody, hostBody, campaign, list, errorBody, "", "null", "{}", "[]", `{"data":null}`, "\ufeff{}", "{\"data\":\"\xff\"}",
		`{"data":{"id":1e400}}`, `{"data":{"id":1.0,"id":2}}`, `{"error":{"status":422,"causes":[{"x":"\ud800"}]}}`, listHuge,
		`{"meta":{"pagination":{"count":-1,"totalCount":-9223372036854775808,"page":1,"totalPages":9223372036854775807}},` +
			`"data":[1,{"id":1},{"id":1}]}`,
	} {
		for _, status := range []int{200, 204, 404, 422} {
			f.Add([]byte(body), status, "application/json; charset=utf-8", "0")
		}
	}
	f.Add([]byte("x"), 500, "text/html", "")
	f.Fuzz(func(t *testing.T, body []byte, status int, contentType, length string) {
		r := Response{
			Status: status, Body: body, Header: http.Header{"Content-Type": {contentType}, "Content-Length": {length}}, PathID: "241",
			RequestedPage: 2,
		}
		for _, op := range c.Operations {
			j := o.Judge(op, r)
			for _, finding := range j.Findings {
				checkFinding(t, c, j, finding)
			}
			if j.Valid && !json.Valid(body) {
				t.Errorf("%s: %q is taken for JSON", op.ID, body)
			}
			if again := o.Judge(op, r); !reflect.DeepEqual(again, j) {
				t.Errorf("%s: judged %+v, then %+v", op.ID, j, again)
			}
		}
	})
}

func TestReadMoment(t *testing.T) {
	second := time.Second
	for _, tc := range []struct {
		text, form, utc string
		granularity     time.Duration
	}{
		{"2024-01-31T09:30:00Z", "rfc3339", "2024-01-31T09:30:00Z", second},
		{"2024-01-31t09:30:00z", "rfc3339", "2024-01-31T09:30:00Z", second},
		{"2024-01-31T09:30:00+01:00", "rfc3339", "2024-01-31T08:30:00Z", second},
		{"2024-01-31T09:30:00.5Z", "rfc3339", "2024-01-31T09:30:00.5Z", second / 10},
		{"2024-01-31T09:30:00,123456Z", "rfc3339", "2024-01-31T09:30:00.123456Z", time.Microsecond},
		{"2024-01-31T09:30:00.1234567899Z", "rfc3339", "2024-01-31T09:30:00.123456789Z", 1},
		{"2024-01-31T09:30:00+0100", "2006-01-02T15:04:05Z0700", "2024-01-31T08:30:00Z", second},
		{"2024-01-31T09:30:00-05", "2006-01-02T15:04:05Z07", "2024-01-31T14:30:00Z", second},
		{"2024-01-31T09:30:00", "2006-01-02T15:04:05", "2024-01-31T09:30:00Z", second},
		{"2024-01-31 09:30:00", "2006-01-02 15:04:05", "2024-01-31T09:30:00Z", second},
		{"2024-01-31 09:30:00+02", "2006-01-02 15:04:05Z07", "2024-01-31T07:30:00Z", second},
		{"2024-01-31T09:30Z", "2006-01-02T15:04Z07:00", "2024-01-31T09:30:00Z", time.Minute},
		{"2024-01-31T09:30", "2006-01-02T15:04", "2024-01-31T09:30:00Z", time.Minute},
		{"2024-01-31", "date", "2024-01-31T00:00:00Z", 24 * time.Hour},
		{"Wed, 31 Jan 2024 09:30:00 GMT", "rfc1123", "2024-01-31T09:30:00Z", second},
		{"Wed, 31 Jan 2024 09:30:00 +0100", "rfc1123", "2024-01-31T08:30:00Z", second},
		{"2016-12-31T23:59:60Z", "rfc3339", "2017-01-01T00:00:00Z", second},
		{"Sat, 31 Dec 2016 23:59:60 GMT", "rfc1123", "2017-01-01T00:00:00Z", second},
		{"Wednesday, 31-Jan-24 09:30:00 UTC", "rfc850", "2024-01-31T09:30:00Z", second},
		{"Wed Jan 31 09:30:00 UTC 2024", "asctime", "2024-01-31T09:30:00Z", second},
		{"20240131T093000Z", "compact", "2024-01-31T09:30:00Z", second},
		{"2024/01/31 09:30:00", "2006/01/02 15:04:05", "2024-01-31T09:30:00Z", second},
		{"31.01.2024 09:30:00", "02.01.2006 15:04:05", "2024-01-31T09:30:00Z", second},
		{"2024/01/31 09:30 UTC", "2006/01/02 15:04 UTC", "2024-01-31T09:30:00Z", time.Minute},
		{"31.01.2024 09:30", "02.01.2006 15:04", "2024-01-31T09:30:00Z", time.Minute},
	} {
		got, ok := ReadMoment(tc.text)
		if at := got.UTC().Format(time.RFC3339Nano); !ok || got.Form != tc.form || at != tc.utc || got.Grain != tc.granularity {
			t.Errorf("%s: expected %s, %s, %s, got %+v, %t", tc.text, tc.form, tc.utc, tc.granularity, got, ok)
		}
	}
}

// A date is before another one only if neither its form nor a clock that is off explains that.
func TestBefore(t *testing.T) {
	for _, row := range []struct {
		first, second string
		want          bool
	}{
		{"2024-01-31T09:30:01Z", "2024-01-31T09:30:08Z", true},
		{"2024-01-31T09:30:01Z", "2024-01-31T09:30:06Z", false}, // clocks differ
		{"2024-01-31T09:30:08Z", "2024-01-31T09:30:01Z", false},
		{"2024-01-31T09:30:00Z", "2024-01-31T09:30:59Z", false}, // it may be cut to the minute
		{"2024-01-31T09:30:00Z", "2024-01-31T09:31:00Z", true},
		{"2024-01-31T09:30Z", "2024-01-31T09:30:59Z", false},
		{"2024-01-31", "2024-01-31T23:59:59", false},
		{"2024-01-31", "2024-02-01T00:00:00", true},
		{"2024-01-31T09:30:01", "2024-01-31T09:30:08Z", false}, // without a zone
		{"2024-01-31T09:30:01+01:00", "2024-01-31T08:30:08Z", true},
	} {
		first, _ := ReadMoment(row.first)
		second, _ := ReadMoment(row.second)
		if got := first.Before(second); got != row.want {
			t.Errorf("%s before %s: %t", row.first, row.second, got)
		}
	}
}

func TestReadMomentRefuses(t *testing.T) {
	for _, text := range []string{
		"", " ", "yesterday", "1704067200", "2024-01", "20240131", "2024-1-31", "31/01/2024", "01/31/2024 09:30:00", "null", "Invalid Date",
		"2024-02-30", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "0000-00-00", "2024-01-32",
		"2024-02-31T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:61Z", "2024-01-01T1:00:00Z",
		"2024-01-01T00:00:00.Z", "2024-01-01T00:00:00.", "2024-01-01T00:00:00+1:00",
		"2024-01-01T00:00:00ZZ", " 2024-01-01T00:00:00Z", "2024-01-01X00:00:00Z", "2024-01-01T00:00.5Z",
		"2024-02-30T00:00Z", "2024-01-01T00:60Z", "2024-01-01T00Z", "2024-01-01T000000Z", "2024-01-01T00:00:00é", "Wed,",
		"Tue, 31 Jan 2024 09:30:00 GMT", "Fri, 31 Feb 2024 09:30:00 GMT", "Wed, 31 Jan 24 09:30:00 GMT", "Mon, 01 Jan 2024 25:00:00 GMT",
	} {
		if at, ok := ReadMoment(text); ok {
			t.Errorf("%q is taken for %+v", text, at)
		}
	}
}

func TestDatesWithAndWithoutAZoneAreComparedLoosely(t *testing.T) {
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{"2024-03-01T09:00:00Z", "2024-03-01T11:00:00+02:00", true},
		{"2024-03-01T09:00:00Z", "2024-03-01T11:00:00Z", false},
		{"2024-03-01T09:00:00Z", "2024-03-01", true},
		{"2024-03-01T23:00:00Z", "2024-03-02", true},
		{"2024-03-01T09:00:00Z", "2024-03-03", false},
		{"2024-03-01T09:00:00Z", "2024-03-01 19:00:00", true},
		{"2024-03-01T09:00:00Z", "2024-03-03 19:00:00", false},
		{"2024-03-01 09:00:00", "2024-03-01 19:00:00", false},
	} {
		if SameDate(row.a, row.b) != row.same || SameDate(row.b, row.a) != row.same {
			t.Errorf("%s and %s: expected the same to be %v", row.a, row.b, row.same)
		}
	}
}
