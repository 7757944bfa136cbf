package wire

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestShown(t *testing.T) {
	body := ownerKey + strings.Repeat("x", 100)
	c := newClient(t, Options{BaseURL: answering(t, "HTTP/1.1 200 OK\r\nX-Echo: "+ownerKey+"\r\n\r\n"+body)})
	ex := c.Do(t.Context(), "a/b/c", patch("/x", `{"name":"`+ownerKey+`"}`))
	status(t, ex, 200)
	if string(ex.Response.Body) != body || ex.Response.Header.Get("X-Echo") != ownerKey {
		t.Errorf("the oracle gets %q", ex.Response.Body)
	}
	whole := ex.Shown(1000)
	got := fmt.Sprint(whole.RequestHeader[c.opt.Key.Header], whole.Header.Get("X-Echo"), whole.RequestHeader[CaseHeader],
		whole.RequestHeader["Content-Type"], string(whole.RequestBody.Bytes), string(whole.Answer.Bytes), whole.Answer.Cut, whole.Answer.Size)
	const shown = "$ADCONFORM_OWNER_KEY"
	if want := fmt.Sprint([]string{shown}, shown, "[a/b/c] [application/json]", `{"name":"`+shown+`"}`,
		strings.ReplaceAll(body, ownerKey, shown), false, " ", len(body)); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for limit := range 120 { // wherever the body is cut, no part of the key is left
		shown := ex.Shown(limit)
		if text := fmt.Sprintf("%s %s", shown.Answer.Bytes, shown.RequestBody.Bytes); !shown.Answer.Cut || len(shown.Answer.Bytes) > limit ||
			shown.Answer.Size != len(body) || strings.Contains(text, ownerKey[:piece]) {
			t.Fatalf("limit %d: %+v", limit, shown.Answer)
		}
	}
	made := as(Credential{Name: "unknown", Value: "made-up", Send: true, Public: true}, get("/x"))
	if got := c.Do(t.Context(), "c", made).Shown(10).RequestHeader[c.opt.Key.Header][0]; got != "made-up" {
		t.Errorf("a made-up key shows as %q", got)
	}
}

// Everything that may identify the sender of a request is redacted, alone or within
// other text, in whichever part of the exchange it comes back.
func TestRecordedCredentialsAreSecret(t *testing.T) {
	c := newClient(t, Options{BaseURL: "https://api.example/v2"})
	basic := base64.StdEncoding.EncodeToString([]byte("user:pass-word-1"))
	ex := &Exchange{
		Request: Request{Header: http.Header{
			"X-Api-Key": {"the-api-key-3"}, "Authorization": {"Bearer the-token-4"}, "Proxy-Authorization": {"Basic " + basic},
			"Cookie": {`a=cookie-5; b=cookie-6; c={"d":"cookie-10"}`}, "X-Private": {"never recorded"},
			"X-Auth-Token": {"the-other-token-8"}, "Referer": {"https://app.example/?access_token=referred-9"},
		}},
		Response: &Response{
			Status: 200,
			Header: http.Header{"Set-Cookie": {"s=cookie-7; Path=/", "t=odd, cookie-11"}, "X-Session-Token": {"handed-out-12"}},
			Body:   []byte("the-token-4"),
		},
	}
	c.Adopt(ex, "case", "/x?api_key=in%2Bquery-2&page=2")
	shown := fmt.Sprintf("%s %+v %s", ex.URL, ex.Shown(1000), ex.Curl())
	shown += string(ex.Shown(1000).Answer.Bytes) +
		c.Redact("pass-word-1 in+query-2 cookie-7 the-other-token-8 odd, cookie-11 handed-out-12"+`{"d":"cookie-10"}`)
	for _, secret := range []string{
		"pass-word-1", "query-2", "the-api-key-3", "the-token-4", "cookie-5", "cookie-6", "cookie-7", basic, "never recorded",
		"the-other-token-8", "referred-9", "cookie-10", "cookie-11", "handed-out-12",
	} {
		if strings.Contains(shown, secret) {
			t.Errorf("%s is shown in %s", secret, shown)
		}
	}
	if !strings.Contains(shown, "page=2") {
		t.Errorf("the page is not shown in %s", shown)
	}
}

