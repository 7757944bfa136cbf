package report_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// TestSamples writes reports to look at, and for the tests in a browser, into the folder that
// REPORT_SAMPLES names: of a run against a server that is wrong in many ways, a very large
// one, and one of which every text is hostile.
func TestSamples(t *testing.T) {
	dir := os.Getenv("REPORT_SAMPLES")
	if dir == "" {
		t.Skip("REPORT_SAMPLES is not set")
	}
	broken, err := brokenReport(t.Context(), judge.Standard)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*report.Report{"broken": broken, "large": large(5_000, 10_000), "hostile": pageHostile()} {
		if err := report.WriteDir(filepath.Join(dir, name), report.NewView(r)); err != nil {
			t.Fatal(err)
		}
	}
}

// brokenReport is the report of a run against a server that is wrong in many ways.
func brokenReport(ctx context.Context, depth judge.Depth) (*report.Report, error) {
	world := fixtures.DefaultWorld()
	keys := world.Target("").Credentials
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { broken(w, r, keys) }))
	defer server.Close()
	target := world.Target(server.URL)
	target.Objects.OtherCampaign, target.Foreign = nil, fixtures.Foreign{} // some cases are not tested
	target.Name = "a server that is wrong in many ways"
	c := suites.NewConfig(target)
	c.Exchanges, c.Depth = true, depth
	return suites.Execute(ctx, c)
}

// broken answers much as the interface asks, and here and there not quite.
func broken(w http.ResponseWriter, r *http.Request, keys fixtures.Credentials) {
	body, _ := io.ReadAll(r.Body)
	var fields struct {
		Name *string `json:"name"`
	}
	wrong := json.Unmarshal(body, &fields) != nil
	id := path.Base(r.URL.Path)
	refuse := func(status int) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"responseCode":%d,"issues":[{"type":"refused","message":"%s","relatedField":"name"}]}}`, status,
			http.StatusText(status))
	}
	w.Header().Set("Content-Type", "application/json")
	switch key := r.Header.Get("X-API-Key"); {
	case key == "" && r.Method == http.MethodDelete:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, "<h1>Who are you?</h1>")
	case key != keys.Owner && key != keys.Stranger:
		refuse(http.StatusUnauthorized)
	case key == keys.Stranger && r.Method != http.MethodGet:
		refuse(http.StatusForbidden)
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodGet:
		var items []string
		for i := range 60 {
			items = append(items,
				fmt.Sprintf(`{"id":"%d","name":"file %d","parentId":null,"sourceType":"image","width":300,"height":"250"}`, 240+i, i))
		}
		fmt.Fprintf(w, `{"meta":{"pagination":{"count":60,"totalCount":59,"page":0,"totalPages":1}},"data":[%s]}`, strings.Join(items, ","))
	case len(id) > 3:
		refuse(http.StatusNotFound)
	case strings.Contains(string(body), "日"):
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"error":{"responseCode":500,"issues":[],"trace":["main.go:12","store.go:80"]}}`)
	case wrong || fields.Name == nil && strings.HasPrefix(r.URL.Path, "/campaigns/"):
		refuse(http.StatusUnprocessableEntity)
	case strings.HasPrefix(r.URL.Path, "/campaigns/"):
		name, _ := json.Marshal(strings.ToUpper(*fields.Name))
		fmt.Fprintf(w,
			`{"data":{"id":%s,"name":%s,"createdAt":"2024-03-01T09:00:00Z","updatedAt":null,"type":"video",`+
				`"shareURL":"https://example.com/c","adspecId":1.5,"userId":1}}`,
			id, name)
	default:
		fmt.Fprint(w, `{"data":{"id":99,"name":12,"createdAt":"yesterday"}}`)
	}
}

var operations = []string{
	"updateConnectionProfile", "updateConnectionProfileRuleHost", "updateCampaign", "deleteCreative", "listCreativeMediaFiles",
}

var classes = []string{
	judge.ClassSuccess, judge.Class401, judge.Class403, judge.Class404, judge.Class422,
	judge.ClassText, judge.ClassOpen, judge.ClassEffects, judge.ClassState, judge.ClassRandom,
}

