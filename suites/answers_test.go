package suites_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// answeredAt are the places at which an open point was answered so.
func answeredAt(r *report.Report, point, answer string) []string {
	i := slices.IndexFunc(r.OpenPoints, func(p report.OpenPoint) bool { return p.ID == point })
	for _, a := range r.OpenPoints[i].Answers {
		if a.Answer == answer {
			return a.At
		}
	}
	return nil
}

// Open points are answered by operation and field.
func TestOpenPointsAreAnsweredByField(t *testing.T) {
	r := execute(t, suites.NewConfig(serve(t, bundled(t))))
	for _, c := range []struct {
		point, answer string
		want          []string
	}{
		{"null-fields", "yes", []string{"updateConnectionProfileRuleHost.regularExpression"}},
		{"trimming", "no", []string{"updateCampaign.name", "updateConnectionProfile.name"}},
		{"trimming", "yes", nil},
		{"empty-object", "yes", []string{"updateCampaign", "updateConnectionProfile", "updateConnectionProfileRuleHost"}},
	} {
		if got := answeredAt(r, c.point, c.answer); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %v, want %v", c.point, c.answer, got, c.want)
		}
	}
}

// A number that is taken for a text where a boolean is refused is neither yes nor no.
func TestAnOpenPointMayHoldInPart(t *testing.T) {
	coercing := reftest.New(t, fixtures.DefaultWorld(), func(c *reference.Choices) {
		c.ScalarCoercion, c.InvalidHostname = reference.Accept, reference.Accept
	})
	strict := bundled(t)
	r := runOn(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		q.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(":true")) || bytes.Contains(body, []byte(":false")) {
			strict.ServeHTTP(w, q)
			return
		}
		coercing.ServeHTTP(w, q)
	}))
	for answer, want := range map[string]int{"in part": 4, "yes": 0, "no": 0} { // fields that hold a text
		if got := answeredAt(r, "scalar-coercion", answer); len(got) != want {
			t.Errorf("%s at %v, want %d fields", answer, got, want)
		}
	}
}
