package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// ofAdspecs configures a run of the operations that testdata/adspecs.yaml adds.
func ofAdspecs(t *testing.T, fault string) *engine.Config {
	t.Helper()
	c := engine.NewConfig(adspecTarget(t, newAdspecServer(fault)))
	only := *adspecContract()
	only.Operations = slices.DeleteFunc(slices.Clone(only.Operations), func(op *spec.Operation) bool { // sequences send only those
		return !strings.Contains(op.ID, "Adspec")
	})
	c.Contract = &only
	c.Select = func(cs *judge.Case) bool { return strings.Contains(cs.Operation.ID, "Adspec") }
	return c
}

// plansReplacement fails the test if a run has not planned the cases of an operation that replaces an object.
func plansReplacement(t *testing.T, r *report.Report) {
	t.Helper()
	for _, want := range strings.Fields("success/ordinary 401/no-key 401/other-case-key 403/stranger 404/unknown-adspec-1 " +
		"422/body-array 422/name-is-number 422/weight-is-string 422/weight-is-decimal 422/active-is-number " +
		"text/name-many open/letters-adspec open/name-null effects/persists effects/at-rest") {
		if !slices.ContainsFunc(r.Results, func(cs report.Case) bool { return cs.ID == "replaceAdspec/"+want }) {
			t.Errorf("no case %s is planned", want)
		}
	}
}

// Operations of every kind that are added to the document are tested without any
// new Go code, and a server that implements them correctly has no finding.
func TestAddedOperationsConform(t *testing.T) {
	for name, change := range map[string]func(*engine.Config){
		"quick":      func(c *engine.Config) { c.Depth = judge.Quick },
		"standard":   func(*engine.Config) {},
		"one by one": func(c *engine.Config) { c.Target.Limits.Concurrency = 1 },
		"deep": func(c *engine.Config) {
			if c.Depth = judge.Deep; testing.Short() {
				c.Select = func(cs *judge.Case) bool { return cs.Operation.ID == "replaceAdspec" && cs.Class != judge.ClassRandom }
			}
		},
		"seed 2":    func(c *engine.Config) { c.Depth, c.Seed = judge.Deep, 2 },
		"read-only": func(c *engine.Config) { c.ReadOnly = true },
	} {
		if testing.Short() && !slices.Contains([]string{"standard", "deep", "read-only"}, name) {
			continue
		}
		c := ofAdspecs(t, "")
		change(c)
		r := execute(t, c)
		noFinding(t, name, r)
		if name == "standard" {
			plansReplacement(t, r)
		}
		for _, cs := range r.Results {
			if cs.Status == judge.NotTested && cs.Cause != judge.ByTarget && !c.ReadOnly {
				t.Errorf("%s: %s is not tested: %s", name, cs.ID, cs.Reason)
			}
		}
		putBack(t, name, r)
	}
}

// The answer to a malformed id is open, so 422 is right there even if the document does not list it for the
// operation; in other cases it is a finding.
func TestAStatusThatACaseAllowsNeedNotBeListed(t *testing.T) {
	of := func(strangers string) *engine.Config {
		c := ofAdspecs(t, "")
		c.Target = adspecTarget(t, instead(newAdspecServer(""), func(r *http.Request) bool {
			id := path.Base(r.URL.Path)
			_, err := strconv.Atoi(id)
			return err != nil && id != "adspecs" || r.Header.Get("X-API-Key") == adspecStranger && id == strangers
		}, func(w http.ResponseWriter, _ *http.Request) { problem(w, 422, "") }))
		for i, op := range c.Contract.Operations {
			if op.ID == "getAdspec" {
				without := *op
				without.Responses = maps.Clone(op.Responses)
				delete(without.Responses, "422")
				c.Contract.Operations[i] = &without
			}
		}
		c.Select = func(cs *judge.Case) bool { return cs.Operation.ID == "getAdspec" }
		return c
	}
	if r := execute(t, of("none")); len(violations(r)) > 0 {
		t.Errorf("malformed ids: %s", violations(r))
	}
	if r := execute(t, of("701")); len(violations(r)) == 0 {
		t.Error("422 instead of 403 is not a violation")
	}
}

