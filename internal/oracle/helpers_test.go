package oracle

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/spec"
)

const (
	updateProfile  = "updateConnectionProfile"
	updateHost     = "updateConnectionProfileRuleHost"
	updateCampaign = "updateCampaign"
	deleteCreative = "deleteCreative"
	listMedia      = "listCreativeMediaFiles"
)

// Conforming bodies, which the tables break in one place.
const (
	profileBody = `{"data":{"id":12,"name":"EU publishers","createdAt":"2024-01-01T00:00:00Z","updatedAt":null,` +
		`"withoutCookiesAction":"pass","withCookiesAction":"warn"}}`
	hostBody = `{"data":{"id":56,"hostname":"cdn.example.com","regularExpression":"^/pixel/",` +
		`"createdAt":"2024-01-01T00:00:00Z","updatedAt":"2024-02-01T00:00:00Z"}}`
	campaign = `{"data":{"id":25,"name":"Spring video","createdAt":"2024-01-01T00:00:00Z",` +
		`"updatedAt":"2024-02-01T00:00:00Z","type":"video","shareURL":"https://example.com/share/campaign/25","adspecId":3,"userId":1}}`
	errorBody = `{"error":{"responseCode":422,"issues":[{"type":"invalidType","message":"name must be a string","relatedField":"name"}]}}`
)

func creative(id int) string {
	return fmt.Sprintf(`{"id":%d,"campaignId":25,"name":"Spring video 15s","createdAt":"2024-01-01T00:00:00Z",`+
		`"updatedAt":"2024-02-01T00:00:00Z",`+
		`"parentId":240,"sourceType":"vast-child-video","sourceTypeLabel":"VAST media file","shareURL":"https://example.com/share/creative/1",`+
		`"livePreviewURL":"https://example.com/preview/1","previewAnimationURL":null,"width":640,"height":360,"userId":1,"nbVariations":0,`+
		`"latestScanStatus":{"id":9001,"processingStatus":"finished"}}`, id)
}

func listBody(count, totalCount, page, totalPages int, ids ...int) string {
	var items []string
	for _, id := range ids {
		items = append(items, creative(id))
	}
	return fmt.Sprintf(`{"meta":{"pagination":{"count":%d,"totalCount":%d,"page":%d,"totalPages":%d}},"data":[%s]}`,
		count, totalCount, page, totalPages, strings.Join(items, ","))
}

func numbered(from, n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = from + i
	}
	return ids
}

// replace breaks a conforming body in exactly one place.
func replace(t *testing.T, body, old, with string) string {
	t.Helper()
	if strings.Count(body, old) != 1 {
		t.Fatalf("%q occurs %d times in %s", old, strings.Count(body, old), body)
	}
	return strings.Replace(body, old, with, 1)
}

var jsonHeader = http.Header{"Content-Type": {"application/json"}}

func answer(status int, body string) Response {
	r := Response{Status: status, Body: []byte(body), Header: http.Header{}}
	if body != "" {
		r.Header = jsonHeader
	}
	return r
}

func headed(r Response, name string, values ...string) Response {
	r.Header = r.Header.Clone()
	r.Header[name] = values
	if len(values) == 0 {
		delete(r.Header, name)
	}
	return r
}

type row struct {
	name string
	op   string
	r    Response
	want string // "CLAUSE pointer" of each finding, sorted, separated by a comma
}

// judgeAll judges each row and compares clause and pointer of the findings. It
// also checks what has to hold for every finding.
func judgeAll(t *testing.T, rows []row) {
	t.Helper()
	c := spec.Load()
	o := New(c, nil)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			j := o.Judge(c.Operation(row.op), row.r)
			for _, f := range j.Findings {
				checkFinding(t, c, j, f)
				if f.Operation != row.op {
					t.Errorf("operation %s, got %s", row.op, f.Operation)
				}
			}
			if got := found(j); got != row.want {
				t.Errorf("got %q, want %q: %+v", got, row.want, j.Findings)
			}
		})
	}
}

// found returns clause and pointer of each finding, sorted, separated by a comma.
func found(j Judged) string {
	var all []string
	for _, f := range j.Findings {
		all = append(all, f.Clause+" "+f.Pointer)
	}
	return strings.Join(slices.Sorted(slices.Values(all)), ", ")
}

func checkFinding(t *testing.T, c *spec.Contract, j Judged, f Finding) {
	t.Helper()
	cl := c.Clause(f.Clause)
	if cl == nil {
		t.Fatalf("clause %q is not in clauses.yaml", f.Clause)
	}
	want := Violation
	if cl.Basis == spec.Chosen {
		want = Notice
	}
	if f.Basis != cl.Basis || f.Severity != want {
		t.Errorf("%s: expected basis %s and severity %s, got %s and %s", f.Clause, cl.Basis, want, f.Basis, f.Severity)
	}
	if !slices.Contains(j.Clauses, f.Clause) {
		t.Errorf("%s is found broken, but not among the judged %v", f.Clause, j.Clauses)
	}
	for _, s := range []string{f.Expected, f.Got} {
		if n := len([]rune(s)); n == 0 || n > maxSentence {
			t.Errorf("%s: %d characters: %q", f.Clause, n, s)
		}
		if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("%s: control characters: %q", f.Clause, s)
		}
	}
	if !slices.Contains(Row(f.Check).cited(c), f.Clause) {
		t.Errorf("the check %s does not cite %s", f.Check, f.Clause)
	}
	if len(f.Pointer) > maxSentence {
		t.Errorf("%s: pointer of %d bytes", f.Clause, len(f.Pointer))
	}
}
