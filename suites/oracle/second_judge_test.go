package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// A second judge of schemas: the schemas of the document as JSON Schema
// 2020-12, with what we add to them (dates, URLs, 64 bits) said in its own
// words. Where the two disagree, one of them is wrong, and it is ours to know.
func TestSecondJudgeAgrees(t *testing.T) {
	c := contract(t)
	compiler := secondCompiler(t)
	for _, base := range []struct {
		op, schema, body string
		status           int
	}{
		{updateProfile, "ConnectionProfileData", profileBody, 200},
		{updateHost, "ConnectionProfileRuleHostData", hostBody, 200},
		{updateCampaign, "CampaignData", campaign, 200},
		{listMedia, "CreativeList", listBody(2, 2, 1, 1, 241, 242), 200},
		{updateCampaign, "ErrorBody", errorBody, 422},
	} {
		second, err := compiler.Compile("openapi.json#/components/schemas/" + base.schema)
		if err != nil {
			t.Fatal(err)
		}
		compared, broken := 0, 0
		mutate(base.body, func(what, body string) {
			value, _, problem := decode([]byte(body))
			if problem != nil {
				t.Fatalf("%s: %s", what, problem.got)
			}
			op := c.Operation(base.op)
			j := judging{contract: c, op: op, taken: map[string]bool{}, alike: map[string]int{}}
			schema := op.ResponseObject(base.status)
			j.body = place{schema: schema.Schema, object: schema, value: value, shown: true, whole: true}
			judgeSchema(&j)
			judgeIntegerValue(&j)
			judgeURLs(&j)
			judgeDates(&j)
			ours := slices.Sorted(maps.Keys(j.taken))
			theirs := slices.Sorted(maps.Keys(secondOpinion(second, value)))
			if !slices.Equal(ours, theirs) {
				t.Errorf("%s, %s: we find %q, the second judge %q", base.op, what, ours, theirs)
			}
			compared++
			if len(ours) > 0 {
				broken++
			}
		})
		if broken < 50 || compared-broken < 5 {
			t.Errorf("%s: of %d bodies only %d are broken: the comparison says little", base.op, compared, broken)
		}
	}
}

// mutate puts each of many values at each place of a body, drops it and renames it.
func mutate(body string, use func(what, body string)) {
	values := []string{
		`null`, `true`, `0`, `-1`, `1.0`, `1.5`, `1e400`, `9223372036854775807`, `9223372036854775808`, `9007199254740992.5`, `""`, `"x"`, `"7"`,
		`"pass"`, `"2024-02-29T12:00:00Z"`, `"2023-02-29T12:00:00Z"`, `"https://example.com/"`, `"ftp://example.com/"`, `"/x"`,
		`[]`, `[null]`, `[{}]`, `{}`, `{"id":1}`,
	}
	use("as it is", body)
	var root any
	if err := json.Unmarshal([]byte(body), &root); err != nil {
		panic(err)
	}
	emit := func(what string) {
		b, err := json.Marshal(root)
		if err != nil {
			panic(err)
		}
		use(what, string(b))
	}
	var walk func(v any, at string)
	walk = func(v any, at string) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				old, here := v[name], at+"/"+name
				for _, value := range values {
					v[name] = json.RawMessage(value)
					emit(here + " is " + value)
				}
				delete(v, name)
				emit(here + " dropped")
				v[name+"_"] = old
				emit(here + " renamed")
				delete(v, name+"_")
				v[name] = old
				walk(old, here)
			}
		case []any:
			for i, old := range v {
				here := fmt.Sprintf("%s/%d", at, i)
				for _, value := range values {
					v[i] = json.RawMessage(value)
					emit(here + " is " + value)
				}
				v[i] = old
				walk(old, here)
			}
		}
	}
	walk(root, "")
}

// secondOpinion are the pointers where the second judge sees a mismatch.
func secondOpinion(s *jsonschema.Schema, value any) map[string]bool {
	found := map[string]bool{}
	var collect func(e *jsonschema.ValidationError)
	collect = func(e *jsonschema.ValidationError) {
		if missing, ok := e.ErrorKind.(*kind.Required); ok {
			for _, name := range missing.Missing {
				found[pointer(append(slices.Clone(e.InstanceLocation), name)...)] = true
			}
		} else if len(e.Causes) == 0 {
			found[pointer(e.InstanceLocation...)] = true
		}
		for _, cause := range e.Causes {
			collect(cause)
		}
	}
	if err := s.Validate(value); err != nil {
		collect(err.(*jsonschema.ValidationError))
	}
	return found
}

func secondCompiler(t *testing.T) *jsonschema.Compiler {
	t.Helper()
	b, err := json.Marshal(contract(t).OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	translate(doc)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	return compiler
}

// translate turns OpenAPI 3.0 schemas into JSON Schema 2020-12, in place.
func translate(v any) {
	switch v := v.(type) {
	case map[string]any:
		switch v["type"] {
		case "integer":
			v["minimum"], v["maximum"] = json.Number("-9223372036854775808"), json.Number("9223372036854775807")
		case "string":
			if v["x-date"] == true {
				v["format"] = "date-time"
			}
			if v["format"] == "uri" {
				v["pattern"] = "^https?://[^/:]"
			}
		}
		if v["nullable"] == true {
			v["type"] = []any{v["type"], "null"}
		}
		for _, member := range v {
			translate(member)
		}
	case []any:
		for _, item := range v {
			translate(item)
		}
	}
}
