package spec

import (
	"os"
	"strings"
	"testing"
)

func TestExampleDialectRenamesEverything(t *testing.T) {
	data, err := os.ReadFile("../docs/dialect.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := LoadOverlaid(data, "dialect.yaml")
	if err != nil {
		t.Fatal(err)
	}
	original, _ := Load()
	for _, op := range original.Operations {
		mine := c.Operation(op.ID)
		for _, pair := range [][2]*Object{
			{op.Body, mine.Body}, {op.Success, mine.Success}, {op.Representation(), mine.Representation()}, {original.Error, c.Error},
		} {
			if pair[0] == nil {
				continue
			}
			for _, f := range pair[0].Fields {
				if renamed := pair[1].Field(f.Meaning); renamed.Name == f.Name || renamed.Clause != f.Clause {
					t.Errorf("%s: %s is %s with %s, expected another name with %s", op.ID, f.Meaning, renamed.Name, renamed.Clause, f.Clause)
				}
			}
		}
	}
}

func TestOverlayErrorsSayWhatIsWrong(t *testing.T) {
	head := "overlay: 1.0.0\ninfo: {title: t, version: 1.0.0}\nactions:\n"
	for name, tc := range map[string]struct{ overlay, want string }{
		"no overlay":        {"openapi: 3.0.3", "no Overlay document"},
		"selects nothing":   {head + "  - {target: $.components.schemas.Nowhere, remove: true}", "Nowhere"},
		"lost mark":         {head + "  - {target: $.components.schemas.Campaign.properties.name, remove: true}", "x-field: name"},
		"operation removed": {head + "  - {target: \"$.paths['/campaigns/{campaignId}']\", remove: true}", "updateCampaign is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := LoadOverlaid([]byte(tc.overlay), "mine.yaml")
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "mine.yaml: ") ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("expected one line with mine.yaml and %q, got %v", tc.want, err)
			}
		})
	}
}
