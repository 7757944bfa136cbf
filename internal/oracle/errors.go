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
	names := append([]string{name}, slices.Sorted(maps.Keys(object))...)
	for _, name := range names {
		if v, isT := object[name].(T); isT {
			return name, v
		}
	}
	var none T
	return "", none
}

// isError reports whether the status has the contract's error body. A body that begins as an
// object and is not JSON is left to the check on JSON: it may hold the section.
func isError(j *judging) bool {
	if !j.described || j.Status < 400 {
		return false
	}
	text := bytes.TrimLeft(j.Body, "\ufeff \t\r\n")
	return j.notJSON == nil || !bytes.HasPrefix(text, []byte("{"))
}

func hasSection(j *judging) bool { return isError(j) && j.sectionName != "" }

func hasIssues(j *judging) bool { return isError(j) && len(j.issues) > 0 }

func judgeErrorSection(j *judging) {
	if j.sectionName != "" {
		return
	}
	expected := "an object with the section " + j.contract.Error.Field("error").Name
	if j.Valid {
		j.findValue("", expected, j.Value)
	} else {
		j.find("", expected, "no JSON")
	}
}

// sectionField returns the document's member of the section.
func (j *judging) sectionField(meaning string) *spec.Field {
	return j.contract.Error.Field("error").Object.Field(meaning)
}

func judgeErrorCode(j *judging) {
	name := j.sectionField("responseCode").Name
	code := j.section[name]
	wrong := Finding{Clause: "ERR-7", Pointer: pointer(j.sectionName, name), Got: Describe(code)}
	wrong.Expected = fmt.Sprintf("the status, %d", j.Status)
	if code == nil {
		if !slices.ContainsFunc(slices.Collect(maps.Values(j.section)), j.isStatus) {
			wrong.Got = "no such integer in the section"
			j.mismatch(wrong)
		}
		return
	}
	_, isNumber := code.(json.Number) // else the schema says so
	if isNumber && !j.isStatus(code) {
		j.mismatch(wrong)
	}
}

func (j *judging) isStatus(v any) bool {
	i, isInteger := Integer(v)
	return isInteger && i == int64(j.Status)
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
		issue, isObject := item.(map[string]any)
		if !isObject { // the schema says so
			continue
		}
		mayStandIn := countTexts(issue, published.Field("relatedField").Name) >= 2
		for _, meaning := range []string{"type", "message"} {
			name := published.Field(meaning).Name
			wrong := Finding{Clause: "ERR-9", Expected: "a text that is not empty", Got: "no text"}
			wrong.Pointer = pointer(j.sectionName, j.issuesName, strconv.Itoa(i), name)
			switch text := issue[name].(type) {
			case nil:
				if !mayStandIn {
					j.mismatch(wrong)
				}
			case string:
				if strings.TrimSpace(text) == "" {
					wrong.Got = Describe(text)
					j.breach(wrong)
				}
			}
		}
	}
}

// countTexts counts the members of an issue that are texts, but for its related field.
func countTexts(issue map[string]any, relatedField string) (n int) {
	for name, v := range issue {
		text, _ := v.(string)
		if name != relatedField && strings.TrimSpace(text) != "" {
			n++
		}
	}
	return n
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

// Issues returns the issues of a decoded error body.
func Issues(c *spec.Contract, body any) (issues []Issue) {
	published := c.Error.Field("error").Object.Field("issues")
	for _, item := range readError(c, body).issues {
		issue, isObject := item.(map[string]any)
		if !isObject {
			continue
		}
		text := func(meaning string) string {
			s, _ := issue[published.Items.Field(meaning).Name].(string)
			return s
		}
		issues = append(issues, Issue{text("type"), text("message"), text("relatedField")})
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

// LastSegment returns the part of a related field that counts: its form (name, /name, data.name) is
// open.
func LastSegment(relatedField string) string {
	return relatedField[strings.LastIndexAny(relatedField, "/.")+1:]
}
