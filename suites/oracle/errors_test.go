package oracle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
)

func TestErrorBodies(t *testing.T) {
	const (
		code, name, kind = `"responseCode":422`, `"relatedField":"name"`, `"type":"invalidType"`
		text, issue      = `"message":"name must be a string"`, `{"type":"invalidType","message":"name must be a string","relatedField":"name"}`
		at, issues       = "/error/issues/0/", `"issues":[` + issue + `]`
	)
	judgeChanges(t, []change{
		{refused, "", errorBody, ""},
		{refused, code, `"x":{},` + code, ""},
		{refused, name, `"relatedField":null`, ""},
		{refused, "," + name, "", ""},
		{refused, issue, issue + "," + issue, ""},

		{refused, "", "", "ERR-6 "},
		{refused, "", "null", "ERR-6 "},
		{refused, "", "[" + errorBody + "]", "ERR-6 "},
		{refused, "", `{"error":"wrong","issues":[]}`, "ERR-6 "},
		{refused, "", "<html>", "ERR-6 , JSON-1 "},
		{refused, "", errorBody[:len(errorBody)-1], "JSON-1 /error"},
		{refused, `"error"`, `"errors"`, "ERR-11 /error"},
		{refused, `"error"`, `"error":"x","problem"`, "ERR-11 /error"},

		{refused, code, `"responseCode":400`, "ERR-7 /error/responseCode"},
		{refused, code, `"responseCode":422.5`, "ERR-7 /error/responseCode"},
		{refused, code, `"responseCode":4.22e2`, "OPEN-5 /error/responseCode"},
		{refused, code, `"responseCode":"422"`, "ERR-11 /error/responseCode"},
		{refused, code, `"responseCode":null`, "ERR-7 /error/responseCode"},
		{refused, code, `"status":422`, "ERR-11 /error/responseCode"},
		{refused, code, `"status":404`, "ERR-7 /error/responseCode"},

		{refused, `"issues"`, `"causes"`, "ERR-11 /error/issues"},
		{refused, "," + issues, "", "ERR-8 /error/issues"},
		{refused, issues, `"issues":` + issue, "ERR-8 /error/issues"},
		{refused, issue, "", "ERR-8 /error/issues"},
		{refused, code + "," + issues, "", "ERR-7 /error/responseCode, ERR-8 /error/issues"},

		{refused, kind, `"type":""`, "ERR-9 " + at + "type"},
		{refused, text, `"message":" \n\u00a0"`, "ERR-9 " + at + "message"},
		{refused, kind + ",", "", "ERR-9 " + at + "type"},
		{refused, text, `"message":null`, "ERR-9 " + at + "message"},
		{refused, text, `"detail":"y"`, "ERR-11 " + at + "message"},
		{refused, issue, `{"code":"x","detail":"y"}`, "ERR-11 " + at + "message, ERR-11 " + at + "type"},
		{refused, issue, `{"detail":"y"}`, "ERR-11 " + at + "type, ERR-9 " + at + "message"}, // one text instead of two members
		{refused, kind, `"type":7`, "ERR-11 " + at + "type"},
		{refused, name, `"relatedField":["name"]`, "ERR-11 " + at + "relatedField"},
		{refused, issue, `"name is wrong"`, "ERR-11 /error/issues/0"},
		{refused, issue, issue + `,{"type":"x","message":""}`, "ERR-9 /error/issues/1/message"},
		{refused, issue, strings.Repeat(`{"type":"x","message":""},`, 9) + issue, "ERR-9 " + at + "message"},
	})
	var rows []row
	for _, status := range errorStatuses {
		as := func(text string) Response { return answer(status, strings.ReplaceAll(text, "422", fmt.Sprint(status))) }
		want := "" // for other statuses the list may be empty
		if status == 422 {
			want = "ERR-8 /error/issues"
		}
		rows = append(rows, row{"conforming", listMedia, as(errorBody), ""}, row{"{}", listMedia, as("{}"), "ERR-6 "},
			row{"no issue", listMedia, as(`{"error":{"responseCode":422,"issues":[]}}`), want})
	}
	judgeAll(t, append(rows, row{"400 is not held to it", updateCampaign, answer(400, "{}"), ""}))
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
	o := New(c, nil)
	for body, want := range map[string]string{
		`{"fault":{"code":422,"causes":[{"type":"x","message":"y"}]}}`: "",
		`{"fault":{"code":404,"causes":[{"type":"x","message":"y"}]}}`: "ERR-7 /fault/code",
		`{"fault":{"code":422,"causes":[]}}`:                           "ERR-8 /fault/causes",
		errorBody:                                                      "ERR-11 /fault",
	} {
		if got := found(o.Judge(c.Operation(updateCampaign), answer(422, body))); got != want {
			t.Errorf("%s: expected %q, got %q", body, want, got)
		}
	}
}
