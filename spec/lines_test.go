package spec_test

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
)

// The line that is told for a clause is one at which a reader finds it.
func TestLinesOfClauses(t *testing.T) {
	c, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(spec.OpenAPI()), "\n")
	for _, at := range []struct{ operation, clause, want string }{
		{"updateConnectionProfile", "PROFILE-6", "name:"},
		{"updateCampaign", "PROFILE-6", "patch:"}, // not of this operation
		{"updateCampaign", "AUTH-1", "Error401:"},
		{"updateCampaign", "CAMPAIGN-1", "patch:"},
		{"updateCampaign", "CAMPAIGN-4", "patch:"}, // said by x-effects
		{"updateCampaign", "ERR-11", "error:"},
		{"listCreativeMediaFiles", "MEDIA-3", "count:"},
		{"deleteCreative", "HTTP-1", "delete:"},
		{"all", "AUTH-1", "Error401:"},
		{"all", "NONE-1", "patch:"},
	} {
		line := c.LineOf(at.operation, at.clause)
		if line < 1 || line > len(lines) || !strings.HasPrefix(strings.TrimSpace(lines[line-1]), at.want) {
			t.Errorf("%s of %s: line %d, want one with %s", at.clause, at.operation, line, at.want)
			if line > 0 {
				t.Log(lines[line-1])
			}
		}
	}
}
