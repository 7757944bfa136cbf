package oracle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
)

func TestStatuses(t *testing.T) {
	var rows []row
	add := func(op string, r Response, want string) {
		rows = append(rows, row{fmt.Sprint(op, r.Status), op, r, want})
	}
	for _, status := range []int{0, 100, 199, 301, 304, 402, 407, 408, 409, 410, 411, 412, 416, 418, 423, 451, 499} {
		add(updateHost, answer(status, ""), "ERR-12 ")
		add(deleteCreative, answer(status, "whatever"), "ERR-12 ")
	}
	for _, status := range []int{500, 502, 503, 504, 599, 999} {
		for _, op := range []string{updateCampaign, deleteCreative, listMedia} {
			add(op, answer(status, "<html>not JSON"), "HTTP-1 ")
		}
	}
	for _, status := range []int{400, 405, 406, 413, 414, 415, 429, 431} {
		add(updateHost, answer(status, "whatever"), "")
		add(deleteCreative, answer(status, ""), "")
	}
	for _, status := range []int{200, 201, 202, 203, 299} {
		add(updateHost, answer(status, hostBody), "")
		add(deleteCreative, answer(status, ""), "ERR-12 ")
	}
	// A success brings its body.
	add(updateProfile, answer(204, ""), "PROFILE-1 ")
	add(updateHost, answer(204, hostBody), "HOST-1 ")
	add(updateHost, answer(204, "{}"), "HOST-1 ")
	add(updateCampaign, answer(200, ""), "CAMPAIGN-1 ")
	add(listMedia, answer(202, ""), "MEDIA-1 ")
	judgeAll(t, rows)
}

// The run counts the judged clauses as tested.
func TestJudgedClauses(t *testing.T) {
	c := spec.Load()
	o := New(c, nil)
	list := func(body string) Response { return of("30", answer(200, body)) }
	for _, tc := range []struct {
		op       string
		r        Response
		has, not string
	}{
		{
			updateCampaign, answer(200, campaign),
			"HTTP-1 ERR-12 HTTP-3 JSON-1 JSON-2 CAMPAIGN-1 CAMPAIGN-5 CAMPAIGN-12 CAMPAIGN-16 OPEN-5", "ERR-6 DELETE-2 MEDIA-3 PROFILE-5 CAMPAIGN-2",
		},
		{deleteCreative, answer(204, ""), "DELETE-2 OPEN-4", "JSON-1 HTTP-3 DELETE-1"},
		{
			listMedia, answer(200, listBody(1, 1, 1, 1, 241)),
			"MEDIA-3 MEDIA-4 MEDIA-5 MEDIA-6 CREATIVE-1 CREATIVE-16 CREATIVE-17", "MEDIA-7 MEDIA-8",
		},
		{listMedia, list(listBody(0, 0, 1, 0)), "MEDIA-2 MEDIA-3 MEDIA-4 MEDIA-6", "CREATIVE-1 MEDIA-7 MEDIA-8"},
		{listMedia, list(listBody(1, 1, 1, 1, 241)), "MEDIA-7", "MEDIA-8"},
		{listMedia, list(listBody(1, 3, 1, 3, 241)), "MEDIA-3 CREATIVE-1", "MEDIA-4 MEDIA-5 MEDIA-6 MEDIA-7 MEDIA-8"},
		// An item without the member that it may lack.
		{listMedia, list(strings.Replace(listBody(1, 1, 1, 1, 241), `"parentId":`, `"parent":`, 1)), "CREATIVE-1 CREATIVE-7", "CREATIVE-6"},
		{updateCampaign, answer(422, errorBody), "ERR-6 ERR-7 ERR-8 ERR-9 ERR-11", "CAMPAIGN-1 ERR-4"},
		{updateCampaign, answer(500, campaign), "HTTP-1", "ERR-12 JSON-1"},
		{updateCampaign, answer(400, campaign), "HTTP-1", "ERR-12 JSON-1"},
	} {
		judged := o.Judge(c.Operation(tc.op), tc.r).Clauses
		for _, id := range strings.Fields(tc.has) {
			if !slices.Contains(judged, id) {
				t.Errorf("%s %d %s: %s is not judged: %v", tc.op, tc.r.Status, tc.r.Body, id, judged)
			}
		}
		for _, id := range strings.Fields(tc.not) {
			if slices.Contains(judged, id) {
				t.Errorf("%s %d %s: %s is judged: %v", tc.op, tc.r.Status, tc.r.Body, id, judged)
			}
		}
		if len(judged) != len(slices.Compact(slices.Sorted(slices.Values(judged)))) {
			t.Errorf("a clause is listed twice: %v", judged)
		}
	}
}

// of makes r the answer to a request for the list of a creative.
func of(id spec.ID, r Response) Response {
	r.PathID = id
	return r
}

