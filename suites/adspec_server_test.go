package suites_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
)

// adspec is what the small server holds, which the interface does not know.
type adspec struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	Code      string `json:"code"`
	Weight    int64  `json:"weight"`
	Active    bool   `json:"active"`
	CreatedAt string `json:"createdAt"`
	owner     string
}

// adspecServer has the operations of testdata/adspecs.yaml. A fault breaks it in one
// way.
type adspecServer struct {
	mu     sync.Mutex
	fault  string
	rows   map[int64]*adspec
	listed []adspec // though they are deleted
}

const (
	adspecOwner    = "owner-key-7Gh2kQ9vXz"
	adspecStranger = "stranger-key-3Lm8pR5tWc"
	adspecsOnPage  = 4
)

func newAdspecServer(fault string) *adspecServer {
	s := &adspecServer{fault: fault, rows: map[int64]*adspec{}}
	for id := int64(701); id <= 714; id++ {
		s.rows[id] = &adspec{
			ID: id, Name: fmt.Sprintf("Adspec %d", id), Code: "ABC", Weight: 5, CreatedAt: "2024-01-01T00:00:00Z", owner: adspecOwner,
		}
	}
	s.rows[791] = &adspec{ID: 791, Name: "Foreign", Code: "XYZ", Weight: 3, CreatedAt: "2024-01-01T00:00:00Z", owner: adspecStranger}
	return s
}

