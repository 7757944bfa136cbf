package spec_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/theory/jsonpath"

	"github.com/adconform/adconform/spec"
)

func TestWhatAnOverlayTakesAwayIsNamed(t *testing.T) {
	const schemas, campaign = "$.components.schemas.", "$.paths['/campaigns/{campaignId}'].patch"
	const inCampaign, inList = " in the success of updateCampaign", " in the success of listCreativeMediaFiles"
	const inPath = " in the path of listCreativeMediaFiles"
	const uuids = "update: {type: string, format: uuid}"
	const bareCampaign = "target: \"" + campaign + ".responses['200'].content['application/json'].schema\", " +
		"update: {$ref: '#/components/schemas/Campaign'}"
	for action, want := range map[string]string{
		"target: \"$.paths.*.*['x-effects']\", remove: true":                           "CAMPAIGN-4 (persists) of updateCampaign",
		"target: \"" + campaign + "\", update: {x-effects: {shows: CAMPAIGN-1}}":       "CAMPAIGN-3 (shows) of updateCampaign",
		"target: \"" + campaign + "\", update: {x-clause: CAMPAIGN-15}":                "CAMPAIGN-1 of updateCampaign",
		"target: $.components.schemas..required, remove: true":                         "required of error in the response 401",
		"target: " + schemas + "Campaign.required, remove: true":                       "required of name in the success of updateCampaign",
		"target: \"" + schemas + "*.properties.*['x-clause']\", remove: true":          "CAMPAIGN-6 of name in the success of updateCampaign",
		"target: " + schemas + "Campaign.properties.shareURL.format, remove: true":     "the format uri of shareURL" + inCampaign,
		"target: " + schemas + "Campaign.properties.name.type, remove: true":           "the type string of name" + inCampaign,
		"target: " + schemas + "Campaign.properties.name, update: {nullable: true}":    "that it is not null of name" + inCampaign,
		"target: \"" + schemas + "Campaign.properties.type['x-stays']\", remove: true": "that it stays of type" + inCampaign,
		"target: \"$.paths.*.*['x-open']\", remove: true":                              "",
		"target: " + schemas + "ConnectionProfile.properties.id, " + uuids:             "",
		"target: " + schemas + "ConnectionProfileRuleHost.properties.id, " + uuids:     "",
		"target: " + schemas + "Campaign.properties.adspecId, " + uuids:                "",
		"target: $.components.parameters.connectionProfileRuleId.schema, " + uuids:     "",
		"target: " + schemas + "Campaign.properties.id, " + uuids:                      "the type integer of id" + inCampaign,
		"target: " + schemas + "Creative.properties.parentId, " + uuids:                "the type integer of parentId" + inList,
		"target: $.components.parameters.vastCreativeId.schema, " + uuids:              "the type integer of the id of vastCreative" + inPath,
		"target: " + schemas + "Pagination.properties.count, " + uuids:                 "the type integer of count" + inList,
		bareCampaign: "",
		"target: $.info.description, remove: true": "",
	} {
		overlay := "overlay: 1.0.0\ninfo: {title: t, version: 1.0.0}\nactions:\n  - {" + action + "}"
		c, err := spec.LoadOverlays(spec.Overlay{File: "mine.yaml", Data: []byte(overlay)})
		if err != nil {
			t.Errorf("%s: %v", action, err)
		} else if slices.Contains(c.TakenAway, want) != (want != "") || want == "" && len(c.TakenAway) > 0 {
			t.Errorf("%s takes away %q, want %q", action, c.TakenAway, want)
		}
	}
}

// An overlay that would not do what it says is an error of one line, which names the file and the line.
func TestOverlayErrorsSayWhatIsWrong(t *testing.T) {
	const campaign = "$.components.schemas.Campaign"
	version := func(number string) string {
		return "overlay: " + number + "\ninfo: {title: t, version: 1.0.0}\nactions:\n"
	}
	old, later, noActions := version("1.0.0"), version("1.1.0"), "overlay: 1.0.0\ninfo: {title: t, version: 1}\n"
	for overlay, want := range map[string]string{
		"":                            "1: not an Overlay document: overlay is missing",
		"openapi: 3.0.3":              "1: not an Overlay document: overlay is missing",
		"[overlay]":                   "1: not an Overlay document: overlay is missing",
		"overlay: 1.0.0\nactions: [}": "2: not an Overlay document: did not find expected node content",
		version("2.0.0") + "- {target: $.info, remove: true}":       "1: overlay: want a version 1.x",
		"overlay: 1.0.0\nactions: [{target: $.info, remove: true}]": "1: title is missing",
		noActions:                   "1: actions: want a list",
		noActions + "actions: []\n": "3: actions: want a list",
		noActions + "actoins: []\n": "3: actoins: unknown key (did you mean actions?)",
		"overlay: 1.0.0\ninfo: {titel: t, version: 1}\n":      "2: titel: unknown key (did you mean title?)",
		old + "- {target: $.info, remove: true}\n---\n" + old: "6: a second YAML document",
		old + "- {target: $.info, removed: true}":             "4: removed: unknown key (did you mean remove?)",
		old + "- {target: $.info,\n   updates: {}}":           "5: updates: unknown key (did you mean update?)",
		old + "- {target: $.info, update: {}, update: {}}":    `4: not an Overlay document: mapping key "update" already`,
		old + "- $.info":                                           "4: want a mapping with target, description, update, remove",
		old + "- {update: {}}":                                     "4: target is missing",
		old + "- {target: $.info}":                                 "4: the action has no effect",
		old + "- {target: $.info, remove: false}":                  "4: the action has no effect",
		old + "- {target: $.info, remove: 'true'}":                 "4: remove: want true",
		old + "- {target: $.info, update: }":                       "4: update is empty",
		old + "- {target: $.info, update: {}}":                     "4: target $.info: update is empty",
		old + "- {target: $.tags, update: []}":                     "4: target $.tags: update is empty",
		old + "- {target: $.info, update: {a: b}, remove: true}":   "4: the action has two of update, remove and copy",
		old + "- {target: $.info, copy: $.tags}":                   "4: copy needs Overlay 1.1.0",
		later + "- {target: $.info, copy: $.tags}":                 "4: target $.info: cannot merge a list into a mapping",
		later + "- {target: $.info, copy: $.components.schemas.*}": "4: copy $.components.schemas.* selects",
		later + "- {target: $.info, copy: $.nowhere}":              "4: copy $.nowhere selects nothing",
		later + "- {target: $.info, update: {title: {a: b}}}":      "4: target $.info: title: cannot merge a mapping into a single value",
		old + "- {target: $.info, update: text}":                   "4: target $.info: cannot merge a single value into a mapping",
		old + "- {target: $, remove: true}":                        "4: target $ is the whole document",
		old + "- {target: $.info.x-a, remove: true}": "4: target $.info.x-a is not a JSONPath of RFC 9535: invalid number literal at " +
			"position 9; write ['x-a'] for .x-a",
		old + "- {target: '$.paths[', remove: true}":                               "4: target $.paths[ is not a JSONPath of RFC 9535: ",
		old + "- target: $.components.schemas.Nowhere\n  remove: true":             "4: target $.components.schemas.Nowhere selects nothing",
		old + "- {target: $.tags, remove: true}\n- {target: $.tags, remove: true}": "5: target $.tags selects nothing",
		old + "- {target: " + campaign + ".properties.name, remove: true}":         " x-field: name",
		old + "- {target: \"$.paths['/campaigns/{campaignId}']\", remove: true}":   " operation updateCampaign is gone",
	} {
		_, err := spec.LoadOverlays(spec.Overlay{File: "mine.yaml", Data: []byte(overlay)})
		if err == nil || !strings.HasPrefix(err.Error(), "mine.yaml:"+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\ngot  %v\nwant one line mine.yaml:%s", overlay, err, want)
		}
	}
}