func TestContentType(t *testing.T) {
	good := []string{
		"application/json", "APPLICATION/Json", "application/json; charset=utf-8", `application/json;charset="UTF-8"`,
		"application/problem+json", "application/vnd.acme.v2+JSON; version=2", "application/json; profile=x", "application/json;",
		"application/json; charset",
	}
	bad := []string{
		"", "text/plain", "text/json", "text/html; charset=utf-8", "json", "application/jsonp", "application/json-patch",
		"application/+json", "application json", "application/json, application/json", "application/json; charset=iso-8859-1",
		"application/json; charset=utf-16", "application/json; charset=utf-81", "/json", "application/xml",
	}
	var rows []row
	for _, v := range append(good, bad...) {
		want := ""
		if slices.Contains(bad, v) {
			want = "HTTP-3 header:Content-Type"
		}
		rows = append(rows,
			row{v, updateCampaign, headed(answer(200, campaign), "Content-Type", v), want},
			row{"error " + v, deleteCreative, headed(answer(422, errorBody), "Content-Type", v), want})
	}
	rows = append(rows,
		row{
			"misspelt", updateCampaign, headed(answer(200, campaign), "Content-Type", "application/json; charset=utf8"),
			"OPEN-3 header:Content-Type",
		},
		row{
			"misspelt, error", deleteCreative, headed(answer(422, errorBody), "Content-Type", `application/a+json;charset="UTF_8"`),
			"OPEN-3 header:Content-Type",
		},
		row{"none", updateCampaign, headed(answer(200, campaign), "Content-Type"), "OPEN-3 header:Content-Type"},
		row{"none, error", updateCampaign, headed(answer(422, errorBody), "Content-Type"), "OPEN-3 header:Content-Type"},
		row{
			"two kinds", updateCampaign, headed(answer(200, campaign), "Content-Type", "application/json", "application/hal+json"),
			"HTTP-3 header:Content-Type",
		},
		row{"no body, none", deleteCreative, headed(answer(204, ""), "Content-Type"), ""},
		row{"not described", updateCampaign, headed(answer(400, "oops"), "Content-Type", "text/plain"), ""},
		row{"server error", updateCampaign, headed(answer(500, "oops"), "Content-Type", "text/plain"), "HTTP-1 "},
	)
	judgeAll(t, rows)
}

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
		{refused, "", errorBody[:len(errorBody)-1], "JSON-1 "},
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
		{refused, issue, `{"detail":"y"}`, "ERR-9 " + at + "message, ERR-9 " + at + "type"}, // one text instead of two members
		{refused, kind, `"type":7`, "ERR-11 " + at + "type"},
		{refused, name, `"relatedField":["name"]`, "ERR-11 " + at + "relatedField"},
		{refused, issue, `"name is wrong"`, "ERR-11 /error/issues/0"},
		{refused, issue, issue + `,{"type":"x","message":""}`, "ERR-9 /error/issues/1/message"},
		{refused, issue, strings.Repeat(`{"type":"x","message":""},`, 9) + issue, "ERR-9 " + at + "message"},
	})
	var rows []row
	for _, status := range []int{401, 403, 404, 422} {
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
	c, err := spec.LoadOverlays(spec.Overlay{File: "mine.yaml", Data: []byte(`{overlay: 1.0.0, info: {title: t, version: 1.0.0}, actions: [
		{target: $.components.schemas.ErrorBody, remove: true},
		{target: $.components.schemas, update: {ErrorBody: {type: object, required: [fault], properties: {
			fault: {x-field: error, x-clause: ERR-11, type: object, required: [code, causes], properties: {
				code: {x-field: responseCode, x-clause: ERR-11, type: integer},
				causes: {x-field: issues, x-clause: ERR-11, type: array, items: {$ref: "#/components/schemas/Issue"}}}}}}}}]}`)})
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

// Without issues nothing shows whether they have texts.
func TestIssueTextsAreJudgedWhereThereAreIssues(t *testing.T) {
	op := spec.Load().Operation(deleteCreative)
	for issues, want := range map[string]bool{`[]`: false, `[{"type":"a","message":"b"}]`: true} {
		body := fmt.Sprintf(`{"error":{"responseCode":404,"issues":%s}}`, issues)
		judged := New(spec.Load(), nil).Judge(op, answer(404, body))
		if got := slices.Contains(judged.Clauses, "ERR-9"); got != want {
			t.Errorf("%s: judged %t", issues, got)
		}
	}
}

// The statuses that blame the request are 400 to 499.
func TestIsRefusal(t *testing.T) {
	for status, want := range map[int]bool{399: false, 400: true, 404: true, 499: true, 500: false} {
		if got := IsRefusal(status); got != want {
			t.Errorf("%d: %t", status, got)
		}
	}
}
