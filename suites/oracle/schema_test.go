package oracle

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
)

// success is a conforming answer of each operation with a representation, and
// where the representation stands in it.
func success(op string) (body, at string) {
	switch op {
	case updateProfile:
		return profileBody, "/data"
	case updateHost:
		return hostBody, "/data"
	case updateCampaign:
		return campaign, "/data"
	default:
		return listBody(1, 1, 1, 1, 241), "/data/0"
	}
}

// wrongType are values of each type but the field's own. An empty object stands
// for one that lacks what it has to have.
func wrongType(f *spec.Field) map[string]any {
	values := map[string]any{"text": "x1", "number": 7, "true": true, "array": []any{}, "object": map[string]any{}, "empty text": ""}
	switch f.Type {
	case "integer":
		delete(values, "number")
		values["fraction"] = 1.5
		values["digits"] = "7"
	case "string":
		if len(f.Enum) == 0 && !f.Date && !f.URL {
			delete(values, "text")
			delete(values, "empty text")
		}
	}
	return values
}

// Each property of each representation, dropped, nulled, renamed and retyped.
func TestSchemaOfEachProperty(t *testing.T) {
	var rows []row
	for _, op := range contract(t).Operations {
		if op.Success == nil {
			continue
		}
		body, at := success(op.ID)
		rows = append(rows, row{op.ID, op.ID, answer(200, body), nil})
		for _, f := range op.Representation().Fields {
			broken := []string{f.Clause + " " + at + "/" + f.Name}
			if f.Object != nil {
				broken = []string{f.Clause + " " + at + "/" + f.Name + "/processingStatus"}
			}
			add := func(name string, want []string, change func(map[string]any)) {
				rows = append(rows, row{op.ID + " " + f.Name + " " + name, op.ID, answer(200, changed(t, body, change)), want})
			}
			required, nullable := broken, broken
			if !f.Required {
				required = nil
			}
			if f.Nullable {
				nullable = nil
			}
			add("dropped", required, func(o map[string]any) { delete(o, f.Name) })
			add("renamed", required, func(o map[string]any) { o[f.Name+"X"] = o[f.Name]; delete(o, f.Name) })
			add("null", nullable, func(o map[string]any) { o[f.Name] = nil })
			for name, v := range wrongType(f) {
				want := []string{f.Clause + " " + at + "/" + f.Name}
				if f.Object != nil && name == "object" {
					want = broken
				}
				add(name, want, func(o map[string]any) { o[f.Name] = v })
			}
		}
	}
	judgeAll(t, rows)
}

