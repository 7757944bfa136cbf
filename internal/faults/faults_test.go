package faults_test

import (
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

func TestFaultsAreDeclaredInFullForEveryClause(t *testing.T) {
	c := spec.Load()
	all, again := faults.All(c), faults.All(c)
	broken := map[string]bool{}
	for i, f := range all {
		if broken[f.Clause] = true; i > 0 && all[i-1].ID >= f.ID {
			t.Errorf("%s stands after %s: not sorted, or there twice", f.ID, all[i-1].ID)
		}
		for _, id := range append(f.Also, f.Clause) {
			if c.Clause(id) == nil || !f.Cites(id) || f.Cites("NONE-1") {
				t.Errorf("%s cites %s, which is no clause, or others than it names", f.ID, id)
			}
		}
		if f.Wrap == nil && f.Choices == nil || !strings.HasSuffix(f.Sentence, ".") {
			t.Errorf("%s changes nothing or lacks a sentence: %+v", f.ID, f)
		}
		if o := again[i]; f.ID != o.ID || f.Sentence != o.Sentence || !slices.Equal(f.Also, o.Also) {
			t.Errorf("fault %d is %s, then %s", i, f.ID, o.ID)
		}
	}
	for _, clause := range c.Clauses {
		if !broken[clause.ID] {
			t.Errorf("no fault breaks %s: %s", clause.ID, clause.Text)
		}
	}
}

// Each answer in the document has faults, and answers that are not in it have none, as there would be
// nothing to change.
func TestEveryOperationAndStatusHasFaults(t *testing.T) {
	const overlay = "overlay: 1.0.0\ninfo: {title: t, version: 1.0.0}\nactions:\n" +
		"  - {target: \"$.paths['/creatives/{creativeId}/media-files'].get.responses['422']\", remove: true}"
	without, err := spec.LoadOverlays(spec.Overlay{File: "without.yaml", Data: []byte(overlay)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*spec.Contract{spec.Load(), without} {
		all := faults.All(c)
		for _, op := range c.Operations {
			for _, class := range []string{"success", "401", "403", "404", "422"} {
				has := slices.ContainsFunc(all, func(f faults.Server) bool { return strings.HasPrefix(f.ID, op.ID+"/"+class+"/") })
				if listed := class == "success" || op.Responses[class] != nil; has != listed {
					t.Errorf("%s of %s has faults: %v; it is listed: %v", class, op.ID, has, listed)
				}
			}
		}
	}
}

func TestVariantsAreDeclaredInFull(t *testing.T) {
	varied := map[string]bool{}
	all := faults.Variants()
	for i, v := range all {
		if i > 0 && all[i-1].ID >= v.ID {
			t.Errorf("%s stands after %s: not sorted, or there twice", v.ID, all[i-1].ID)
		}
		for _, id := range v.Open {
			varied[id] = true
		}
		isDeclared(t, v)
	}
	for _, p := range spec.Load().Open {
		if p.Treatment == "observe" && !varied[p.ID] && !slices.Contains(notVaried, p.ID) {
			t.Errorf("no variant differs at %s: %s", p.ID, p.Question)
		}
	}
}

// isDeclared fails the test if a variant changes nothing, or names what does not exist.
func isDeclared(t *testing.T, v faults.Server) {
	t.Helper()
	if v.Choices != nil {
		v.Choices(new(reference.Choices)) // panics where a name in variants.yaml is wrong
	}
	if v.Wrap == nil && v.Choices == nil || !strings.HasSuffix(v.Sentence, ".") {
		t.Errorf("%s changes nothing or has no sentence", v.ID)
	}
	for _, id := range v.Open {
		if spec.Load().OpenPoint(id) == nil {
			t.Errorf("%s names %s, which is no open point", v.ID, id)
		}
	}
	for key := range v.Pins {
		if name, _ := fixtures.Example("open." + key); name == "" {
			t.Errorf("%s pins %s, which is no pin", v.ID, key)
		}
	}
}

// notVaried are observed open points at which no variant differs: the suite
// only observes the result.
var notVaried = []string{"unknown-methods", "concurrent-writers"}

// The severity of one fault of each kind.
func TestSeverities(t *testing.T) {
	c := spec.Load()
	for id, want := range map[string]spec.Impact{
		"auth/no-key/updateCampaign":                        spec.Critical, // by its clause
		"effect/not-stored/updateCampaign":                  spec.Critical,
		"permission/not-found-instead/updateCampaign":       spec.Major, // graded
		"shown/foreign-object/updateCampaign":               spec.Critical,
		"path/zero/deleteCreative/creativeId":               spec.Critical,
		"path/zero/listCreativeMediaFiles/creativeId":       spec.Major,
		"page/count-one-more":                               spec.Major,
		"crash/no-body/updateCampaign":                      spec.Minor,
		"updateCampaign/success/data.name-dropped":          spec.Major, // of the document
		"updateCampaign/404/status-200":                     spec.Major,
		"updateCampaign/422/error.issues.message-as-number": spec.Minor,
	} {
		f, err := faults.ByID(faults.All(c), id)
		if err != nil || f.Severity != want {
			t.Errorf("%s is %s, want %s (%v)", id, f.Severity, want, err)
		}
	}
}

// keywordFaults has, for each keyword that a response's schema may have, what the ids of faults end with that break it.
var keywordFaults = map[string]string{
	"type": "-as-string", "required": "-dropped", "nullable": "-null", "format": "-just-beyond-63-bit", "enum": "-unlisted",
	"items": "-as-array", "minLength": "-empty",
}

// A keyword of a response's schema asks for a fault that breaks it.
func TestKeywordsOfResponsesHaveFaults(t *testing.T) {
	var document struct {
		Components struct{ Schemas map[string]any }
	}
	if err := yaml.Unmarshal(spec.OpenAPI(), &document); err != nil {
		t.Fatal(err)
	}
	for keyword, end := range keywordFaults {
		isFor := func(f faults.Server) bool { return strings.HasSuffix(f.ID, end) }
		if !slices.ContainsFunc(faults.All(spec.Load()), isFor) {
			t.Errorf("no id of a fault ends with %s, for the keyword %s", end, keyword)
		}
	}
	for name, schema := range document.Components.Schemas {
		if !strings.HasSuffix(name, "Update") { // the bodies of requests
			checkKeywords(t, name, schema)
		}
	}
}

// checkKeywords reports the keywords of a schema, and of those within it, that no fault breaks.
func checkKeywords(t *testing.T, at string, schema any) {
	t.Helper()
	says := []string{"description", "example", "properties", "$ref"} // and break nothing
	keywords, _ := schema.(map[string]any)
	for keyword, value := range keywords {
		if keywordFaults[keyword] == "" && !slices.Contains(says, keyword) && !strings.HasPrefix(keyword, "x-") {
			t.Errorf("%s has the keyword %s, which no fault of a response breaks: derive one in document.go, and name it here", at, keyword)
		}
		if keyword == "items" {
			checkKeywords(t, at+".items", value)
		}
		if fields, _ := value.(map[string]any); keyword == "properties" {
			for name, field := range fields {
				checkKeywords(t, at+"."+name, field)
			}
		}
	}
}