// Overlays of any version 1.x are applied, with expressions of RFC 9535.
func TestOverlaysAreApplied(t *testing.T) {
	for _, version := range []string{"1.0.0", "1.0.1", "1.1.0", "1.2.0"} {
		for _, row := range []struct{ actions, path, want string }{
			{"- {target: $.info, update: {description: x, x-a: 1}}", "$.info['description', 'x-a']", "[x 1]"},
			{"- {target: $.info.title, update: x}", "$.info.title", "[x]"},
			{"- {target: $.paths.*, update: {summary: x}}", "$.paths.*.summary", "[x x x x x]"},
			{"- {target: \"$.paths.*[?@.operationId=='updateCampaign']\", update: {x-a: x}}", "$.paths.*.*['x-a']", "[x]"},
			{"- {target: \"$.paths.*[?(@.operationId=='updateCampaign')]\", update: {x-a: x}}", "$.paths.*.*['x-a']", "[x]"},
			{"- {target: \"$..[?match(@.operationId, 'update.*')]\", update: {x-a: x}}", "$.paths.*.*['x-a']", "[x x x]"},
			{
				"- {target: $.tags, update: {name: b}}\n- {target: $.tags, update: [{name: c}, {name: d}]}\n" +
					"- {target: '$.tags[:-1]', remove: true}",
				"$.tags[*].name", "[d]",
			},
			{
				"- {target: $.info, update: &a {x-a: &b {c: 1}}}\n- {target: $.paths, update: *a}\n" +
					"- {target: $, update: {x-b: {!!merge <<: *b, d: 2}}}",
				"$['x-b']['c', 'd']", "[1 2]",
			},
			{"- {target: $.info.description, remove: true, description: why, x-why: because}\nx-other: 1", "$.info.description", "[]"},
		} {
			head := "overlay: " + version + "\ninfo: {title: t, version: 1.0.0}\nactions:\n"
			c, err := spec.LoadOverlays(spec.Overlay{File: "mine.yaml", Data: []byte(head + row.actions)})
			noError(t, err)
			text, err := json.Marshal(c.OpenAPI)
			noError(t, err)
			var tree any
			noError(t, json.Unmarshal(text, &tree))
			if got := fmt.Sprint(jsonpath.MustParse(row.path).Select(tree)); got != row.want {
				t.Errorf("%s, %s: got %s at %s, want %s", version, row.actions, got, row.path, row.want)
			}
		}
	}
}

// Overlays are applied in order, and all are named.
func TestSeveralOverlays(t *testing.T) {
	const head = "overlay: 1.1.0\ninfo: {title: t, version: 1.0.0}\nactions:\n- {target: "
	campaign := "$.components.schemas.Campaign.properties"
	first := spec.Overlay{File: "a.yaml", Data: []byte(head + campaign + ", update: {added: {type: string}}}")}
	second := spec.Overlay{File: "b.yaml", Data: []byte(head + campaign + ".added, copy: " + campaign + ".shareURL}")}
	c, err := spec.LoadOverlays(first, second)
	noError(t, err)
	added := c.OpenAPI.Components.Schemas["Campaign"].Value.Properties["added"].Value
	if added.Format != "uri" || !slices.Equal(c.Overlays, []string{"a.yaml", "b.yaml"}) {
		t.Errorf("added has the format %q, with overlays %q", added.Format, c.Overlays)
	}
	_, err = spec.LoadOverlays(second, first)
	if want := "b.yaml:4: target " + campaign + ".added selects nothing"; err == nil || err.Error() != want {
		t.Errorf("in the other order: %v", err)
	}
}
