package wire

import (
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
)

// forms are the ways in which a target may want its key, each with what the request has then.
var forms = []struct {
	credentials fixtures.Credentials
	key, line   string // of the header, or the query
}{
	{fixtures.Credentials{Header: "Authorization: Bearer {key}"}, "tokenOfOwner1", "Authorization: Bearer tokenOfOwner1"},
	{
		fixtures.Credentials{Header: "Authorization: Basic {key}"},
		fixtures.JoinBasic("owner", "pass/word of owner"),
		"Authorization: Basic b3duZXI6cGFzcy93b3JkIG9mIG93bmVy",
	},
	{fixtures.Credentials{Header: "Cookie: session={key}"}, "cookieOfOwner2", "Cookie: session=cookieOfOwner2"},
	{fixtures.Credentials{Header: "Authorization"}, "Token keyOfOwner3", "Authorization: Token keyOfOwner3"},
	{fixtures.Credentials{Query: "api_key"}, "key of+owner/4", "api_key=key%20of%2Bowner%2F4"},
}

// However it is sent, every request has the key and the target's own headers, and nothing that may be shown has the key
// or a secret header, in no part and in no coding, even where the server sends them back.
func TestEachFormIsSentAndKeptSecret(t *testing.T) {
	const gateway = "Bearer gateway-token-5"
	headers := []fixtures.Header{
		{Name: "X-Tenant", Value: "eu-1"},
		{Name: "x-gateway", Value: gateway, Secret: true},
		{Name: "X-Pin", Value: "pin", Secret: true},
	}
	for _, row := range forms {
		t.Run(row.line, func(t *testing.T) {
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				sent := r.URL.RawQuery + "\n"
				for name, values := range r.Header {
					sent += name + ": " + strings.Join(values, ",") + "\n"
				}
				expectParts(t, sent, row.line, "X-Tenant: eu-1\n", "X-Gateway: "+gateway, "X-Pin: pin")
				user, password, _ := fixtures.SplitBasic(row.key)
				w.Header().Set("X-Echo", row.key)
				sent = strings.Replace(sent, "X-Pin: pin", "", 1) // too short to be found in texts
				fmt.Fprint(w, sent, password, user, "gateway-token-5")
			})
			key := Credential{Name: "owner", Value: row.key, Send: true}
			c := newClient(t, Options{BaseURL: url, Key: row.credentials.Form(), Secrets: []Credential{key}, Headers: headers})
			whole := as(key, patch("/x?page=2", "{}"))
			raw := as(key, onRaw(get("/x")))
			odd := raw
			odd.Odd = &Odd{Edits: []string{"GET", "PUT"}}
			var exchanges []*Exchange
			for _, r := range []Request{whole, raw, odd} {
				exchanges = append(exchanges, c.Do(t.Context(), "c", r))
			}
			exchanges = append(exchanges, c.DoAll(t.Context(), "c", Around, whole, whole)...)
			exchanges = append(exchanges, c.DoAll(t.Context(), "c", InOrder, whole, raw)...)
			for _, ex := range exchanges {
				status(t, ex, 200)
				shown := ex.Shown(10_000)
				text := fmt.Sprint(ex.URL, ex, ex.Curl(), shown, string(shown.Answer.Bytes), string(shown.RequestBody.Bytes))
				expectSecret(t, text, row.key, "OfOwner", "of+owner", "of%2Bowner", "word of owner", "b3duZXI6",
					"gateway-token", "X-Pin: pin")
				expectParts(t, text, "$ADCONFORM_OWNER_KEY", "$ADCONFORM_X_GATEWAY_KEY", "$ADCONFORM_X_PIN_KEY", "eu-1")
			}
			inShell(t, exchanges[0], row.key, row.line)
		})
	}
}

func expectParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
}

func expectSecret(t *testing.T, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%s is shown in %s", secret, text)
		}
	}
}

// inShell checks that the curl line of an exchange, in a shell that has the keys, has the key where the request had it.
func inShell(t *testing.T, ex *Exchange, key, line string) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		return
	}
	cmd := exec.Command(shell, "-c", `curl() { printf '%s\037' "$@"; }; `+ex.Curl())
	cmd.Env = []string{"ADCONFORM_OWNER_KEY=" + key, "ADCONFORM_X_GATEWAY_KEY=g", "ADCONFORM_X_PIN_KEY=p", "PATH=/usr/bin:/bin"}
	out, err := cmd.Output()
	arguments := strings.Split(string(out), "\x1f")
	if name, value, isQuery := strings.Cut(line, "="); isQuery && !strings.Contains(line, ": ") { // every byte may be encoded
		encoded := name + "="
		for _, b := range []byte(key) {
			encoded += fmt.Sprintf("%%%02x", b)
		}
		if !strings.Contains(string(out), "page=2&"+encoded) && !strings.Contains(string(out), "page=2&"+name+"="+value) {
			t.Errorf("%v: no key in %q of %s", err, arguments, ex.Curl())
		}
		return
	}
	if err != nil || !slices.Contains(arguments, line) || !slices.Contains(arguments, "X-Tenant: eu-1") {
		t.Errorf("%v: no %s in %q of %s", err, line, arguments, ex.Curl())
	}
}

// The key of a recorded request is recognised in the target's place for it, and only there.
func TestRecordedKeysOfEachForm(t *testing.T) {
	for _, row := range forms {
		c := newClient(t, Options{BaseURL: "https://api.example/v2", Key: row.credentials.Form()})
		ex := &Exchange{Request: Request{Method: "GET", Header: http.Header{}}, Response: &Response{Status: 200, Header: http.Header{}}}
		path := "/x?page=2"
		if name, value, isHeader := strings.Cut(row.line, ": "); isHeader {
			ex.Request.Header.Set(name, value)
		} else {
			path = "/x?" + row.line + "&page=2"
		}
		c.Adopt(ex, "case", path)
		shown := fmt.Sprint(ex.URL, ex.Shown(10), ex.Curl())
		if ex.Request.Credential.Value != row.key || ex.Request.Path != "/x?page=2" || strings.Contains(shown, "wner") {
			t.Errorf("%s: %s, %s", row.line, ex.Request.Credential.Value, shown)
		}
		other := &Exchange{
			Request:  Request{Method: "GET", Header: http.Header{"Authorization": {"Other tokenOfOther1"}, "Cookie": {"other=1"}}},
			Response: &Response{Status: 200, Header: http.Header{}},
		}
		if c.Adopt(other, "case", "/x"); row.credentials.Header != "Authorization" && other.Request.Credential.Name != UnknownKey {
			t.Errorf("%s: another key is %s", row.line, other.Request.Credential.Name)
		}
	}
}