// Each way of breaking an added operation is a finding of that operation.
func TestBrokenAddedOperationsAreFound(t *testing.T) {
	of := map[string]string{
		"get": "getAdspec", "put": "replaceAdspec", "delete": "deleteAdspec", "list": "listAdspecs", "below": "listAdspecCampaigns",
	}
	for _, fault := range reftest.Few(4, []string{
		"get-another", "get-stale", "get-off-pattern", "get-without-name", "get-without-key", "get-of-anyone",
		"put-takes-missing", "put-without-key", "put-of-anyone",
		"delete-keeps", "delete-leaves-listed", "delete-without-key", "delete-of-anyone",
		"list-loses-one", "list-lacks-one", "list-of-all-users", "list-without-key", "below-loses-one", "below-without-key", "below-of-anyone",
	}) {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			kind, _, _ := strings.Cut(fault, "-")
			c := ofAdspecs(t, fault)
			c.Select = func(cs *judge.Case) bool {
				return cs.Operation.ID == of[kind] || kind == "put" && cs.Operation.ID == of["get"]
			}
			r := execute(t, c)
			if r.Verdict != report.Nonconforming {
				t.Fatalf("expected a finding, got %s: %s", r.Verdict, r.Reason)
			}
			var said []string
			for _, f := range r.Findings {
				said = append(said, fmt.Sprintf("%s %s: %s, got %s", f.Case, f.Clause, f.Expected, f.Got))
				if slices.Contains(f.Operations, of[kind]) {
					return
				}
			}
			t.Errorf("no finding is about %s:\n%s", of[kind], strings.Join(slices.Compact(said), "\n"))
		})
	}
}

// An adspecServer serves the operations of testdata/adspecs.yaml, which the reference does not have. A fault
// breaks it in one way.
type adspecServer struct {
	mu     sync.Mutex
	fault  string
	rows   map[int64]map[string]any
	listed []any // listed although they are deleted
}

const (
	adspecOwner    = "owner-key-7Gh2kQ9vXz"
	adspecStranger = "stranger-key-3Lm8pR5tWc"
	adspecsOnPage  = 4
	foreignAdspec  = 791
)

func newAdspecServer(fault string) *adspecServer {
	s := &adspecServer{fault: fault, rows: map[int64]map[string]any{}}
	for _, id := range []int64{701, 702, 703, 704, 705, 706, 707, 708, 709, 710, 711, 712, 713, 714, foreignAdspec} {
		s.rows[id] = map[string]any{
			"id": id, "name": fmt.Sprintf("Adspec %d", id), "code": "ABC", "weight": 5, "active": false, "createdAt": "2024-01-01T00:00:00Z",
		}
	}
	return s
}

// adspecTarget serves a server and returns its target file.
func adspecTarget(t *testing.T, s http.Handler) *fixtures.Target {
	t.Helper()
	url := strings.TrimSuffix(reftest.Serve(t, s), basePath)
	file := fmt.Sprintf(`
baseURL: %s
credentials: {owner: {value: %s}, stranger: {value: %s}}
objects:
  adspec: {id: 701, name: Adspec 701, code: ABC, weight: 5}
  otherAdspec: {id: 702}
  disposableAdspecs: [711, 712, 713, 714]
foreign: {adspec: %d}
`, url, adspecOwner, adspecStranger, foreignAdspec)
	target, err := fixtures.Parse([]byte(file), "target.yaml", os.LookupEnv, adspecContract().Keys()...)
	noError(t, err)
	return target
}

// adspecContract returns the contract with the operations on adspecs, which no test may change.
var adspecContract = sync.OnceValue(func() *spec.Contract {
	overlay, err := os.ReadFile("testdata/adspecs.yaml")
	if err != nil {
		panic(err)
	}
	contract, err := spec.LoadOverlays(spec.Overlay{File: "adspecs.yaml", Data: overlay})
	if err != nil {
		panic(err)
	}
	return contract
})

func (s *adspecServer) is(fault string) bool { return s.fault == fault }

func (s *adspecServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := bodyOf(r) // before the lock, as it may come in halves
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if parts[0] != "adspecs" || len(parts) > 3 || len(parts) == 3 && parts[2] != "campaigns" {
		problem(w, 404, "")
		return
	}
	kind := [...]string{1: "list", 2: strings.ToLower(r.Method), 3: "below"}[len(parts)]
	id := int64(0)
	if len(parts) > 1 {
		id, _ = strconv.ParseInt(parts[1], 10, 64) // 0 if it is not an id
	}
	user := r.Header.Get("X-API-Key")
	if s.is(kind+"-without-key") && user != adspecStranger {
		user = adspecOwner
	}
	if status := s.refusal(kind, user, id, len(parts) > 1); status != 0 {
		problem(w, status, "")
		return
	}
	switch row := s.rows[id]; kind {
	case "list":
		s.page(w, r, kind, "pageNumber", s.listOf(user))
	case "below": // campaigns, with ids that adspecs have, too
		var all []any
		for i := range int64(9) {
			all = append(all, map[string]any{"id": id + i, "name": fmt.Sprintf("Campaign %d of %d", i, id)})
		}
		s.page(w, r, kind, "page", all)
	case "get":
		answering(200, string(s.shown(row)))(w, r)
	case "put", "patch":
		s.put(w, body, row, kind == "patch")
	case "delete":
		s.delete(id)
		w.WriteHeader(204)
	default:
		problem(w, 405, "")
	}
}

