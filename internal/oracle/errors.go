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

// The contract says what an error body means, the published reference what its
// members are called. A missing member is looked for under another name:
// if there is one of its type, only the published name is broken (by the schema),
// otherwise the meaning is.

// errorParts are the readable parts of an error, with the names of their members, "" for a
// missing one.
type errorParts struct {
	sectionName, issuesName string
	section                 map[string]any
	issues                  []any
}

func readError(c *spec.Contract, body any) (e errorParts) {
	object, _ := body.(map[string]any)
	published := c.Error.Field("error")
	e.sectionName, e.section = standIn[map[string]any](object, published.Name)
	e.issuesName, e.issues = standIn[[]any](e.section, published.Object.Field("issues").Name)
	return e
}

// standIn returns the member of this name or, if it is not of type T, the first other one
// that is.
func standIn[T any](object map[string]any, name string) (string, T) {
	for _, name := range append([]string{name}, slices.Sorted(maps.Keys(object))...) {
		if v, ok := object[name].(T); ok {
			return name, v
		}
	}
	var none T
	return "", none
}

// isError reports whether the status has the contract's error body. A body that begins as an
// object and is no JSON is left to the check on JSON: it may hold the section.
func isError(j *judging) bool {
	text := bytes.TrimLeft(j.Body, "\ufeff \t\r\n")
	return j.described && j.Status >= 400 && (j.notJSON == nil || !bytes.HasPrefix(text, []byte("{")))
}

func hasSection(j *judging) bool { return isError(j) && j.sectionName != "" }

func hasIssues(j *judging) bool { return isError(j) && len(j.issues) > 0 }

func judgeErrorSection(j *judging) {
	if j.sectionName == "" {
		expected := "an object with the section " + j.contract.Error.Field("error").Name
		if j.Valid {
			j.findValue("", expected, j.Value)
		} else {
			j.find("", expected, "no JSON")
		}
	}
}

// sectionField returns the document's member of the section.
func (j *judging) sectionField(meaning string) *spec.Field {
	return j.contract.Error.Field("error").Object.Field(meaning)
}

func judgeErrorCode(j *judging) {
	name := j.sectionField("responseCode").Name
	isStatus := func(v any) bool { i, ok := Integer(v); return ok && i == int64(j.Status) }
	code, got := j.section[name], Describe(j.section[name])
	_, isNumber := code.(json.Number) // else the schema says so
	if code == nil && !slices.ContainsFunc(slices.Collect(maps.Values(j.section)), isStatus) {
		isNumber, got = true, "no such integer in the section"
	}
	if isNumber && !isStatus(code) {
		j.mismatch(Finding{Clause: "ERR-7", Pointer: pointer(j.sectionName, name), Expected: fmt.Sprintf("the status, %d", j.Status), Got: got})
	}
}

func judgeErrorIssues(j *judging) {
	switch {
	case j.issuesName == "":
		at := pointer(j.sectionName, j.sectionField("issues").Name)
		j.mismatch(Finding{Clause: "ERR-8", Pointer: at, Expected: "a list of issues", Got: "no list in the section"})
	case len(j.issues) == 0 && j.Status == http.StatusUnprocessableEntity:
		j.find(pointer(j.sectionName, j.issuesName), "at least one issue on a 422", "an empty list")
	}
}

// judgeIssueText: texts under other names can stand in for absent ones.
func judgeIssueText(j *judging) {
	published := j.sectionField("issues").Items
	for i, item := range j.issues {
		issue, is := item.(map[string]any) // else the schema says so
		texts := 0
		for name, v := range issue {
			if text, ok := v.(string); ok && name != published.Field("relatedField").Name && strings.TrimSpace(text) != "" {
				texts++
			}
		}
		for _, meaning := range []string{"type", "message"} {
			name := published.Field(meaning).Name
			at := pointer(j.sectionName, j.issuesName, strconv.Itoa(i), name)
			text, isText := issue[name].(string)
			switch {
			case isText && strings.TrimSpace(text) == "":
				j.find(at, "a text that is not empty", Describe(text))
			case is && issue[name] == nil && texts < 2:
				j.mismatch(Finding{Clause: "ERR-9", Pointer: at, Expected: "a text that is not empty", Got: "no text"})
			}
		}
	}
}

// Issue is an issue of an error, with the texts that it has.
type Issue struct{ Type, Message, Field string }

// String returns what the issue says: "invalid (name): must not be empty".
func (i Issue) String() string {
	words := i.Type
	if i.Field != "" {
		words += " (" + i.Field + ")"
	}
	return strings.TrimPrefix(strings.TrimSuffix(words+": "+i.Message, ": "), ": ")
}

// Issues returns the issues of a decoded error body, as far as they are there.
func Issues(c *spec.Contract, body any) (issues []Issue) {
	published := c.Error.Field("error").Object.Field("issues")
	for _, item := range readError(c, body).issues {
		if issue, ok := item.(map[string]any); ok {
			text := func(meaning string) string { s, _ := issue[published.Items.Field(meaning).Name].(string); return s }
			issues = append(issues, Issue{text("type"), text("message"), text("relatedField")})
		}
	}
	return issues
}

// Named returns the fields that the issues of an error name, as they are written.
func Named(c *spec.Contract, body any) (named []string) {
	for _, issue := range Issues(c, body) {
		if issue.Field != "" {
			named = append(named, issue.Field)
		}
	}
	return named
}

// LastSegment returns what counts of a related field: its form (name, /name, data.name) is
// open.
func LastSegment(relatedField string) string {
	return relatedField[strings.LastIndexAny(relatedField, "/.")+1:]
}
