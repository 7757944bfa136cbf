package suites_test

import (
	"slices"
	"testing"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// Open points are answered by operation and field.
func TestOpenPointsAreAnsweredByField(t *testing.T) {
	r := execute(t, suites.NewConfig(serve(t, bundled(t))))
	at := func(point, answer string) []string {
		i := slices.IndexFunc(r.OpenPoints, func(p report.OpenPoint) bool { return p.ID == point })
		for _, a := range r.OpenPoints[i].Answers {
			if a.Answer == answer {
				return a.At
			}
		}
		return nil
	}
	for _, c := range []struct {
		point, answer string
		want          []string
	}{
		{"null-fields", "yes", []string{"updateConnectionProfileRuleHost.regularExpression"}},
		{"trimming", "no", []string{"updateCampaign.name", "updateConnectionProfile.name"}},
		{"trimming", "yes", nil},
		{"empty-object", "yes", []string{"updateCampaign", "updateConnectionProfile", "updateConnectionProfileRuleHost"}},
	} {
		if got := at(c.point, c.answer); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %v, want %v", c.point, c.answer, got, c.want)
		}
	}
}
