package wire

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

func TestRedactKnowsDerivedKeys(t *testing.T) {
	c := newClient(t, Options{BaseURL: answering(t, "HTTP/1.1 204 No Content\r\n\r\n")})
	short := ownerKey[:len(ownerKey)-1]
	made := "made-up-by-the-suite"
	c.Do(t.Context(), "c",
		Request{Method: "GET", Path: "/", Credential: Credential{Name: "owner-without-last-character", Value: short, Send: true}})
	c.Do(t.Context(), "c", Request{Method: "GET", Path: "/", Credential: Credential{Name: "unknown", Value: made, Send: true, Public: true}})
	c.Do(t.Context(), "c", Request{Method: "GET", Path: "/", Credential: Credential{Name: "percent", Value: "%", Send: true}})
	c.keys.Give("stranger", "another-key")
	got := c.Redact(strings.Join([]string{ownerKey, ownerKey + "x", short, made, "another-key", "100 %"}, " "))
	const want = "$ADCONFORM_OWNER_KEY $ADCONFORM_OWNER_KEYx $ADCONFORM_OWNER_WITHOUT_LAST_CHARACTER_KEY made-up-by-the-suite " +
		"$ADCONFORM_STRANGER_KEY 100 %"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A target that repeats the key wherever it can.
func TestEchoOfTheKeyIsNotShown(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("user:" + ownerKey))
	answers := map[string]string{
		"answer": "HTTP/1.1 200 OK\r\nX-Echo: " + ownerKey + "\r\nX-" + ownerKey +
			": x\r\nContent-Length: 100\r\n\r\n" + fmt.Sprintf("%-100s", ownerKey+" "+basic),
		"cut in the key":    "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + ownerKey[:15],
		"status line":       "HTTP/1.1 " + ownerKey + "\r\n\r\n",
		"status line, long": "HTTP/1.1 " + strings.Repeat("x", maxDetail-50) + ownerKey + strings.Repeat("y", 1000) + "\r\n\r\n",
		"header line":       "HTTP/1.1 200 OK\r\n" + ownerKey + "\r\n\r\n",
		"chunk size":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + ownerKey + "\r\n",
		"Content-Length":    "HTTP/1.1 200 OK\r\nContent-Length: " + ownerKey + "\r\n\r\n",
		"transfer encoding": "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + ownerKey + "\r\n\r\n",
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, Options{BaseURL: listen(t, func(conn net.Conn, _ int) {
				readRequest(conn)
				io.WriteString(conn, answer)
			})})
			r := get("/x?key=" + url.QueryEscape(ownerKey))
			r.Header = http.Header{"Authorization": {"Bearer " + ownerKey}}
			for _, ex := range []*Exchange{c.Do(t.Context(), "c", r), c.Do(t.Context(), "c", onRaw(r))} {
				shown := fmt.Sprintf("%s %v %s %s %+v %#v", ex, ex.Err, ex.URL, ex.Curl(), ex.Request.Credential, ex.Request.Credential)
				if response := ex.Shown(1000).Response; response != nil {
					shown += fmt.Sprintf(" %s %v %v", response.Body, response.Header, response.Anomalies)
				}
				encoded, err := json.Marshal(ex.Request.Credential)
				if err != nil {
					t.Fatal(err)
				}
				shown += string(encoded)
				for _, secret := range []string{ownerKey, http.CanonicalHeaderKey(ownerKey), url.QueryEscape(ownerKey), basic[4:], ownerKey[:12]} {
					if strings.Contains(shown, secret) {
						t.Errorf("raw %t: %q is in %s", ex.Raw, secret, shown)
					}
				}
				if ex.Err != nil && len(ex.Err.Detail) > maxDetail+len("…") {
					t.Errorf("a detail of %d bytes", len(ex.Err.Detail))
				}
			}
		})
	}
}

// The oracle gets what the target sent.
func TestResponseItselfIsNotRedacted(t *testing.T) {
	c := newClient(t, Options{BaseURL: answering(t, "HTTP/1.1 200 OK\r\nX-Echo: "+ownerKey+"\r\n\r\n"+ownerKey)})
	ex := c.Do(t.Context(), "c", get("/x"))
	if status(t, ex, 200); string(ex.Response.Body) != ownerKey || ex.Response.Header.Get("X-Echo") != ownerKey {
		t.Errorf("got %s %v", ex.Response.Body, ex.Response.Header)
	}
	shown := ex.Shown(1000).Response
	if string(shown.Body) != "$ADCONFORM_OWNER_KEY" || shown.Header.Get("X-Echo") != "$ADCONFORM_OWNER_KEY" || shown.Status != 200 {
		t.Errorf("shown %s %v", shown.Body, shown.Header)
	}
}

func TestDetailIsOneLineOfText(t *testing.T) {
	c := newClient(t, Options{BaseURL: "http://a"})
	if got := c.shown(&TransportError{TLS, "a\r\n\x1b[31m\xff" + ownerKey}).Error(); got != "tls: a   [31m�$ADCONFORM_OWNER_KEY" {
		t.Errorf("got %q", got)
	}
}

// A target that writes the key into a header line splits it where it has a colon.
func TestAKeyThatAHeaderLineSplitsIsFound(t *testing.T) {
	c := newClient(t, Options{BaseURL: "http://a", Secrets: []Secret{{"owner", "user:pass:word"}}})
	ex := &Exchange{client: c, Response: &Response{Header: http.Header{"X-User": {"PASS:word; a"}, "Via": {"1.1 pass:b"}}}}
	shown := ex.Shown(1000).Response.Header
	if want := (http.Header{"X-$ADCONFORM_OWNER_KEY; a": {""}, "Via": {"1.1 pass:b"}}); !reflect.DeepEqual(shown, want) {
		t.Errorf("got %v, want %v", shown, want)
	}
}
