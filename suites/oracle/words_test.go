package oracle

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
)

// The words of a cause describe what was sent, what came and what was expected.
func TestCauseWords(t *testing.T) {
	sent := func(at, what string) *Sent { return &Sent{At: at, What: what} }
	for want, f := range map[string]Finding{
		"an array is accepted as a text":                 {Check: "not-refused", Clause: "ERR-4", Sent: sent("/name", "an array for a text")},
		"a request without a valid key is carried out":   {Check: "not-refused", Clause: "AUTH-1", Sent: sent("key", "an empty key")},
		"a user without permission can access an object": {Check: "not-refused", Clause: "AUTH-2", Sent: sent("key", "the key of another user")},
		"a malformed id is accepted":                     {Check: "not-refused", Clause: "ERR-1", Sent: sent("path:id", "a malformed id")},
		"a text with U+0000 makes the server fail with 500": {
			Check: "server-error", Clause: "HTTP-1", Answer: &Answer{Status: 500}, Sent: sent("/name", "a text with U+0000"),
		},
		"a malformed body is answered 400 where 422 was expected": {
			Check: "expected-status", Clause: "ERR-3", Allowed: []string{"422"}, Got: "status 400", Sent: sent("body", "JSON that is cut off"),
		},
		"an existing object is answered 404": {
			Check: "expected-status", Clause: "EFFECT-3", Allowed: []string{"a 2xx status with the list"}, Got: "status 404",
			Sent: sent("/name", "a number for a text"),
		},
		"a long text is answered 400 where 422 or 413 was expected": {
			Check: "expected-status", Clause: "ERR-4", Allowed: []string{"422", "413"}, Got: "status 400",
			Sent: sent("/name", "a text of 300 characters"),
		},
		"a user without permission is answered 404 where 403 was expected": {
			Check: "expected-status", Clause: "AUTH-2", Allowed: []string{"403", "401"}, Got: "status 404", Sent: sent("key", StrangersKey),
		},
		"a request that has to be refused is carried out":    {Check: "not-refused", Clause: "ERR-1"},
		"a request is answered as if it were another user's": {Check: "not-refused", Clause: "AUTH-3", Sent: sent("key", "no key")},
		"a request without a valid key is answered 403 where 401 was expected": {
			Check: "expected-status", Clause: "AUTH-1", Allowed: []string{"401", "404"}, Got: "status 403", Sent: sent("key", "no key"),
		},
		"a request with an empty key makes the server fail with 500": {
			Check: "server-error", Answer: &Answer{Status: 500}, Sent: sent("key", "an empty key"),
		},
		"an ordinary request is answered 409": {
			Check: "expected-status", Clause: "CAMPAIGN-1", Allowed: []string{"422"}, Got: "status 409",
		},
		"a value that a field may not have is answered 404 where 422 was expected": {
			Check: "expected-status", Clause: "ERR-5", Allowed: []string{"422"}, Got: "status 404", Sent: sent("/name", "an array for a text"),
		},
		"the owner's key is answered 401": {Check: "expected-status", Clause: "AUTH-4", Got: "status 401"},
		"a user without permission is answered 409, which the operation does not have": {
			Check: "undeclared-status", Answer: &Answer{Status: 409}, Sent: sent("key", StrangersKey+" again"),
		},
	} {
		w := Words{}
		switch f.Check {
		case "not-refused":
			w = Accepted(&f)
		case "expected-status":
			w = WrongStatus(&f)
		default:
			w = Row(f.Check).Words(&f)
		}
		if got := w.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
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
		{clip(strings.Repeat("\x00", 300)), strings.Repeat(`\x00`, 49) + "…"},
		{Describe("x"), `the string "x"`},
		{Describe(true), "true"},
		{Describe(json.Number("1.50")), "the number 1.50"},
		{Describe(map[string]any{}), "an object of 0 members"},
		{shortPointer("/data/0/id"), "/data/0/id"},
		{shortPointer("/data/" + long), "/data"},
		{shortPointer("/" + long), ""},
		{pointer("a/b", "~", ""), "/a~1b/~0/"},
		{anyItem("/data/12/id1"), "/data/*/id1"},
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
			Status: status, Body: body, Header: http.Header{"Content-Type": {contentType}, "Content-Length": {length}}, PathID: 241,
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
