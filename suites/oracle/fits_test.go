package oracle

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// What fits is never shown to kin-openapi, so nothing may fit in which it would
// find something; what it lets pass should fit, or time is lost.
func TestWhatFitsIsFoundRight(t *testing.T) {
	c := contract(t)
	o := New(c)
	// Not as small or as plain as isSmall wants.
	unnecessary := map[string]bool{
		`1.0`: true, `9223372036854775807`: true, `9223372036854775808`: true, `9007199254740992.5`: true,
	}
	for _, base := range []struct {
		op, body string
		status   int
	}{
		{updateProfile, profileBody, 200},
		{updateHost, hostBody, 200},
		{updateCampaign, campaign, 200},
		{listMedia, listBody(2, 2, 1, 1, 241, 242), 200},
		{updateCampaign, errorBody, 422},
	} {
		n := o.operations[base.op].success
		if base.status >= 400 {
			n = o.operations[base.op].errors[base.status]
		}
		mutate(base.body, func(what, body string) {
			v, _, _ := decode([]byte(body))
			right := n.schema.VisitJSON(v, asResponse...) == nil
			fits := n.fits(v)
			_, value, _ := strings.Cut(what, " is ")
			if fits != right && (fits || !unnecessary[value]) {
				t.Errorf("%s, %s: fits %t, kin-openapi finds it right %t", base.op, what, fits, right)
			}
		})
	}
}

// Whatever a schema says that fits does not know is left to kin-openapi.
func TestPlainSchemas(t *testing.T) {
	for text, want := range map[string]bool{
		`{"type":"string","title":"x","description":"y","example":"z","readOnly":true,"x-clause":"A-1"}`: true,
		`{"type":"string","format":"uri","nullable":true,"enum":["a",null]}`:                             true,
		`{"type":"integer","format":"int64"}`:                                                            true,
		`{"type":"boolean"}`:                                                                             true,
		`{"type":"array","items":{"type":"string","minLength":2}}`:                                       true, // the item is not
		`{"type":"string","minLength":1}`:                                                                true,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"null"}}}`:                          true,
		`{}`:                                                     false,
		`{"type":["string","null"]}`:                             false,
		`{"type":"string","format":"date-time"}`:                 false, // kin-openapi judges it
		`{"type":"integer","format":"int32"}`:                    false,
		`{"type":"integer","enum":[1]}`:                          false,
		`{"type":"string","enum":[1]}`:                           false,
		`{"type":"number","format":"double"}`:                    false,
		`{"type":"string","pattern":"^a"}`:                       false,
		`{"type":"string","minLength":2}`:                        false,
		`{"type":"integer","minLength":1}`:                       false,
		`{"type":"string","maxLength":1}`:                        false,
		`{"type":"integer","minimum":1}`:                         false,
		`{"type":"integer","exclusiveMaximum":true}`:             false,
		`{"type":"integer","multipleOf":2}`:                      false,
		`{"type":"array","minItems":1}`:                          false,
		`{"type":"array","uniqueItems":true}`:                    false,
		`{"type":"object","additionalProperties":false}`:         false,
		`{"type":"object","minProperties":1}`:                    false,
		`{"type":"string","writeOnly":true}`:                     false,
		`{"type":"string","allOf":[{"type":"string"}]}`:          false,
		`{"type":"string","oneOf":[{"type":"string"}]}`:          false,
		`{"type":"string","not":{"type":"string"}}`:              false,
		`{"type":"object","discriminator":{"propertyName":"x"}}`: false,
		`{"type":"string","const":"a"}`:                          false,
	} {
		var s openapi3.Schema
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(text, err)
		}
		if got := isPlain(&s); got != want {
			t.Errorf("%s: plain %t, want %t", text, got, want)
		}
		for _, v := range []any{nil, true, json.Number("1"), "a", []any{}, map[string]any{}} {
			if !want && newShape(&s, "").fits(v) {
				t.Errorf("%s: %v fits", text, v)
			}
		}
	}
}
