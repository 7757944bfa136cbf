package wire

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Whatever may show who sends a request is redacted, alone or in what is around
// it, in whichever part of the exchange it comes back.
func TestRecordedCredentialsAreSecret(t *testing.T) {
	c, err := New(Options{BaseURL: "https://api.example/v2"})
	if err != nil {
		t.Fatal(err)
	}
	basic := base64.StdEncoding.EncodeToString([]byte("user:pass-word-1"))
	ex := c.Record("case", "/x?api_key=in%2Bquery-2&page=2", Recorded{
		Target: "/v2/x?api_key=in%2Bquery-2&page=2",
		RequestHeader: http.Header{
			"X-Api-Key": {"the-api-key-3"}, "Authorization": {"Bearer the-token-4"}, "Proxy-Authorization": {"Basic " + basic},
			"Cookie": {`a=cookie-5; b=cookie-6; c={"d":"cookie-10"}`}, "X-Private": {"never recorded"},
			"X-Auth-Token": {"the-other-token-8"}, "Referer": {"https://app.example/?access_token=referred-9"},
		},
		Response: &Response{
			Status: 200,
			Header: http.Header{"Set-Cookie": {"s=cookie-7; Path=/", "t=odd, cookie-11"}, "X-Session-Token": {"handed-out-12"}},
			Body:   []byte("the-token-4"),
		},
	})
	shown := fmt.Sprintf("%s %+v %s", ex, ex.Shown(1000), ex.Curl())
	shown += string(ex.Shown(1000).Response.Body) +
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