// refusal returns the status with which a request is refused, 0 for none.
func (s *adspecServer) refusal(kind, user string, id int64, namesOne bool) int {
	isOwn := (id == foreignAdspec) == (user == adspecStranger)
	switch {
	case user != adspecOwner && user != adspecStranger:
		return 401
	case namesOne && s.rows[id] == nil:
		return 404
	case namesOne && !isOwn && !s.is(kind+"-of-anyone"):
		return 403
	}
	return 0
}

// listOf returns the rows of a user.
func (s *adspecServer) listOf(user string) []any {
	all := slices.Clone(s.listed)
	for _, id := range slices.Sorted(maps.Keys(s.rows)) {
		isOwn := (id == foreignAdspec) == (user == adspecStranger)
		isLeftOut := s.is("list-lacks-one") && id == 702
		if (isOwn || s.is("list-of-all-users")) && !isLeftOut {
			all = append(all, s.rows[id])
		}
	}
	return all
}

func (s *adspecServer) delete(id int64) {
	if s.is("delete-leaves-listed") {
		s.listed = append(s.listed, s.rows[id])
	}
	if !s.is("delete-keeps") {
		delete(s.rows, id)
	}
}

func data(v any) []byte {
	text, _ := json.Marshal(map[string]any{"data": v}) // it came as JSON
	return text
}

func problem(w http.ResponseWriter, status int, field string) {
	related := "null"
	if field != "" {
		related = strconv.Quote(field)
	}
	if status == 401 {
		w.Header().Set("WWW-Authenticate", "ApiKey")
	}
	issue := fmt.Sprintf(`{"type": "wrong", "message": "That is wrong.", "relatedField": %s}`, related)
	answering(status, fmt.Sprintf(`{"error": {"responseCode": %d, "issues": [%s]}}`, status, issue))(w, nil)
}

// shown returns what a read shows.
func (s *adspecServer) shown(row map[string]any) []byte {
	shown := maps.Clone(row)
	switch s.fault {
	case "get-another":
		shown = s.rows[702]
	case "get-stale":
		shown["name"] = "Adspec 701"
	case "get-off-pattern":
		shown["code"] = "abc"
	case "get-without-name":
		delete(shown, "name")
	}
	return data(shown)
}

// put checks the fields by their schemas, in order, and stores them. A PATCH may leave fields out.
func (s *adspecServer) put(w http.ResponseWriter, body string, row map[string]any, part bool) {
	var sent map[string]any
	if err := json.Unmarshal([]byte(body), &sent); err != nil || sent == nil {
		problem(w, 422, "")
		return
	}
	updated := maps.Clone(row)
	for _, f := range adspecContract().Operation("replaceAdspec").Body.Fields {
		v, given := sent[f.Name]
		switch {
		case !given && (part || s.is("put-takes-missing") && f.Name == "name"):
		case !f.Fits(v):
			problem(w, 422, f.Name)
			return
		default:
			updated[f.Name] = v
		}
	}
	maps.Copy(row, updated)
	answering(200, string(data(row)))(w, nil)
}

func (s *adspecServer) page(w http.ResponseWriter, r *http.Request, kind, parameter string, all []any) {
	total := len(all)
	pages := (total + adspecsOnPage - 1) / adspecsOnPage
	number := 1
	if text := r.URL.Query().Get(parameter); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			problem(w, 422, parameter)
			return
		}
		number = n
	}
	from := (min(number, pages+1) - 1) * adspecsOnPage
	items := slices.Clone(all[min(from, total):min(from+adspecsOnPage, total)])
	if s.is(kind+"-loses-one") && number == 2 && len(items) > 1 {
		items = items[1:]
	}
	text := fmt.Sprintf(`{"meta": {"pagination": {"count": %d, "totalCount": %d, "page": %d, "totalPages": %d}}, %s`,
		len(items), total, number, pages, data(items)[1:])
	answering(200, text)(w, r)
}
