package wire

import (
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const plainKey = "Key7abcD"

func keyed(name, value string) Credential { return Credential{Name: name, Value: value, Send: true} }

func TestCurl(t *testing.T) {
	withKey := keyed("owner", plainKey)
	const h = ` -H "X-API-Key: $ADCONFORM_OWNER_KEY" -H 'Accept: application/json'`
	c := newClient(t, Options{BaseURL: "http://a.example/v2", Secrets: []Credential{{Name: "owner", Value: plainKey}}})
	for want, r := range map[string]Request{
		`curl -i -X PATCH http://a.example/v2/campaigns/25` + h + ` -H 'Content-Type: application/json' --data-raw '{"name":"it'\''s"}'`: {
			Method: "PATCH", Path: "/campaigns/25", Body: []byte(`{"name":"it's"}`), Credential: withKey,
		},
		`curl -i -X GET --globoff 'http://a.example/v2/creatives/1?page=2&x=[]'` + h: {
			Method: "GET", Path: "/creatives/1?page=2&x=[]", Credential: withKey,
		},
		`curl -i -X PATCH --path-as-is http://a.example/v2/a/../b` + h + ` -H 'Content-Length: 0'`: {
			Method: "PATCH", Path: "/a/../b", Credential: withKey,
		},
		`curl -i -X PATCH http://a.example/v2/x -H 'X-API-Key;' -H Accept: -H 'Content-Type;' -H 'X-A: 1' -H 'X-A: 2' --data-raw ''`: {
			Method: "PATCH", Path: "/x", Body: []byte{}, Header: http.Header{"Accept": nil, "Content-Type": {""}, "X-A": {"1", "2"}},
			Credential: Credential{Name: "empty", Send: true},
		},
		`curl -i -X GET --http1.1 -H 'Connection: close' http://a.example/v2/x` + h: {
			Method: "GET", Path: "/x", Raw: true, Credential: withKey,
		},
		`curl -i -X DELETE "http://a.example/v2/x?k=${ADCONFORM_OWNER_KEY}z" -H Accept: -H "Authorization: Bearer $ADCONFORM_OWNER_KEY"`: {
			Method: "DELETE", Path: "/x?k=" + plainKey + "z", Header: http.Header{"Accept": nil, "Authorization": {"Bearer " + plainKey}},
		},
		`curl -i -X GET http://a.example/v2/x -H "X-API-Key: $ADCONFORM_REVERSED_KEY" -H 'Accept: application/json'`: as(
			keyed("reversed", "Dcba7yeK"), get("/x")),
		"# curl does not write such a request: GET http://a.example/v2/x":              {Method: "GET", Path: "/x", Odd: new(Odd)},
		"# its body holds what no shell prints: PATCH http://a.example/v2/x":           patch("/x", "\x00"+plainKey),
		"# a body of 100001 bytes is too long for a line: PATCH http://a.example/v2/x": patch("/x", strings.Repeat(" ", maxArgument+1)),
	} {
		ex := c.begin("c", r).ex
		if ex.Raw = r.Raw; ex.Curl() != want {
			t.Errorf(" got %s\nwant %s", ex.Curl(), want)
		}
	}
}

// A shell that runs the line passes to curl exactly what was sent.
func TestCurlInAShell(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell")
	}
	c := newClient(t, Options{BaseURL: "http://a.example", Secrets: []Credential{{Name: "owner", Value: plainKey}}})
	run := func(ex *Exchange) []string {
		cmd := exec.Command(shell, "-c", `curl() { printf '%s\037' "$@"; }; `+ex.Curl())
		cmd.Env = []string{"ADCONFORM_OWNER_KEY=" + plainKey, "PATH=/usr/bin:/bin"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", ex.Curl(), err)
		}
		return strings.Split(string(out), "\x1f")
	}
	for _, body := range []string{
		`{"name":"x"}`, ``, `'`, `''"$HOME"` + "`id`$(id)", `\n\0%s%d!`, "é日😀", `"` + plainKey + `"`, "-", "@file",
		strings.Repeat("a", maxArgument),
	} {
		ex := c.begin("c", as(keyed("owner", plainKey), patch("/x", body))).ex
		if arguments := run(ex); arguments[slices.Index(arguments, "--data-raw")+1] != body {
			t.Errorf("body %.50q in %.200q", body, arguments)
		}
	}
	for value, by := range map[string]string{
		plainKey + "x": "${ADCONFORM_OWNER_KEY}x", "Key7abc": "${ADCONFORM_OWNER_KEY%?}",
		"Key7XbcD": "${ADCONFORM_OWNER_KEY%????}X${ADCONFORM_OWNER_KEY#?????}",
		"kEY7ABCd": `$(printf %s "$ADCONFORM_OWNER_KEY" | tr A-Za-z a-zA-Z)`,
	} {
		ex := c.begin("c", Request{Method: "GET", Path: "/x", Credential: Credential{Name: "derived", Value: value, Shell: by, Send: true}}).ex
		if arguments := run(ex); !slices.Contains(arguments, "X-API-Key: "+value) || strings.Contains(ex.Curl(), value) {
			t.Errorf("%s: %q from %s", value, arguments, ex.Curl())
		}
	}
}
