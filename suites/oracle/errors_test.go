package oracle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
)

var manyIntegers = func() string {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, `,"member%d":%d`, i, i)
	}
	return b.String()
}()

func TestErrorBodies(t *testing.T) {
	type rowOf struct {
		name, body string
		want       []string
	}
	issue := `{"type":"invalidType","message":"name must be a string","relatedField":"name"}`
	with := func(old, new string) string { return replace(t, errorBody, old, new) }
	var rows []row
	for _, r := range []rowOf{
		{"conforming", errorBody, nil},
		{"more members", with(`"responseCode"`, `"x":{},"responseCode"`), nil},
		{"no field involved", with(`"relatedField":"name"`, `"relatedField":null`), nil},
		{"no related field", with(`,"relatedField":"name"`, ``), nil},
		{"two issues", with(issue, issue+","+issue), nil},

		{"empty", "", []string{"ERR-6 "}},
		{"{}", "{}", []string{"ERR-6 "}},
		{"null", "null", []string{"ERR-6 "}},
		{"array", "[" + errorBody + "]", []string{"ERR-6 "}},
		{"text", `"not found"`, []string{"ERR-6 "}},
		{"no object inside", `{"error":"wrong","issues":[]}`, []string{"ERR-6 "}},
		{"not JSON", "Unprocessable", []string{"JSON-1 ", "ERR-6 "}},
		{"HTML", "<html>", []string{"JSON-1 ", "ERR-6 "}},
		{"cut off", errorBody[:len(errorBody)-1], []string{"JSON-1 /error"}},

		{"section renamed", with(`"error"`, `"errors"`), []string{"ERR-11 /error"}},
		{"section beside a text", with(`{"error"`, `{"error":"x","problem"`), []string{"ERR-11 /error"}},

		{"other code", with("422,", "400,"), []string{"ERR-7 /error/responseCode"}},
		{"fraction", with("422,", "422.5,"), []string{"ERR-7 /error/responseCode"}},
		{"roundabout", with("422,", "4.22e2,"), []string{"OPEN-5 /error/responseCode"}},
		{"code as text", with("422,", `"422",`), []string{"ERR-11 /error/responseCode"}},
		{"code renamed", with("responseCode", "status"), []string{"ERR-11 /error/responseCode"}},
		{"code renamed and wrong", with(`"responseCode":422`, `"status":404`), []string{"ERR-7 /error/responseCode"}},
		{"code dropped", with(`"responseCode":422,`, ``), []string{"ERR-7 /error/responseCode"}},
		{"code null", with("422,", "null,"), []string{"ERR-7 /error/responseCode"}},

		{"many other integers", with(`"responseCode":422`, `"a\u0007":1`+manyIntegers), []string{"ERR-7 /error/responseCode"}},

		{"issues renamed", with(`"issues"`, `"causes"`), []string{"ERR-11 /error/issues"}},
		{"issues dropped", `{"error":{"responseCode":422}}`, []string{"ERR-8 /error/issues"}},
		{"issues null", `{"error":{"responseCode":422,"issues":null}}`, []string{"ERR-8 /error/issues"}},
		{"issues an object", `{"error":{"responseCode":422,"issues":` + issue + `}}`, []string{"ERR-8 /error/issues"}},
		{"no issue", `{"error":{"responseCode":422,"issues":[]}}`, []string{"ERR-8 /error/issues"}},
		{"empty section", `{"error":{}}`, []string{"ERR-7 /error/responseCode", "ERR-8 /error/issues"}},

		{"empty type", with("invalidType", ""), []string{"ERR-9 /error/issues/0/type"}},
		{"blank message", with("name must be a string", ` \n\u00a0`), []string{"ERR-9 /error/issues/0/message"}},
		{"type dropped", with(`"type":"invalidType",`, ``), []string{"ERR-9 /error/issues/0/type"}},
		{"message null", with(`"name must be a string"`, `null`), []string{"ERR-9 /error/issues/0/message"}},
		{"message renamed", with(`"message"`, `"detail"`), []string{"ERR-11 /error/issues/0/message"}},
		{
			"both renamed",
			`{"error":{"responseCode":422,"issues":[{"code":"x","detail":"y"}]}}`,
			[]string{"ERR-11 /error/issues/0/type", "ERR-11 /error/issues/0/message"},
		},
		{
			"one text for two",
			`{"error":{"responseCode":422,"issues":[{"detail":"y"}]}}`,
			[]string{"ERR-11 /error/issues/0/type", "ERR-9 /error/issues/0/message"},
		},
		{"type a number", with(`"invalidType"`, `7`), []string{"ERR-11 /error/issues/0/type"}},
		{"related field a list", with(`"relatedField":"name"`, `"relatedField":["name"]`), []string{"ERR-11 /error/issues/0/relatedField"}},
		{"issue a text", with(issue, `"name is wrong"`), []string{"ERR-11 /error/issues/0"}},
		{"second issue", with(issue, issue+`,{"type":"x","message":""}`), []string{"ERR-9 /error/issues/1/message"}},
		{"same in many issues", with(issue, strings.Repeat(`{"type":"x","message":""},`, 9)+issue), []string{"ERR-9 /error/issues/0/message"}},
	} {
		for _, status := range errorStatuses {
			want := r.want
			if status != 422 && r.name == "no issue" {
				want = nil // the list may be empty there
			}
			body := strings.ReplaceAll(r.body, "422", fmt.Sprint(status))
			if r.name == "roundabout" || r.name == "code renamed and wrong" {
				if status != 422 {
					continue
				}
				body = r.body
			}
			rows = append(rows, row{fmt.Sprintf("%s, %d", r.name, status), listMedia, answer(status, body), want})
		}
	}
	rows = append(rows, row{"400 is not held to it", updateCampaign, answer(400, "{}"), nil})
	judgeAll(t, rows)
}

// A vendor's overlay renames members; their meaning stays.
func TestRenamedErrorBody(t *testing.T) {
	c, err := spec.LoadOverlaid([]byte(`{overlay: 1.0.0, info: {title: t, version: 1.0.0}, actions: [
		{target: $.components.schemas.ErrorBody, remove: true},
		{target: $.components.schemas, update: {ErrorBody: {type: object, required: [fault], properties: {
			fault: {x-field: error, x-clause: ERR-11, type: object, required: [code, causes], properties: {
				code: {x-field: responseCode, x-clause: ERR-11, type: integer},
				causes: {x-field: issues, x-clause: ERR-11, type: array, items: {$ref: "#/components/schemas/Issue"}}}}}}}}]}`), "mine.yaml")
	if err != nil {
		t.Fatal(err)
	}
	o := New(c)
	for body, want := range map[string]string{
		`{"fault":{"code":422,"causes":[{"type":"x","message":"y"}]}}`: "",
		`{"fault":{"code":404,"causes":[{"type":"x","message":"y"}]}}`: "ERR-7 /fault/code",
		`{"fault":{"code":422,"causes":[]}}`:                           "ERR-8 /fault/causes",
		errorBody:                                                      "ERR-11 /fault",
	} {
		got := ""
		for _, f := range o.Judge(c.Operation(updateCampaign), answer(422, body)).Findings {
			got += f.Clause + " " + f.Pointer
		}
		if got != want {
			t.Errorf("%s: expected %q, got %q", body, want, got)
		}
	}
}
