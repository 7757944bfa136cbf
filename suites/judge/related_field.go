package judge

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/oracle"
)

// judgeRelatedField looks for an issue that names the field; its form is open
// (name, /name, data.name), so the last segment counts.
func (t *Test) judgeRelatedField(field string, a *Answer) {
	t.Covered("ERR-10")
	named := oracle.Named(t.Model.Contract, a.Value)
	for _, text := range named {
		if oracle.LastSegment(text) == field {
			if text != field {
				t.Observe("related-field-form", strings.TrimSuffix(text, field)+"name")
			} else {
				t.Observe("related-field-form", "name")
			}
			return
		}
	}
	got := "none that names a field"
	if len(named) > 0 {
		got = "only issues that name " + quoted(named)
	}
	t.Find("related-field", t.misnamed(fmt.Sprintf("an issue whose relatedField names %q", field), got))
}

// misnamed is a finding about the fields that the issues of an error name.
func (t *Test) misnamed(expected, got string) Finding {
	return Finding{Clause: "ERR-10", Pointer: "/" + t.Model.Contract.Error.Field("error").Name, Expected: expected, Got: got}
}

// JudgeBothWrong judges that each issue of an error about these fields names one of them,
// and notes how many come.
func (t *Test) JudgeBothWrong(fields []string, a *Answer) {
	issues := oracle.Issues(t.Model.Contract, a.Value)
	t.Observe("both-fields-wrong", fmt.Sprintf("%d issues for %d wrong fields", len(issues), len(fields)))
	if !t.JudgeNoneElse(fields, a) {
		t.FindIn(a.Exchange, "related-field", t.misnamed("an issue that names one of "+strings.Join(fields, ", "), "none"))
	}
}

// JudgeNoneElse judges that issues of an error which name a field name one of these, and says
// whether any does name a field.
func (t *Test) JudgeNoneElse(fields []string, a *Answer) (names bool) {
	t.Covered("ERR-10")
	named := oracle.Named(t.Model.Contract, a.Value)
	other := func(text string) bool { return !slices.Contains(fields, oracle.LastSegment(text)) }
	if i := slices.IndexFunc(named, other); i >= 0 {
		t.FindIn(a.Exchange, "related-field",
			t.misnamed("each issue names one of "+strings.Join(fields, ", "), "an issue that names "+oracle.Show(named[i])))
	}
	return len(named) > 0
}

// maxQuoted is how many texts of an answer a finding quotes.
const maxQuoted = 5

// quoted are texts of an answer as a finding repeats them: whole, or shortened as Show
// does. In a part of one that is cut off otherwise nobody knows a part of a key.
func quoted(texts []string) string {
	var all []string
	for _, text := range texts[:min(len(texts), maxQuoted)] {
		all = append(all, oracle.Show(text))
	}
	if more := len(texts) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}

// JudgeBothNamed compares an error about two wrong fields with those that each of
// them got alone: where it has two issues of the types that the fields get alone,
// the issues name both fields.
func (t *Test) JudgeBothNamed(fields []string, alone []*Answer, both *Answer) {
	var types []string
	for _, a := range alone {
		got := t.IssueTypes(a)
		if len(got) != 1 {
			return
		}
		types = append(types, got...)
	}
	slices.Sort(types)
	if !slices.Equal(types, t.IssueTypes(both)) {
		return
	}
	t.Covered("ERR-10")
	texts := t.ofIssues(both, "relatedField")
	var named []string
	for _, text := range texts {
		named = append(named, oracle.LastSegment(text))
	}
	slices.Sort(named)
	if want := slices.Sorted(slices.Values(fields)); !slices.Equal(named, want) {
		t.FindIn(both.Exchange, "related-field",
			t.misnamed("two issues, of which one names "+fields[0]+" and one "+fields[1], "issues that name "+quoted(texts)))
	}
}

// IssueTypes are the type keys of the issues of a 422, sorted.
func (t *Test) IssueTypes(a *Answer) []string {
	if a.Status != http.StatusUnprocessableEntity {
		return nil
	}
	types := t.ofIssues(a, "type")
	slices.Sort(types)
	return types
}

// ofIssues is a member of each issue of an error, "" where it is no text.
func (t *Test) ofIssues(a *Answer, meaning string) (texts []string) {
	name := t.Model.Contract.Error.Field("error").Object.Field("issues").Items.Field(meaning).Name
	for _, issue := range oracle.Issues(t.Model.Contract, a.Value) {
		text, _ := issue[name].(string)
		texts = append(texts, text)
	}
	return texts
}
