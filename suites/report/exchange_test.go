package report_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

func answer(t *testing.T, body string) report.Exchange {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) }))
	t.Cleanup(server.Close)
	c, err := wire.New(wire.Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return report.NewExchange(c.Do(t.Context(), "a/b/c", wire.Request{Method: http.MethodGet, Path: "/x"}))
}

func TestExchangeBodies(t *testing.T) {
	if got := answer(t, `{"a":"é"}`); got.ResponseBody.Text != `{"a":"é"}` || got.ResponseBody.Cut ||
		got.RequestBody != nil || got.Status != 200 || got.Seq != 1 {
		t.Errorf("got %+v %+v", got, got.ResponseBody)
	}
	binary := answer(t, "\xff\xfe").ResponseBody
	if raw, err := base64.StdEncoding.DecodeString(binary.Text); !binary.Base64 || err != nil || string(raw) != "\xff\xfe" {
		t.Errorf("got %+v", binary)
	}
	for shift := range 3 { // cut within a character
		long := answer(t, strings.Repeat("a", shift)+strings.Repeat("日", 60_000)).ResponseBody
		if !long.Cut || long.Base64 || !utf8.ValidString(long.Text) || long.Size != 180_000+shift || len(long.Text) < 10_000 {
			t.Errorf("shift %d: cut %t, base64 %t, %d of %d bytes", shift, long.Cut, long.Base64, len(long.Text), long.Size)
		}
	}
}

// Each finding names the exchange whose curl line it carries.
func TestFindingsNameTheirExchange(t *testing.T) {
	r, err := brokenReport(t.Context(), judge.Quick)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Exchanges) < 50 || len(r.Findings) == 0 {
		t.Fatalf("%d exchanges, %d findings", len(r.Exchanges), len(r.Findings))
	}
	for i, ex := range r.Exchanges {
		if ex.Seq != i+1 {
			t.Fatalf("exchange %d in place %d", ex.Seq, i+1)
		}
	}
	for _, f := range r.Findings {
		if f.Exchange == 0 || strings.HasPrefix(f.Curl, "#") {
			continue // it is about several, or too long
		}
		if ex := r.Exchanges[f.Exchange-1]; ex.Case != f.Case || !strings.Contains(f.Curl, "-X "+ex.Method+" ") ||
			!strings.Contains(f.Curl, ex.URL) {
			t.Errorf("%s in %s: exchange %d is %s %s in %s, not %q", f.Clause, f.Case, f.Exchange, ex.Method, ex.URL, ex.Case, f.Curl)
		}
	}
}
