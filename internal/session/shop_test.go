package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
)

// A shop is a server in memory, of objects by their paths. It writes down what it is asked: "GET /campaigns/25",
// "stranger PATCH /campaigns/92 {name}".
type shop struct {
	scripted
	objects map[string]map[string]any
	files   map[string][]int // the media files of each creative, by its path
	asked   []string

	// hook may answer in place of the shop. 0 leaves it to the shop.
	hook   func(user, method, path string, body map[string]any) (status int)
	stores func(any) any // changes a value on its way into the shop
	lists  func(path string, files []int) []int
}

// lost stands for no answer, and unchanged for one that shows the object as it is, whatever the request says.
const lost, unchanged = -1, -2

// at is when all objects were created.
const at = "2024-03-01T09:00:00Z"

func newShop() *shop {
	campaign := func(name, kind string) map[string]any {
		return map[string]any{"name": name, "type": kind, "adspecId": 3, "userId": 41, "shareURL": "https://a.test/"}
	}
	profile := func(name, without, with string) map[string]any {
		return map[string]any{"name": name, "withoutCookiesAction": without, "withCookiesAction": with}
	}
	host := func(name string, expression any) map[string]any {
		return map[string]any{"hostname": name, "regularExpression": expression}
	}
	const rules = "/connection-profiles/12/rules"
	s := &shop{
		objects: map[string]map[string]any{
			"/campaigns/25": campaign("Spring video", "video"), "/campaigns/26": campaign("Teal Jambul display", "display"),
			"/campaigns/92":           campaign("Autumn", "video"),
			"/connection-profiles/12": profile("EU publishers", "pass", "warn"),
			"/connection-profiles/13": profile("US publishers", "warn", "fail"),
			rules + "/34/hosts/56":    host("cdn.example.com", "^/pixel/"),
			rules + "/34/hosts/58":    host("static.example.net", nil),
			rules + "/35/hosts/57":    host("img.example.org", "^/banner/"),
		},
		files: map[string][]int{
			"/creatives/200": {201, 202, 203}, "/creatives/210": {}, "/creatives/96": {97}, "/creatives/230": nil, "/creatives/301": nil,
			"/creatives/240": {241, 242}, "/creatives/241": nil, "/creatives/242": nil,
		},
	}
	for path, o := range s.objects {
		o["id"], _ = strconv.Atoi(path[strings.LastIndex(path, "/")+1:])
		o["createdAt"], o["updatedAt"] = at, at
	}
	return s
}

func (s *shop) Do(_ context.Context, caseID string, r wire.Request) *wire.Exchange {
	var body map[string]any
	_ = json.Unmarshal(r.Body, &body)
	user := r.Credential.Name
	s.write(user, r, body)
	s.sent++
	ex := &wire.Exchange{Seq: s.sent, Case: caseID, Request: r, Attempts: 1, Start: time.Now()}
	status := 0
	if s.hook != nil {
		status = s.hook(user, r.Method, r.Path, body)
	}
	var value any
	switch {
	case status == unchanged:
		status, value = 200, map[string]any{"data": s.objects[r.Path]}
	case status == 0:
		status, value = s.answer(user, r.Method, r.Path, body)
	}
	if status == lost {
		time.Sleep(wire.DefaultTimeout) // in a bubble of synctest
		ex.Duration = wire.DefaultTimeout
		ex.Err = &wire.TransportError{Kind: wire.Timeout, Detail: "gave up, waiting for the response"}
		return ex
	}
	if status >= http.StatusBadRequest {
		issue := map[string]any{"type": "wrong", "message": "This is wrong.", "relatedField": nil}
		value = map[string]any{"error": map[string]any{"responseCode": status, "issues": []any{issue}}}
	}
	ex.Response = &wire.Response{Status: status, Header: http.Header{"Content-Type": {"application/json"}}}
	if status != http.StatusNoContent {
		ex.Response.Body, _ = json.Marshal(value)
	}
	return ex
}

// Pause passes no time.
func (*shop) Pause(context.Context, time.Duration) error { return nil }

// DoAll sends requests one after another.
func (s *shop) DoAll(ctx context.Context, caseID string, _ wire.Way, all ...wire.Request) (exchanges []*wire.Exchange) {
	for _, r := range all {
		exchanges = append(exchanges, s.Do(ctx, caseID, r))
	}
	return exchanges
}

func (s *shop) write(user string, r wire.Request, body map[string]any) {
	line := r.Method + " " + r.Path
	if user != "owner" {
		line = user + " " + line
	}
	if r.Body != nil {
		line += " {" + strings.Join(slices.Sorted(maps.Keys(body)), " ") + "}"
	}
	s.asked = append(s.asked, line)
}

func (s *shop) answer(user, method, path string, body map[string]any) (status int, value any) {
	creative, isList := strings.CutSuffix(path, "/media-files")
	object, isObject := s.objects[path]
	files, isCreative := s.files[creative]
	isOwners := !slices.Contains([]string{"/campaigns/92", "/creatives/96"}, creative)
	switch {
	case user != "owner" && user != "stranger":
		return 401, nil
	case !isObject && !isCreative:
		return 404, nil
	case (user == "owner") != isOwners:
		return 403, nil
	case method == http.MethodDelete:
		delete(s.files, path)
		for of, files := range s.files {
			s.files[of] = slices.DeleteFunc(files, func(id int) bool { return fmt.Sprint("/creatives/", id) == path })
		}
		return 204, nil
	case isList:
		if s.lists != nil {
			files = s.lists(creative, files)
		}
		return 200, pageOf(files)
	}
	for name, v := range body {
		if s.stores != nil {
			v = s.stores(v)
		}
		object[name] = v
	}
	if len(body) > 0 {
		object["updatedAt"] = time.Now().UTC().Format(time.RFC3339)
	}
	return 200, map[string]any{"data": object}
}

// pageOf returns the only page of the list of these media files.
func pageOf(files []int) map[string]any {
	data := []any{}
	for _, id := range files {
		data = append(data, map[string]any{
			"id": id, "campaignId": 25, "name": fmt.Sprint("file ", id), "createdAt": at, "updatedAt": at, "parentId": 200,
			"sourceType": "vast-child-video", "sourceTypeLabel": "Video", "shareURL": "https://a.test/", "livePreviewURL": "https://a.test/",
			"userId": 41,
		})
	}
	pages := map[string]any{"count": len(files), "totalCount": len(files), "page": 1, "totalPages": 1}
	return map[string]any{"meta": map[string]any{"pagination": pages}, "data": data}
}

// takes returns the requests since the last time.
func (s *shop) takes() (asked []string) {
	asked, s.asked = s.asked, nil
	return asked
}

// visit runs steps as a case of an operation that may change anything. Unless it surveys, the steps begin at once.
func (s *shop) visit(
	t *testing.T, operation string, surveys bool, steps session.Steps, change ...func(*fixtures.Target),
) (*session.Session, *judge.Result) {
	t.Helper()
	one, _ := newTestSession(t, s)
	for _, c := range change {
		c(one.Model.Target)
	}
	op := one.Model.Contract.Operation(operation)
	r := one.Run(t.Context(), &judge.Case{
		ID: operation + "/test", Operation: op, Class: judge.ClassEffects, Clauses: []string{op.Clause},
		Writes: true, Stretch: !surveys, Steps: steps,
	})
	return one, r
}