// adspecTarget serves a server and is the target file for it.
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
foreign: {adspec: 791}
`, url, adspecOwner, adspecStranger)
	target, err := fixtures.Parse([]byte(file), "target.yaml", os.LookupEnv, adspecContract(t).Keys()...)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// adspecOverlay adds the operations on adspecs to the document, with replacements in its text.
func adspecOverlay(t *testing.T, replace ...string) []byte {
	t.Helper()
	overlay, err := os.ReadFile(filepath.Join("testdata", "adspecs.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.NewReplacer(replace...).Replace(string(overlay)))
}

func adspecContract(t *testing.T) *spec.Contract {
	t.Helper()
	contract, err := spec.LoadOverlaid(adspecOverlay(t), "adspecs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return contract
}

// is says whether the server is broken in this way.
func (s *adspecServer) is(fault string) bool { return s.fault == fault }

func (s *adspecServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body) // before the lock: it may come in halves
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	defer s.mu.Unlock()
	user := r.Header.Get("X-API-Key")
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if parts[0] != "adspecs" || len(parts) > 3 || len(parts) == 3 && parts[2] != "campaigns" {
		problem(w, 404, "")
		return
	}
	kind := [...]string{1: "list", 2: strings.ToLower(r.Method), 3: "below"}[len(parts)]
	switch known := user == adspecOwner || user == adspecStranger; {
	case known:
	case s.is(kind + "-without-key"):
		user = adspecOwner
	default:
		problem(w, 401, "")
		return
	}
	if len(parts) == 1 {
		s.list(w, r, user)
		return
	}
	id, _ := strconv.ParseInt(parts[1], 10, 64) // 0 for what is none
	row := s.rows[id]
	switch {
	case row == nil:
		problem(w, 404, "")
		return
	case row.owner != user && !s.is(kind+"-of-anyone"):
		problem(w, 403, "")
		return
	}
	switch {
	case kind == "below":
		s.below(w, r, row)
	case kind == "get":
		s.read(w, row)
	case kind == "put", kind == "patch":
		s.put(w, r, row, kind == "patch")
	case kind == "delete":
		s.delete(w, row)
	default:
		problem(w, 405, "")
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func problem(w http.ResponseWriter, status int, field string) {
	issue := map[string]any{"type": "wrong", "message": "That is wrong.", "relatedField": field}
	if field == "" {
		issue["relatedField"] = nil
	}
	if status == 401 {
		w.Header().Set("WWW-Authenticate", "ApiKey")
	}
	answer(w, status, map[string]any{"error": map[string]any{"responseCode": status, "issues": []any{issue}}})
}

func (s *adspecServer) read(w http.ResponseWriter, row *adspec) {
	shown := *row
	switch {
	case s.is("get-another"):
		shown = *s.rows[702]
	case s.is("get-stale"):
		shown.Name = "Adspec 701"
	case s.is("get-too-long"):
		shown.Name += strings.Repeat("n", 21)
	case s.is("get-off-pattern"):
		shown.Code = "abc"
	case s.is("get-out-of-bounds"):
		shown.Weight = 11
	}
	if s.is("get-without-name") {
		answer(w, 200, map[string]any{"data": map[string]any{
			"id": shown.ID, "code": shown.Code, "weight": shown.Weight, "active": false, "createdAt": shown.CreatedAt,
		}})
		return
	}
	answer(w, 200, map[string]any{"data": shown})
}

var codeForm = regexp.MustCompile(`^[A-Z]{3}-?[0-9]*$`)

// put checks each field, in order, and stores them all. A part of them will do for
// a PATCH.
func (s *adspecServer) put(w http.ResponseWriter, r *http.Request, row *adspec, part bool) {
	var sent map[string]any
	dec := json.NewDecoder(r.Body)
	if err := dec.Decode(&sent); err != nil || sent == nil || dec.More() {
		problem(w, 422, "")
		return
	}
	for name, held := range map[string]any{"name": row.Name, "code": row.Code, "weight": float64(row.Weight), "active": row.Active} {
		if _, given := sent[name]; part && !given {
			sent[name] = held
		}
	}
	longest, heaviest := 20, 10.0
	switch {
	case s.is("put-refuses-the-bound"):
		longest = 19
	case s.is("put-takes-too-long"):
		longest = 300
	case s.is("put-takes-too-large"):
		heaviest = 1000
	}
	name, isName := sent["name"].(string)
	if _, given := sent["name"]; !given && s.is("put-takes-missing") {
		name, isName = row.Name, true
	}
	if n := len([]rune(name)); !isName || n > longest || n < 2 && !s.is("put-takes-too-short") {
		problem(w, 422, "name")
		return
	}
	if code, ok := sent["code"].(string); !ok || !codeForm.MatchString(code) && !s.is("put-takes-off-pattern") {
		problem(w, 422, "code")
		return
	}
	weight, ok := sent["weight"].(float64)
	if !ok || weight != float64(int64(weight)) || weight < 1 && !s.is("put-takes-too-small") || weight > heaviest {
		problem(w, 422, "weight")
		return
	}
	active, ok := sent["active"].(bool)
	if !ok {
		problem(w, 422, "active")
		return
	}
	row.Name, row.Code, row.Weight, row.Active = name, sent["code"].(string), int64(weight), active
	answer(w, 200, map[string]any{"data": row})
}

func (s *adspecServer) delete(w http.ResponseWriter, row *adspec) {
	switch {
	case s.is("delete-keeps"):
	case s.is("delete-leaves-listed"):
		s.listed = append(s.listed, *row)
		delete(s.rows, row.ID)
	default:
		delete(s.rows, row.ID)
	}
	w.WriteHeader(204)
}

func (s *adspecServer) list(w http.ResponseWriter, r *http.Request, user string) {
	var all []any
	for id := int64(700); id < 800; id++ {
		row := s.rows[id]
		if row == nil || row.owner != user && !s.is("list-of-all-users") || s.is("list-lacks-one") && id == 702 {
			continue
		}
		all = append(all, *row)
	}
	for _, row := range s.listed {
		all = append(all, row)
	}
	s.page(w, r, "list", "pageNumber", all)
}

// below lists the campaigns of an adspec. Their ids are those of adspecs, too.
func (s *adspecServer) below(w http.ResponseWriter, r *http.Request, row *adspec) {
	var all []any
	for i := range 9 {
		all = append(all, map[string]any{"id": row.ID + int64(i), "name": fmt.Sprintf("Campaign %d of %d", i, row.ID)})
	}
	s.page(w, r, "below", "page", all)
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
	answer(w, 200, map[string]any{"data": items, "meta": map[string]any{"pagination": map[string]any{
		"count": len(items), "totalCount": total, "page": number, "totalPages": pages,
	}}})
}
