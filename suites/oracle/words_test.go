package oracle

import "testing"

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