func TestDecode(t *testing.T) {
	text := strings.Repeat("some text, ", 1<<16)
	var zipped, deflated bytes.Buffer
	for _, w := range []io.WriteCloser{gzip.NewWriter(&zipped), zlib.NewWriter(&deflated)} {
		io.WriteString(w, text)
		w.Close()
	}
	for coding, body := range map[string][]byte{"GZIP": zipped.Bytes(), "x-gzip": zipped.Bytes(), "deflate": deflated.Bytes()} {
		if got, err := Decode(coding, body, len(text)); err != nil || string(got) != text || !Decodable(coding) {
			t.Errorf("%s: %d bytes, %v", coding, len(got), err)
		}
		if got, err := Decode(coding, body, 1000); string(got) != text[:1000] || err != nil { // a bomb costs no more than the bound
			t.Errorf("%s: the bound of 1000 bytes gives %d, %v", coding, len(got), err)
		}
		if _, err := Decode(coding, []byte("\xff\xff not coded"), 1000); err == nil {
			t.Errorf("%s: a body that does not have the coding is decoded", coding)
		}
	}
	for coding, can := range map[string]bool{"": true, "identity": true, "br": false, "gzip, br": false} {
		if got, err := Decode(coding, []byte("a"), 1000); string(got) != "a" || err != nil || Decodable(coding) != can {
			t.Errorf("%s: %q, %v", coding, got, err)
		}
	}
}

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
		"# curl cannot send this request: GET http://a.example/v2/x":                    {Method: "GET", Path: "/x", Odd: new(Odd)},
		"# its body is not printable, so no line shows it: PATCH http://a.example/v2/x": patch("/x", "\xff"+plainKey),
		"# a body of 100001 bytes is too long for a line: PATCH http://a.example/v2/x":  patch("/x", strings.Repeat(" ", maxArgument+1)),
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

// with returns keys with value as the owner's.
func with(value string) *Keys {
	k := new(Keys)
	k.add("owner", value, "", true)
	return k
}