// changed decodes a body, changes the representation and encodes it.
func changed(t *testing.T, body string, change func(map[string]any)) string {
	t.Helper()
	value, _, problem := decode([]byte(body))
	if problem != nil {
		t.Fatal(problem)
	}
	object := value.(map[string]any)["data"]
	if items, ok := object.([]any); ok {
		object = items[0]
	}
	change(object.(map[string]any))
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSchemaBeyondProperties(t *testing.T) {
	with := func(old, new string) Response { return answer(200, replace(t, profileBody, old, new)) }
	list := listBody(3, 3, 1, 1, 241, 242, 243)
	judgeAll(t, []row{
		{"null", updateProfile, answer(200, "null"), []string{"PROFILE-1 "}},
		{"array", updateProfile, answer(200, "[]"), []string{"PROFILE-1 "}},
		{"false", updateHost, answer(200, "false"), []string{"HOST-1 "}},
		{"without envelope", updateCampaign, answer(200, `{"id":25,"name":"x"}`), []string{"CAMPAIGN-16 /data"}},
		{"envelope null", updateCampaign, answer(200, `{"data":null}`), []string{"CAMPAIGN-16 /data"}},
		{"envelope array", updateCampaign, answer(200, `{"data":[]}`), []string{"CAMPAIGN-16 /data"}},
		{"error as success", updateCampaign, answer(200, errorBody), []string{"CAMPAIGN-16 /data"}},
		{"other enum", updateProfile, with(`"pass"`, `"never"`), []string{"PROFILE-9 /data/withoutCookiesAction"}},
		{"enum in other case", updateProfile, with(`"warn"`, `"WARN"`), []string{"PROFILE-10 /data/withCookiesAction"}},
		{"enum null", updateProfile, with(`"warn"`, `null`), []string{"PROFILE-10 /data/withCookiesAction"}},
		{
			"two fields", updateProfile, answer(200, strings.NewReplacer(`"warn"`, `1`, `12`, `"12"`).Replace(profileBody)),
			[]string{"PROFILE-5 /data/id", "PROFILE-10 /data/withCookiesAction"},
		},
		{"more members", updateProfile, with(`"id"`, `"x":{"id":"y"},"":null,"id"`), nil},
		{"optional absent", updateHost, answer(200, replace(t, hostBody, `"regularExpression":"^/pixel/",`, ``)), nil},
		{"optional null", updateHost, answer(200, replace(t, hostBody, `"^/pixel/"`, `null`)), nil},
		{"third item", listMedia, answer(200, replace(t, list, `"id":243`, `"id":"243"`)), []string{"CREATIVE-1 /data/2/id"}},
		{"every item", listMedia, answer(200, strings.ReplaceAll(list, `"width":640`, `"width":"640"`)), []string{"CREATIVE-12 /data/0/width"}},
		{
			"every item, two ways", listMedia,
			answer(200, strings.ReplaceAll(list, `"width":640,"height":360`, `"width":"640","height":3.5`)),
			[]string{"CREATIVE-12 /data/0/width", "CREATIVE-13 /data/0/height"},
		},
		{
			"no status in the scan", listMedia,
			answer(200, replace(t, listBody(1, 1, 1, 1, 241), `"processingStatus":"finished"`, `"status":1`)),
			[]string{"CREATIVE-17 /data/0/latestScanStatus/processingStatus"},
		},
		{
			"scan dates are not judged", listMedia,
			answer(200, replace(t, listBody(1, 1, 1, 1, 241), `"processingStatus"`, `"createdAt":"x","processingStatus"`)), nil,
		},
		{
			"media files in a list", listMedia,
			answer(200, replace(t, listBody(1, 1, 1, 1, 241), `"nbVariations":0`, `"nbVariations":0,"nbMediaFiles":3`)), nil,
		},
		{"redirect", updateProfile, answer(302, `{"data":1}`), []string{"ERR-12 "}},
		{"undeclared", updateProfile, answer(409, `{"data":1}`), []string{"ERR-12 "}},
	})
}

func TestFindingsSayWhatAndWhere(t *testing.T) {
	c := contract(t)
	o := New(c)
	body := strings.ReplaceAll(listBody(3, 3, 1, 1, 241, 242, 243), `"width":640`, `"width":"640 px\n"`)
	got := o.Judge(c.Operation(listMedia), answer(200, body)).Findings
	if len(got) != 1 {
		t.Fatalf("expected one finding, got %+v", got)
	}
	want := Finding{
		Check: "schema", Operation: listMedia, Clause: "CREATIVE-12", Basis: spec.Stated, Severity: Violation, WFC: 200, Pointer: "/data/0/width",
		Expected: "an integer of 64 bits, or null", Got: `the string "640 px\n"; and in 2 more places`,
	}
	if !reflect.DeepEqual(got[0], want) {
		t.Errorf("expected %+v, got %+v", want, got[0])
	}
}

func TestIntegers(t *testing.T) {
	var rows []row
	for number, want := range map[string]string{
		"0": "", "-0": "", "-5": "", "9223372036854775807": "", "-9223372036854775808": "", "9007199254740993": "",
		"1.0": "OPEN-5", "25.000": "OPEN-5", "1e0": "OPEN-5", "1E+2": "OPEN-5", "2500e-2": "OPEN-5", "0.25e2": "OPEN-5", "-0.0": "OPEN-5",
		"9223372036854775807.0": "OPEN-5", "9.223372036854775807e18": "OPEN-5", "0e-5": "OPEN-5",
		"1.5": "CAMPAIGN-5", "0.1": "CAMPAIGN-5", "25e-1": "CAMPAIGN-5", "1e-400": "CAMPAIGN-5", "-1.0000000000000000000001": "CAMPAIGN-5",
		"9007199254740992.5":  "CAMPAIGN-5", // an integer as a float of 64 bits
		"9223372036854775808": "CAMPAIGN-5", // the largest int64 as a float
		"9223372036854775809": "CAMPAIGN-5", "-9223372036854775809": "CAMPAIGN-5", "1e19": "CAMPAIGN-5", "1e400": "CAMPAIGN-5",
	} {
		r := row{name: number, op: updateCampaign, r: answer(200, replace(t, campaign, `"id":25`, `"id":`+number))}
		if want != "" {
			r.want = []string{want + " /data/id"}
		}
		rows = append(rows, r)
	}
	judgeAll(t, rows)
}

func TestURLs(t *testing.T) {
	var rows []row
	for text, ok := range map[string]bool{
		"https://example.com/share/25": true, "http://127.0.0.1:8080/x?a=b#c": true, "HTTPS://EXAMPLE.COM": true, "https://[::1]/x": true,
		"https://example.com/é": true, "https://user@example.com/": true,
		"": false, "/share/25": false, "//example.com/x": false, "example.com/x": false, "ftp://example.com/x": false, "https:": false,
		"https://": false, "https:///x": false, "https://:80/x": false, "https:example.com": false, "mailto:a@example.com": false,
		"urn:x:y":               false,
		"https://exa mple.com/": false, "https://example.com/a b": false, "https://example.com:port/": false,
		"https://example.com/%zz": false, "javascript:alert(1)": false,
	} {
		body := replace(t, campaign, "https://example.com/share/campaign/25", text)
		r := row{name: fmt.Sprintf("%q", text), op: updateCampaign, r: answer(200, body)}
		if !ok {
			r.want = []string{"CAMPAIGN-10 /data/shareURL"}
		}
		rows = append(rows, r)
	}
	one := listBody(1, 1, 1, 1, 241)
	rows = append(rows,
		row{
			"in a list", listMedia, answer(200, replace(t, one, "https://example.com/preview/1", "/preview/1")),
			[]string{"CREATIVE-10 /data/0/livePreviewURL"},
		},
		row{
			"null", listMedia, answer(200, replace(t, one, `"https://example.com/preview/1"`, `null`)),
			[]string{"CREATIVE-10 /data/0/livePreviewURL"},
		},
		row{
			"empty for null", listMedia, answer(200, replace(t, one, `"previewAnimationURL":null`, `"previewAnimationURL":""`)),
			[]string{"CREATIVE-11 /data/0/previewAnimationURL"},
		},
	)
	judgeAll(t, rows)
}

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
