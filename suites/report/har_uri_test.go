package report

import (
	"strings"
	"testing"
)

// A request whose path is wrongly encoded has to be in the recording too, which
// holds URIs only.
func TestURIsOfARecordingAreValid(t *testing.T) {
	for sent, want := range map[string]string{
		"/campaigns/%zz": "/campaigns/%25zz", "/campaigns/%": "/campaigns/%25", "/a/%%ff/%4": "/a/%25%ff/%254", "/b": "/b",
	} {
		e := newHAREntry(&Exchange{Method: "GET", URL: "http://127.0.0.1" + sent})
		if got := strings.TrimPrefix(e.Request.URL, "http://127.0.0.1"); got != want || (e.Request.Comment == "") != (got == sent) {
			t.Errorf("%s: got %s, comment %q", sent, got, e.Request.Comment)
		}
	}
}