// everyOther escapes every n-th byte of a text.
func everyOther(n int, format, text string) string {
	var b strings.Builder
	for i := range len(text) {
		if i%n == 0 {
			fmt.Fprintf(&b, format, text[i])
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

func asJSON(text string) string {
	b, _ := json.Marshal(text)
	return string(b[1 : len(b)-1])
}

// keyForms returns the forms in which a target may send a key back.
func keyForms(key string) (all []string) {
	encoded := base64.StdEncoding.EncodeToString([]byte(key))
	all = []string{
		strings.ToUpper(key), strings.ToLower(key), url.QueryEscape(key), strings.ToLower(url.PathEscape(key)), strconv.Quote(key),
		encoded, strings.NewReplacer("=", "%3D", "+", "%2B", "/", "%2f").Replace(encoded), strings.ReplaceAll(encoded, "/", `\/`),
		fmt.Sprintf("%x", key), fmt.Sprintf("%X", key),
		everyOther(3, "&#%d;", key), everyOther(2, `\\u%04x`, key), everyOther(2, `\u0025%02x`, key),
		asJSON(asJSON(html.EscapeString(key))), url.QueryEscape(everyOther(2, "&#%d;", key)), url.QueryEscape(url.QueryEscape(key)),
		strings.ReplaceAll(everyOther(2, `\u%04x`, key), `\`, "&#92;"), html.EscapeString(everyOther(2, "&#%d;", key)),
	}
	for n := 1; n <= 4; n++ {
		for _, format := range []string{"%%%02X", "%%%02x", `\u%04x`, `\u%04X`, `\x%02x`, "&#x%X;"} {
			all = append(all, everyOther(n, format, key), everyOther(n, format, strings.ToUpper(key)))
		}
		all = append(all, base64.RawURLEncoding.EncodeToString([]byte("user:"[:n-1]+key+":more")))
	}
	return all
}

func TestKeysAreFoundInEveryForm(t *testing.T) {
	for _, key := range []string{
		ownerKey, `a%41\u0042&amp;%%"/end`, `q7"Zp/+W&<x>\%4Tz~bK2'mJ=h;R9`, "owner-7Kf%2x&q", "two words+", `ends "with" \`,
	} {
		k := with(key)
		if got := k.Text("<" + key + key + ">"); got != "<$ADCONFORM_OWNER_KEY$ADCONFORM_OWNER_KEY>" {
			t.Errorf("%s became %s", key, got)
		}
		for _, form := range keyForms(key) {
			for _, before := range []string{"", "-", "%20", `\u0020`, "&#32;"} {
				got := strings.ReplaceAll(k.Text("<"+before+form+">"), `"`, "")
				if got != withheld && got != "<"+before+"$ADCONFORM_OWNER_KEY>" {
					t.Errorf("%s in the form %s became %s", key, form, got)
				}
			}
		}
	}
}

// Findings quote only the beginning and the end of a long text, so a cut may leave half a key.
func TestWhatIsWithheld(t *testing.T) {
	k := with(ownerKey)
	for _, same := range []string{
		"", "the owner's ordinary name… and more", `C:\users\x 100 % %zz%4 "\u00e9"`, "a & b &amp; c … and 5 more", ownerKey[1:],
	} {
		if got := k.Text(same); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
	for _, half := range []string{
		"name " + ownerKey[:12] + "…", "name " + ownerKey[:12] + " … end", "name %6f%77%6e%65%72%2d%3…",
		"a … " + everyOther(1, "%%%02x", ownerKey[3:]), "a … " + strings.ToUpper(ownerKey[3:]) + " (70 characters)",
		"a … " + base64.StdEncoding.EncodeToString([]byte(ownerKey))[7:] + "!",
	} {
		if got := k.Text(half); got != withheld {
			t.Errorf("%q became %q", half, got)
		}
	}
	if got := k.Text(ownerKey + " … " + ownerKey); got != "$ADCONFORM_OWNER_KEY … $ADCONFORM_OWNER_KEY" {
		t.Error(got)
	}
	for n := range ownerKey {
		if got := string(k.part([]byte("x… "+ownerKey[:n]), 1000, true).Bytes); got != withheld && n >= piece {
			t.Errorf("the first %d bytes of a key at the end of a cut text: %q", n, got)
		}
	}
	header := http.Header{"X-User": {ownerKey[5:] + "; a"}, "Via": {"1.1 pass:b"}} // the colon of the header line splits a key
	want := http.Header{"Withheld": {withheld}, "Via": {"1.1 pass:b"}}
	if got := with("user:" + ownerKey[5:]).header(header); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Keys that others use come and go; those that the operator gave stay.
func TestPassingKeysAreBounded(t *testing.T) {
	k := with(ownerKey)
	for i := range 3 * maxPassing {
		k.forget()
		k.add("recorded", fmt.Sprintf("key-number-%d", i), "", false)
	}
	last := fmt.Sprintf("key-number-%d", 3*maxPassing-1)
	if got := k.Text(ownerKey + " " + last); len(k.known) > maxPassing+1 || strings.Contains(got, "-") {
		t.Errorf("%d keys are known: %s", len(k.known), got)
	}
}

func TestRedactKnowsDerivedKeys(t *testing.T) {
	given := []Credential{{Name: "owner", Value: ownerKey}, {Name: "stranger", Value: "another-key"}}
	c := newClient(t, Options{BaseURL: "http://a", Secrets: given})
	short, made, start := ownerKey[:len(ownerKey)-1], "made-up-by-the-suite", ownerKey[:len(ownerKey)-3]
	for _, key := range []Credential{
		{Name: "owner-shorter", Value: short}, {Value: made, Public: true}, {Value: "%"}, {Name: "end", Value: start + "\xe9\xe9\xe9"},
	} {
		key.Send = true
		c.begin("c", as(key, get("/x")))
	}
	got := c.Redact(strings.Join([]string{ownerKey, ownerKey + "x", short, made, "another-key", "100 %", start + "ééé"}, " "))
	const want = "$ADCONFORM_OWNER_KEY $ADCONFORM_OWNER_KEYx $ADCONFORM_OWNER_SHORTER_KEY made-up-by-the-suite " +
		"$ADCONFORM_STRANGER_KEY 100 % $ADCONFORM_END_KEYééé"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
