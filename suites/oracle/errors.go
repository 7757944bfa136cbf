package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/spec"
)

// The contract says what an error body means, the published reference how its
// members are called. A member that is absent is looked for under another name:
// if one can stand in for it, only the published name is broken (by the schema),
// otherwise the meaning is.

// errorNames are the wire names of an error body; an overlay may change them.
type errorNames struct {
	section, code, issues string
	texts                 []string        // of an issue: the key of its type and its message
	published             map[string]bool // all names of an issue
}

func newErrorNames(body *spec.Object) errorNames {
	name := func(o *spec.Object, meaning string) string {
		if f := o.Field(meaning); f != nil {
			return f.Name
		}
		return meaning
	}
	var section, issue *spec.Object
	if f := body.Field("error"); f != nil {
		section = f.Object
	}
	if f := section.Field("issues"); f != nil {
		issue = f.Items
	}
	names := errorNames{
		section: name(body, "error"), code: name(section, "responseCode"), issues: name(section, "issues"),
		texts: []string{name(issue, "type"), name(issue, "message")}, published: map[string]bool{},
	}
	if issue != nil {
		for _, f := range issue.Fields {
			names.published[f.Name] = true
		}
	}
	return names
}

// isError: a status whose body is the contract's error body. What begins as an object and
// is no JSON may hold the section.
func isError(j *judging) bool {
	return j.shape != nil && j.Status >= 400 && (j.text == nil || !beginsObject(j.Body))
}

func beginsObject(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n"), []byte("{"))
}

func judgeErrorSection(j *judging) {
	j.judged("ERR-6")
	if name, _ := j.section(); name != "" {
		return
	}
	j.formless = true
	got := "no body"
	switch {
	case j.text != nil:
		got = "a body that is no JSON"
	case len(j.Body) > 0:
		got = ShowNames(j.Value)
	}
	j.find("ERR-6", wfcSchema, "", fmt.Sprintf("an object with the section %s", j.oracle.errors.section), got)
}

// section is the error section with its name, "" when there is none.
func (j *judging) section() (string, map[string]any) {
	body, _ := j.Value.(map[string]any)
	return standIn[map[string]any](body, j.oracle.errors.section)
}

// standIn is the member of this name or, if it is of another type, the first other one
// that is of that.
func standIn[T any](object map[string]any, name string) (string, T) {
	if v, ok := object[name].(T); ok {
		return name, v
	}
	for _, other := range slices.Sorted(maps.Keys(object)) {
		if v, ok := object[other].(T); ok {
			return other, v
		}
	}
	var none T
	return "", none
}

func hasSection(j *judging) bool {
	if !isError(j) {
		return false
	}
	name, _ := j.section()
	return name != ""
}

func judgeErrorCode(j *judging) {
	j.judged("ERR-7")
	name, section := j.section()
	find := func(wfc int, got string) {
		at := pointer(name, j.oracle.errors.code)
		j.take(at)
		j.find("ERR-7", wfc, at, fmt.Sprintf("the status, %d", j.Status), got)
	}
	switch v := section[j.oracle.errors.code].(type) {
	case json.Number:
		if i, ok := Integer(v); !ok || i != int64(j.Status) {
			find(0, show(v))
		}
	case nil:
		var others []string
		for _, other := range slices.Sorted(maps.Keys(section)) {
			if i, ok := Integer(section[other]); ok {
				if i == int64(j.Status) {
					return
				}
				others = append(others, fmt.Sprintf("%s: %d", other, i))
			}
		}
		got := "no integer in the section"
		if len(others) > 0 {
			got = "only " + strings.Join(others, ", ")
		}
		find(wfcSchema, got)
	}
}

// issueList is the list of issues with its name, "" when there is none.
func (j *judging) issueList() (string, []any) {
	_, section := j.section()
	return standIn[[]any](section, j.oracle.errors.issues)
}

func judgeErrorIssues(j *judging) {
	j.judged("ERR-8")
	section, members := j.section()
	name, issues := j.issueList()
	switch {
	case name == "":
		at := pointer(section, j.oracle.errors.issues)
		got := "no list in the section"
		if v, ok := members[j.oracle.errors.issues]; ok {
			got = show(v)
		}
		j.take(at)
		j.find("ERR-8", wfcSchema, at, "a list of issues", got)
	case len(issues) == 0 && j.Status == http.StatusUnprocessableEntity:
		j.find("ERR-8", 0, pointer(section, name), "at least one issue on a 422", "an empty list")
	}
}

func hasIssues(j *judging) bool {
	if !hasSection(j) {
		return false
	}
	_, issues := j.issueList()
	return len(issues) > 0
}

func judgeIssueText(j *judging) {
	j.judged("ERR-9")
	section, _ := j.section()
	name, issues := j.issueList()
	for i, item := range issues {
		issue, ok := item.(map[string]any)
		if !ok {
			continue // the schema says so
		}
		spare := 0 // texts that can stand in for one that is absent
		for other, v := range issue {
			if text, ok := v.(string); ok && !j.oracle.errors.published[other] && strings.TrimSpace(text) != "" {
				spare++
			}
		}
		for _, text := range j.oracle.errors.texts {
			at := func() string { return pointer(section, name, strconv.Itoa(i), text) }
			switch v := issue[text].(type) {
			case string:
				if strings.TrimSpace(v) == "" {
					j.find("ERR-9", 0, at(), "a text that is not empty", show(v))
				}
			case nil:
				if spare--; spare < 0 {
					j.take(at())
					j.find("ERR-9", wfcSchema, at(), "a text that is not empty", "no text")
				}
			}
		}
	}
}