// large is a report of so many cases and findings, no two of them alike.
func large(cases, findings int) *report.Report {
	contract, err := spec.Load()
	if err != nil {
		panic(err)
	}
	started := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	r := empty(started)
	r.Reason = fmt.Sprintf("%d findings", findings)
	for _, c := range contract.Clauses {
		r.Clauses = append(r.Clauses,
			report.Clause{ID: c.ID, Basis: c.Basis, Source: c.Source, Text: c.Text, Status: report.Broken, Cases: cases / 10})
	}
	for i := range cases {
		operation, class := operations[i%5], classes[i/5%10]
		r.Results = append(r.Results, report.Case{
			ID: fmt.Sprintf("%s/%s/case-%d", operation, class, i), Operation: operation, Class: class,
			Title:  fmt.Sprintf("What case %d asks for has to hold.", i),
			Status: judge.Passed, Clauses: []string{contract.Clauses[i%len(contract.Clauses)].ID}, Requests: 2, Seconds: 0.002,
		})
	}
	for i := range findings {
		c, clause := &r.Results[i%cases], contract.Clauses[i%len(contract.Clauses)]
		f := oracle.Finding{
			Check: "shows-sent", Case: c.ID, Operation: c.Operation, Clause: clause.ID, Basis: clause.Basis,
			Severity: oracle.Violation, Pointer: fmt.Sprintf("/data/member%d", i),
			Expected: fmt.Sprintf("the text \"value %d of a list that is rather long\", as the request sent it", i),
			Got:      fmt.Sprintf("the text \"value %d of a list\", which another request sent", i+1),
			Curl: fmt.Sprintf(
				`curl -i -X PATCH https://api.example.test/v2/campaigns/%d -H 'Accept: application/json' -H "X-API-Key: $OWNER_KEY" `+
					`--data-raw '{"name":"value %d"}'`,
				i, i),
			Exchange: i + 1, Seen: 1 + i%7, Of: 9, Fails: true, Impact: clause.Impact,
			CauseWords: fmt.Sprintf("another value is shown than number %d", i),
			Title:      fmt.Sprintf("another value is shown than number %d (1 case)", i),
		}
		f.ID, f.Cases, f.Clauses = f.Cause().ID(), []string{f.Case}, []string{f.Clause}
		c.Status = judge.Failed
		c.Findings = append(c.Findings, f)
		r.Findings = append(r.Findings, f)
	}
	for i := range max(cases*2, findings) {
		r.Exchanges = append(r.Exchanges, exchange(i+1, r.Results[i%cases].ID, http.MethodPatch,
			fmt.Sprintf("https://api.example.test/v2/campaigns/%d", i), []int{200, 200, 404, 422, 500, 0}[i%6],
			fmt.Sprintf(`{"name":"value %d"}`, i),
			fmt.Sprintf(`{"data":{"id":%d,"member%d":"value %d of a list","createdAt":"2024-03-01T09:00:00Z","updatedAt":null}}`, i, i, i+1)))
	}
	count(r)
	return r
}

func empty(started time.Time) *report.Report {
	return &report.Report{
		Schema: report.Schema, Verdict: report.Nonconforming, Level: report.Complete, ExitCode: report.ExitNonconforming,
		Suite:  report.Suite{Name: "adconform", Version: "devel", SelfTest: report.SelfTest()},
		Target: report.Target{Name: "sample", BaseURL: "https://api.example.test/v2"},
		Seed:   1, Depth: "deep", Started: started, DurationSeconds: 12,
	}
}

func count(r *report.Report) {
	r.Requests, r.Cases.Planned = len(r.Exchanges), len(r.Results)
	for _, c := range r.Results {
		switch c.Status {
		case judge.Passed:
			r.Cases.Passed++
		case judge.Failed:
			r.Cases.Failed++
		default:
			r.Cases.NotTested++
		}
	}
	r.Cases.Run = r.Cases.Passed + r.Cases.Failed
}
