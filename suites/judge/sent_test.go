package judge

import (
	"net/http"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites/wire"
)

// What every client sends is not what matters; the member that an answer shows comes first.
func TestSent(t *testing.T) {
	contract := reftest.Contract(t)
	op := contract.Operation("updateCampaign")
	for _, tc := range []struct{ mediaType, body, pointer, want string }{
		{"application/json", `{"name":"Teal"}`, "", ""},
		{"application/json; charset=utf-8", `{"name":"a'b"}`, "", "/name"},
		{"text/plain", `{"name":"a'b"}`, "", "header:Content-Type"},
		{"application/json", `{"name":"Teal","createdAt":"x","id":7}`, "/data/id", "/id"},
		{"application/json", `{"name":"Teal","createdAt":"x","id":7}`, "/data/createdAt", "/createdAt"},
		{"application/json", `{"name":"a'b","createdAt":"x","id":7}`, "", "/name"},
	} {
		r := &wire.Request{
			Method: op.Method, Body: []byte(tc.body), HasBody: true,
			Header: http.Header{"Content-Type": {tc.mediaType}, "User-Agent": {"curl/8"}, "Accept-Encoding": {"gzip"}},
		}
		at := ""
		if s := Sent(op, r, tc.pointer, nil); s != nil {
			at = s.At
		}
		if at != tc.want {
			t.Errorf("%s, shown at %q: %q, not %q", tc.body, tc.pointer, at, tc.want)
		}
	}
}
