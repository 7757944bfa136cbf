package bench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"go.yaml.in/yaml/v3"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/testcase"
)

// BenchmarkOperations loads and plans documents that have the five operations 1, 10 and
// 100 times over, and runs the plans. The time for each operation is given as a
// multiple of that with five, measured by turns.
func BenchmarkOperations(b *testing.B) {
	for _, copies := range []int{10, 100} {
		b.Run(fmt.Sprint(5*copies), func(b *testing.B) {
			one, many := multiplied(b, 1), multiplied(b, copies)
			s := serve(b, withoutCopies)
			var load, plan, run [2]time.Duration
			for b.Loop() {
				for i, m := range []document{one, many} {
					runs := min(copies/m.copies, 10)
					for range runs {
						s.reset(b)
						load[i] += each(m.copies*runs, func() { m.load(b) })
						c := m.config(s)
						plan[i] += each(m.copies*runs, func() { NewWithT(b).Expect(c.Plan()).NotTo(BeEmpty()) })
						run[i] += each(m.copies*runs, func() { runSuite(b, c) })
					}
				}
			}
			b.ReportMetric(load[1].Seconds()/load[0].Seconds(), "load÷5")
			b.ReportMetric(plan[1].Seconds()/plan[0].Seconds(), "plan÷5")
			reportOnly(b, run[1].Seconds()/run[0].Seconds(), "run÷5")
		})
	}
}

// each is the n-th part of the time that something takes.
func each(n int, do func()) time.Duration {
	start := time.Now()
	do()
	return time.Since(start) / time.Duration(n)
}

// document is openapi.yaml with its paths so many times: as they are, and below
// /copies/1, /copies/2, …
type document struct {
	copies                int
	text, clauses, points []byte
	contract              *spec.Contract
}

func (m *document) load(tb testing.TB) {
	var err error
	m.contract, err = spec.New(m.text, m.clauses, m.points)
	NewWithT(tb).Expect(err).NotTo(HaveOccurred())
}

// config is a run of all that can be repeated: a delete cannot, as the target file names
// the same objects for all copies.
func (m *document) config(s *site) *suites.Config {
	c := s.config(0)
	c.Contract = m.contract
	c.Select = func(cs *testcase.Case) bool {
		return cs.Operation.Method != http.MethodDelete && !strings.Contains(cs.ID, "/effects/media-file-")
	}
	return c
}

func multiplied(tb testing.TB, copies int) document {
	tb.Helper()
	g := NewWithT(tb)
	var root map[string]yaml.Node
	g.Expect(yaml.Unmarshal(spec.OpenAPI(), &root)).To(Succeed())
	var paths map[string]map[string]yaml.Node
	before := root["paths"]
	g.Expect(before.Decode(&paths)).To(Succeed())
	all := map[string]map[string]any{}
	for i := range copies {
		for path, item := range paths {
			if i > 0 {
				path = fmt.Sprintf("/copies/%d%s", i, path)
			}
			all[path] = map[string]any{}
			for key, part := range item {
				var operation map[string]any
				if part.Decode(&operation) == nil && i > 0 && operation["operationId"] != nil {
					operation["operationId"] = fmt.Sprint(operation["operationId"], i)
					all[path][key] = operation
				} else {
					all[path][key] = &part
				}
			}
		}
	}
	var after yaml.Node
	g.Expect(after.Encode(all)).To(Succeed())
	root["paths"] = after
	text, err := yaml.Marshal(root)
	g.Expect(err).NotTo(HaveOccurred())
	c, err := spec.Load()
	g.Expect(err).NotTo(HaveOccurred())
	clauses, err := yaml.Marshal(map[string]any{"clauses": c.Clauses})
	g.Expect(err).NotTo(HaveOccurred())
	open, err := yaml.Marshal(map[string]any{"open": c.Open})
	g.Expect(err).NotTo(HaveOccurred())
	m := document{copies: copies, text: text, clauses: clauses, points: open}
	m.load(tb)
	return m
}

// withoutCopies answers /v2/copies/7/campaigns/25 as /v2/campaigns/25.
func withoutCopies(next http.Handler) http.Handler {
	copied := regexp.MustCompile(`/copies/\d+`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.URL.Path = copied.ReplaceAllString(r.URL.Path, "")
		r.URL.RawPath = copied.ReplaceAllString(r.URL.RawPath, "")
		next.ServeHTTP(w, r)
	})
}

// A multiplied document has every operation as often, and a run of it conforms.
func TestMultiplied(t *testing.T) {
	m := multiplied(t, 3)
	NewWithT(t).Expect(m.contract.Operations).To(HaveLen(15))
	runSuite(t, m.config(serve(t, withoutCopies)))
}

// BenchmarkList judges lists of 100 and of 10,000 items, by turns: the time for an item
// of the long one, as a multiple of that in the short one.
func BenchmarkList(b *testing.B) {
	const short, long = 100, 10_000
	contract, err := spec.Load()
	NewWithT(b).Expect(err).NotTo(HaveOccurred())
	judge := oracle.New(contract)
	op := contract.Operation("listCreativeMediaFiles")
	header := http.Header{"Content-Type": {"application/json"}}
	few, many := list(b, short), list(b, long)
	judged := func(body []byte) {
		j := judge.Judge(op, oracle.Response{Status: http.StatusOK, Header: header, Body: body, RequestedPage: 1})
		NewWithT(b).Expect(j.Findings).To(BeEmpty())
	}
	var item [2]time.Duration
	for b.Loop() {
		item[0] += each(long, func() {
			for range long / short {
				judged(few)
			}
		})
		item[1] += each(long, func() { judged(many) })
	}
	reportOnly(b, item[1].Seconds()/item[0].Seconds(), "item÷100")
}

// list is one page of so many media files.
func list(tb testing.TB, n int) []byte {
	tb.Helper()
	created := time.Date(2024, time.March, 1, 9, 0, 0, 0, time.UTC)
	items := make([]spec.Creative, n)
	for i := range items {
		items[i] = spec.Creative{
			ID: int64(1000 + i), CampaignID: 25, Name: fmt.Sprintf("Spot %d", i), CreatedAt: created, UpdatedAt: created,
			ParentID: new(int64(220)), SourceType: "vast-child-video", SourceTypeLabel: "VAST media file",
			ShareURL:       fmt.Sprintf("https://share.example.com/creatives/%d", i),
			LivePreviewURL: fmt.Sprintf("https://preview.example.com/%d/", i),
			Width:          new(int64(640)), Height: new(int64(360)), UserID: 41, NbVariations: new(int64(2)),
		}
	}
	body, err := json.Marshal(spec.List[spec.Creative]{
		Meta: spec.Meta{Pagination: spec.Pagination{Count: int64(n), TotalCount: int64(n), Page: 1, TotalPages: 1}},
		Data: items,
	})
	if err != nil {
		tb.Fatal(err)
	}
	return body
}
