package oracle

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// breaches break one check each, with the clause that it cites.
var breaches = map[string]struct {
	op     string
	r      Response
	clause string
}{
	"server-error":         {updateCampaign, answer(500, ""), "HTTP-1"},
	"undeclared-status":    {updateCampaign, answer(409, ""), "ERR-12"},
	"success-body":         {updateCampaign, answer(204, ""), "CAMPAIGN-1"},
	"no-content":           {deleteCreative, answer(204, "{}"), "DELETE-2"},
	"no-content-length":    {deleteCreative, headed(answer(204, ""), "Content-Length", "0"), "OPEN-4"},
	"content-type-missing": {updateCampaign, headed(answer(200, campaign), "Content-Type"), "OPEN-3"},
	"content-type":         {updateCampaign, headed(answer(200, campaign), "Content-Type", "text/plain"), "HTTP-3"},
	"json-text":            {updateCampaign, answer(200, campaign+"x"), "JSON-1"},
	"json-names":           {updateCampaign, answer(200, strings.Replace(campaign, `"id"`, `"id":1,"id"`, 1)), "JSON-2"},
	"error-section":        {updateCampaign, answer(422, ""), "ERR-6"},
	"error-code":           {updateCampaign, answer(404, errorBody), "ERR-7"},
	"error-issues":         {updateCampaign, answer(422, `{"error":{"responseCode":422,"issues":[]}}`), "ERR-8"},
	"issue-text":           {updateCampaign, answer(422, strings.Replace(errorBody, "invalidType", "", 1)), "ERR-9"},
	"schema":               {updateCampaign, answer(200, strings.Replace(campaign, `"Spring video"`, `1`, 1)), "CAMPAIGN-6"},
	"integer-value":        {updateCampaign, answer(200, strings.Replace(campaign, `25`, `9223372036854775808`, 1)), "CAMPAIGN-5"},
	"integer-form":         {updateCampaign, answer(200, strings.Replace(campaign, `25`, `25.0`, 1)), "OPEN-5"},
	"url":                  {updateCampaign, answer(200, strings.Replace(campaign, `https://`, `//`, 1)), "CAMPAIGN-10"},
	"date":                 {updateCampaign, answer(200, strings.Replace(campaign, `01-01`, `01-32`, 1)), "CAMPAIGN-7"},
	"letter-case":          {updateCampaign, answer(200, strings.Replace(campaign, `"video"`, `"Video"`, 1)), "CAMPAIGN-17"},
	"page-count":           {listMedia, answer(200, listBody(2, 1, 1, 1, 241)), "MEDIA-3"},
	"page-total":           {listMedia, answer(200, listBody(1, 2, 1, 1, 241)), "MEDIA-4"},
	"page-number":          {listMedia, answer(200, listBody(1, 1, 0, 1, 241)), "MEDIA-5"},
	"page-total-pages":     {listMedia, answer(200, listBody(1, 1, 1, 2, 241)), "MEDIA-6"},
	"page-own-id": {
		listMedia,
		Response{Status: 200, Header: jsonHeader, Body: []byte(listBody(1, 1, 1, 1, 241)), PathID: 241},
		"MEDIA-7",
	},
	"page-unique": {listMedia, answer(200, listBody(2, 2, 1, 1, 241, 241)), "MEDIA-8"},
}

// Each check finds its breach, alone; without it the breach slips through.
func TestEachCheckCanBeDisabled(t *testing.T) {
	c := contract(t)
	for _, check := range Checks() {
		t.Run(check.ID, func(t *testing.T) {
			b, ok := breaches[check.ID]
			if !ok || check.Text == "" {
				t.Fatal("no breach is known, or no text")
			}
			for _, id := range check.Clauses {
				if c.Clause(id) == nil {
					t.Errorf("%s is not in clauses.yaml", id)
				}
			}
			j := New(c).Judge(c.Operation(b.op), b.r)
			if len(j.Findings) != 1 || j.Findings[0].Clause != b.clause {
				t.Errorf("expected one finding, %s, got %+v", b.clause, j.Findings)
			}
			if !slices.Contains(check.Clauses, b.clause) {
				t.Errorf("%s is not cited: %v", b.clause, check.Clauses)
			}
			without := New(c)
			without.Disable(check.ID)
			without.Disable("of another package")
			if j = without.Judge(c.Operation(b.op), b.r); len(j.Findings) != 0 {
				t.Errorf("disabled, the breach is still found: %+v", j.Findings)
			}
		})
	}
}

// Whatever a server sends, Judge ends with findings that can be reported, and
// the same ones each time.
func FuzzJudge(f *testing.F) {
	c := contract(f)
	o := New(c)
	list := listBody(2, 2, 1, 1, 241, 242)
	for _, body := range []string{
		profileBody, hostBody, campaign, list, errorBody, "", "null", "{}", "[]", `{"data":null}`, "\ufeff{}", "{\"data\":\"\xff\"}",
		`{"data":{"id":1e400}}`, `{"data":{"id":1.0,"id":2}}`, `{"error":{"status":422,"causes":[{"x":"\ud800"}]}}`, listHuge,
		`{"meta":{"pagination":{"count":-1,"totalCount":-9223372036854775808,"page":1,"totalPages":9223372036854775807}},` +
			`"data":[1,{"id":1},{"id":1}]}`,
	} {
		for _, status := range []int{200, 204, 404, 422} {
			f.Add([]byte(body), status, "application/json; charset=utf-8", "0")
		}
	}
	f.Add([]byte("x"), 500, "text/html", "")
	f.Fuzz(func(t *testing.T, body []byte, status int, contentType, length string) {
		r := Response{
			Status: status, Body: body, Header: http.Header{"Content-Type": {contentType}, "Content-Length": {length}}, PathID: 241,
			RequestedPage: 2,
		}
		for _, op := range c.Operations {
			j := o.Judge(op, r)
			for _, finding := range j.Findings {
				checkFinding(t, c, j, finding)
			}
			if j.Valid && !json.Valid(body) {
				t.Errorf("%s: %q is taken for JSON", op.ID, body)
			}
			if again := o.Judge(op, r); !reflect.DeepEqual(again, j) {
				t.Errorf("%s: judged %+v, then %+v", op.ID, j, again)
			}
		}
	})
}
