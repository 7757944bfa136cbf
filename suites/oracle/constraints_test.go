package oracle

import (
	"fmt"
	"testing"

	"github.com/adconform/adconform/spec"
)

// What a schema of an answer states beyond types is judged, under the clause of the
// place.
func TestStatedBoundsOfAnswers(t *testing.T) {
	for _, tc := range []struct{ property, states, held, broken string }{
		{"name", "maxLength: 12", `"Spring video"`, `"Spring videos"`},
		{"name", "maxLength: 3", `"日日日"`, `"日日日日"`},
		{"name", "minLength: 3", `"abc"`, `"ab"`},
		{"name", "pattern: '^[A-Z]'", `"Spring"`, `"spring"`},
		{"adspecId", "minimum: 3", `3`, `2`},
		{"adspecId", "maximum: 3", `3`, `4`},
		{"adspecId", "{minimum: 3, exclusiveMinimum: true}", `4`, `3`},
		{"adspecId", "{maximum: 3, exclusiveMaximum: true}", `2`, `3`},
		{"adspecId", "multipleOf: 3", `9`, `10`},
		{"adspecId", "enum: [3, 4]", `4`, `5`},
		{"type", "format: date-time", `"2024-01-01T00:00:00Z"`, `"yesterday"`},
	} {
		body := func(value string) string {
			old := map[string]string{"name": `"Spring video"`, "adspecId": `"adspecId":3`, "type": `"type":"video"`}[tc.property]
			return replace(t, campaign, old,
				map[string]string{"name": value, "adspecId": `"adspecId":` + value, "type": `"type":` + value}[tc.property])
		}
		update := tc.states
		if update[0] != '{' {
			update = "{" + update + "}"
		}
		c, err := spec.LoadOverlaid(fmt.Appendf(nil, "overlay: 1.0.0\ninfo: {title: t, version: 1.0.0}\nactions:\n"+
			"  - {target: $.components.schemas.Campaign.properties.%s, update: %s}\n", tc.property, update), "mine.yaml")
		if err != nil {
			t.Fatal(tc.states, err)
		}
		op := c.Operation(updateCampaign)
		o := New(c)
		if j := o.Judge(op, answer(200, body(tc.held))); len(j.Findings) > 0 {
			t.Errorf("%s %s: %s is allowed, got %+v", tc.property, tc.states, tc.held, j.Findings)
		}
		j := o.Judge(op, answer(200, body(tc.broken)))
		want := op.Representation().Named(tc.property)
		if len(j.Findings) != 1 || j.Findings[0].Clause != want.Clause || j.Findings[0].Pointer != "/data/"+tc.property {
			t.Errorf("%s %s: expected one finding of %s for %s, got %+v", tc.property, tc.states, want.Clause, tc.broken, j.Findings)
		}
	}
}

// So is what it states of objects and arrays.
func TestStatedBoundsOfObjectsAndArrays(t *testing.T) {
	for _, tc := range []struct{ op, target, update, held, broken, clause string }{
		{
			updateCampaign, "Campaign", "{additionalProperties: false}", campaign,
			replace(t, campaign, `"userId":1`, `"userId":1,"more":2`), "CAMPAIGN-16",
		},
		{
			updateCampaign, "Campaign", "{required: [shareURL]}", campaign,
			replace(t, campaign, `"shareURL":"https://example.com/share/campaign/25",`, ""), "CAMPAIGN-10",
		},
		{listMedia, "CreativeList.properties.data", "{minItems: 2}", listBody(2, 2, 1, 1, 1, 2), listBody(1, 1, 1, 1, 1), "MEDIA-2"},
		{listMedia, "CreativeList.properties.data", "{maxItems: 1}", listBody(1, 1, 1, 1, 1), listBody(2, 2, 1, 1, 1, 2), "MEDIA-2"},
	} {
		c, err := spec.LoadOverlaid(fmt.Appendf(nil, "overlay: 1.0.0\ninfo: {title: t, version: 1.0.0}\nactions:\n"+
			"  - {target: $.components.schemas.%s, update: %s}\n", tc.target, tc.update), "mine.yaml")
		if err != nil {
			t.Fatal(tc.update, err)
		}
		o, op := New(c), c.Operation(tc.op)
		if j := o.Judge(op, answer(200, tc.held)); len(j.Findings) > 0 {
			t.Errorf("%s: expected no finding, got %+v", tc.update, j.Findings)
		}
		if j := o.Judge(op, answer(200, tc.broken)); len(j.Findings) != 1 || j.Findings[0].Clause != tc.clause {
			t.Errorf("%s: expected one finding of %s, got %+v", tc.update, tc.clause, j.Findings)
		}
	}
}
