package wire

import (
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const plainKey = "Key7abcD"

func keyed(name, value string) Credential { return Credential{Name: name, Value: value, Send: true} }

func TestCurl(t *testing.T) {
	withKey := keyed("owner", plainKey)
	const h = ` -H "X-API-Key: $ADCONFORM_OWNER_KEY" -H 'Accept: application/json'`
	tests := map[string]struct {
		r    Request
		want string
	}{
		"patch": {
			Request{Method: "PATCH", Path: "/campaigns/25", Body: []byte(`{"name":"it's"}`), HasBody: true, Credential: withKey},
			`curl -i -X PATCH http://a.example/v2/campaigns/25` + h + ` -H 'Content-Type: application/json' --data-raw '{"name":"it'\''s"}'`,
		},
		"get": {
			Request{Method: "GET", Path: "/creatives/1/media-files?page=2&x=[]", Credential: withKey},
			`curl -i -X GET --globoff 'http://a.example/v2/creatives/1/media-files?page=2&x=[]'` + h,
		},
		"no body": {
			Request{Method: "PATCH", Path: "/a/../b", Credential: withKey},
			`curl -i -X PATCH --path-as-is http://a.example/v2/a/../b` + h + ` -H 'Content-Length: 0'`,
		},
		"empty body, headers": {
			Request{
				Method: "PATCH", Path: "/x", HasBody: true, Header: http.Header{"Accept": nil, "Content-Type": {""}, "X-A": {"1", "2"}},
				Credential: Credential{Name: "none"},
			},
			`curl -i -X PATCH http://a.example/v2/x -H Accept: -H 'Content-Type;' -H 'X-A: 1' -H 'X-A: 2' --data-raw ''`,
		},
		"control characters": {
			Request{
				Method: "PATCH", Path: "/x", HasBody: true, Body: []byte("%\x00'\\\n\xff"),
				Credential: Credential{Name: "empty", Send: true},
			},
			`printf '\045\000\047\134\012\377' | curl -i -X PATCH http://a.example/v2/x -H 'X-API-Key;' -H ` +
				`'Accept: application/json' -H 'Content-Type: application/json' --data-binary @-`,
		},
		"raw": {
			Request{Method: "GET", Path: "/x", Raw: true, Credential: withKey},
			`curl -i -X GET --http1.1 -H 'Connection: close' http://a.example/v2/x` + h,
		},
		"key elsewhere": {
			Request{Method: "DELETE", Path: "/x?k=" + plainKey + "z", Header: http.Header{"Accept": nil, "Authorization": {"Bearer " + plainKey}}},
			`curl -i -X DELETE "http://a.example/v2/x?k=${ADCONFORM_OWNER_KEY}z" -H Accept: -H "Authorization: Bearer $ADCONFORM_OWNER_KEY"`,
		},
	}
	c := newClient(t, Options{BaseURL: "http://a.example/v2", Secrets: []Secret{{"owner", plainKey}}})
	line := func(c *Client, r Request, want string) {
		ex, _ := c.begin("c", r)
		if ex.Raw = r.Raw; ex.Curl() != want {
			t.Errorf(" got %s\nwant %s", ex.Curl(), want)
		}
	}
	for _, test := range tests {
		line(c, test.r, test.want)
	}
	for no, r := range map[string]Request{
		"curl does not write such a request":                {Method: "GET", Path: "/x", Odd: new(Odd)},
		"its body holds a key between what no shell prints": patch("/x", "\x00"+plainKey),
		"a body of 100001 bytes is too long for a line":     patch("/x", strings.Repeat(" ", maxArgument+1)),
	} {
		line(c, r, "# "+no+": "+r.Method+" http://a.example/v2/x")
	}
}

// A shell that runs the line gives curl exactly what was sent.
func TestCurlInAShell(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell")
	}
	c := newClient(t, Options{BaseURL: "http://a.example", Secrets: []Secret{{"owner", plainKey}}})
	run := func(ex *Exchange) []string {
		// The function prints its arguments, and its input where it is to read it.
		script := `curl() { for a; do printf '%s\037' "$a"; done; case "$a" in @-) cat;; esac; }; ` + ex.Curl()
		cmd := exec.Command(shell, "-c", script)
		cmd.Env = []string{"ADCONFORM_OWNER_KEY=" + plainKey, "PATH=/usr/bin:/bin"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", ex.Curl(), err)
		}
		return strings.Split(string(out), "\x1f")
	}
	bodies := []string{
		`{"name":"x"}`, ``, `'`, `''"$HOME"` + "`id`$(id)", `\n\0%s%d!`, "tab\tand\nnewline\r\x00\x01", "é日😀\u202e",
		"\xff\xfe", `"` + plainKey + `"`,
		strings.Repeat("a", maxArgument), "-", "@file",
	}
	for _, body := range bodies {
		ex, _ := c.begin("c", Request{Method: "PATCH", Path: "/x", Body: []byte(body), HasBody: true, Credential: keyed("owner", plainKey)})
		arguments := run(ex)
		got := arguments[len(arguments)-1]
		if i := slices.Index(arguments, "--data-raw"); i >= 0 {
			got = arguments[i+1]
		}
		if got != body || !utf8.ValidString(ex.Curl()) {
			t.Errorf("body %.50q, want %.50q", got, body)
		}
	}
	for _, value := range []string{plainKey + "x", "Key7abc", "kEY7ABCd", "Key7XbcD"} {
		ex, _ := c.begin("c", Request{Method: "GET", Path: "/x", Credential: keyed("derived", value)})
		if strings.Contains(ex.Curl(), value) || strings.Contains(ex.Curl(), "DERIVED") {
			t.Errorf("%s: %s", value, ex.Curl())
		}
		if arguments := run(ex); !slices.Contains(arguments, "X-API-Key: "+value) {
			t.Errorf("%s: %q", value, arguments)
		}
	}
	for range 20 { // a map of keys must not decide
		ex, _ := c.begin("c", Request{Method: "GET", Path: "/x", Credential: keyed("owner", plainKey)})
		if !strings.Contains(ex.Curl(), `"X-API-Key: $ADCONFORM_OWNER_KEY"`) {
			t.Errorf("taken for a key derived from it: %s", ex.Curl())
		}
	}
	ex, _ := c.begin("c", Request{Method: "GET", Path: "/x", Credential: keyed("reversed", "Dcba7yeK")})
	if !strings.Contains(ex.Curl(), `"X-API-Key: $ADCONFORM_REVERSED_KEY"`) {
		t.Errorf("not derived: %s", ex.Curl())
	}
}
