package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// A history is what was sent to a target and what came back, one line for each request:
//
//	campaign name=Teal name of run → 200 Teal name of run
//
// sends an update of the object under that key with that name, and gets a campaign with the name after the
// status. Without name= it sends {}, to read the object back.
type history struct {
	model *Model
	test  *Test
	seq   int
	now   time.Time // of the next request
	dated string    // what the next updates show as their dates, if it is not the time
}

// newHistory begins a case of an operation on the default world.
func newHistory(t *testing.T, operation string) *history {
	m, _ := newTestModel(t)
	op := m.Contract.Operation(operation)
	test := m.Begin(&Case{ID: operation + "/state/x", Operation: op, Clauses: []string{op.Clause}})
	return &history{model: m, test: test, now: noon}
}

// exchange judges one request and its answer.
func (h *history) exchange(c Call, e Expect, status int, body string) *Answer {
	c.Method = c.Op.Method
	if c.As.Name == "" {
		c.As = h.model.Owner()
	}
	if c.Path == nil {
		c.Path = c.Object.Path()
	}
	h.seq++
	r := wire.Request{Method: c.Method, Path: strings.Replace(c.Op.Path, "{"+c.Op.Params[0].Name+"}", c.Path[0], 1), Credential: c.As}
	if c.Page > 1 {
		r.Path += fmt.Sprintf("?page=%d", c.Page)
	}
	if c.Body != nil {
		r.Body = c.Body.Raw
	}
	ex := &wire.Exchange{Seq: h.seq, Attempts: 1, Request: r, Start: h.now, Duration: time.Millisecond, Case: h.test.Case.ID}
	h.now = h.now.Add(2 * ex.Duration)
	if status == 0 {
		ex.Err = &wire.TransportError{Kind: wire.Timeout}
	} else {
		header := http.Header{"Date": {h.now.Format(http.TimeFormat)}}
		if body != "" {
			header.Set("Content-Type", "application/json")
		}
		ex.Response = &wire.Response{Status: status, Header: header, Body: []byte(body)}
	}
	a := Read(&c, ex, nil)
	h.test.Follow(a)
	h.test.Judge(a, e)
	return a
}

var noon = time.Date(2025, 6, 15, 12, 0, 0, 0, time.UTC)

const refusing = `{"error":{"responseCode":422,"issues":[{"type":"invalid","message":"no","relatedField":"name"}]}}`

// denial returns the body of an answer that may refuse a delete: an error that names no field, or "".
func denial(status int) string {
	if status < 400 {
		return ""
	}
	return strings.NewReplacer("422", fmt.Sprint(status), `"name"`, "null").Replace(refusing)
}

// update is a line of a history.
func (h *history) update(line string) *Answer {
	sent, came, _ := strings.Cut(line, " → ")
	key, name, named := strings.Cut(sent, " name=")
	status, shown, _ := strings.Cut(came, " ")
	o := h.model.Object(h.test.Case.Operation, key)
	fields, body := map[string]any{}, ""
	if named {
		fields["name"] = name
	}
	var code int
	fmt.Sscan(status, &code)
	switch code {
	case 200:
		body = fmt.Sprintf(`{"data":{"id":%s,"name":%q,"type":"video","createdAt":"2024-03-01T09:00:00Z","updatedAt":%q,`+
			`"shareURL":"https://example.com/c","adspecId":4,"userId":7}}`, o.ID(), shown, cmp.Or(h.dated, h.now.Format(time.RFC3339)))
	case 422:
		body = refusing
	}
	return h.exchange(Call{Op: o.Op, Object: o, Body: oracle.ObjectBody(fields), Succeeds: named},
		Expect{Success: true, Statuses: []int{422}, Clause: o.Op.Clause}, code, body)
}

// broken returns the clauses of the findings, those of notices in brackets.
func (h *history) broken() string {
	var all []string
	for _, f := range h.test.Result.Findings {
		words := f.Clause
		if f.Severity != oracle.Violation {
			words = "(" + words + ")"
		}
		if !slices.Contains(all, words) {
			all = append(all, words)
		}
	}
	return strings.Join(all, " ")
}

// Lines of histories.
const (
	first, isFirst        = "campaign name=First name of run → 200 First name of run", "campaign → 200 First name of run"
	second, isSecond      = "campaign name=Second name of run → 200 Second name of run", "campaign → 200 Second name of run"
	refusedThird, isThird = "campaign name=Third name of run → 422", "campaign → 200 Third name of run"
	others, isOthers      = "otherCampaign name=Other name of run → 200 Other name of run", "campaign → 200 Other name of run"
	third                 = "campaign name=Third name of run → 200 Third name of run"
	isDefault, isOdd      = "campaign → 200 Untitled", "campaign → 200 Nameless"
)

// trusted is a history after which {} is known to show the last value, because it did so twice.
var trusted = []string{first, isFirst, second, isSecond}

func TestHistoriesOfUpdates(t *testing.T) {
	for name, tc := range map[string]struct {
		trust bool
		lines []string
		want  string
	}{
		"shown as sent":                       {false, []string{first}, ""},
		"another name is shown":               {false, []string{"campaign name=First name of run → 200 Spring video"}, "CAMPAIGN-3"},
		"trimmed":                             {false, []string{"campaign name= First name  → 200 First name"}, "(OPEN-6)"},
		"kept":                                {true, nil, ""},
		"lost":                                {true, []string{third, isSecond}, "CAMPAIGN-4"},
		"lost before it is known how to look": {false, []string{first, second, isFirst}, "CAMPAIGN-4"},
		"one fixed default":                   {false, []string{first, isDefault, second, isDefault}, ""},
		"kept once, and reset":                {false, []string{first, isFirst, second, isDefault}, ""},
		"a reset that trails behind is no default": {false, []string{
			"campaign name=A → 200 A", "campaign name=B → 200 B", "campaign → 200 A", "campaign name=C → 200 C", "campaign → 200 B",
		}, "CAMPAIGN-4"},
		"neither the last value nor one default":                {false, []string{first, isDefault, second, isOdd}, "CAMPAIGN-4, 1 tentative"},
		"changed after a refused update":                        {true, []string{refusedThird, isOdd}, "EFFECT-1, 1 tentative"},
		"a name of another object":                              {true, []string{others, isOthers}, "EFFECT-2"},
		"a name of another object, as the first look shows":     {false, []string{others, isOthers}, "EFFECT-2"},
		"a refused update is made":                              {true, []string{refusedThird, isThird}, "EFFECT-1"},
		"a refused update is made, as the first look shows":     {false, []string{refusedThird, isThird}, "EFFECT-1"},
		"a refused update is not made":                          {true, []string{refusedThird, isSecond}, ""},
		"a refused update is not made, as the first look shows": {false, []string{refusedThird, "campaign → 200 Spring video"}, ""},
		"changed after each refused update": {
			true, []string{refusedThird, isDefault, second, refusedThird, isDefault}, "EFFECT-1, 2 tentative",
		},
		"an earlier name after a refused update": {true, []string{refusedThird, "campaign → 200 Spring video"}, "CAMPAIGN-4"},
		"failed, and perhaps made":               {true, []string{"campaign name=Third name of run → 500", isThird}, "HTTP-1"},
		"failed, and not made":                   {true, []string{"campaign name=Third name of run → 500", isSecond}, "HTTP-1"},
		"no answer, and made":                    {true, []string{"campaign name=Third name of run → 0", isThird}, "(HTTP-2)"},
		// A name that the run did not make up may be another writer's, even if the run had sent it back before as the
		// value that the object holds.
		"a text from nowhere": {true, []string{"campaign → 200 Wholly different words"}, "CAMPAIGN-4, 1 tentative"},
		"two texts from nowhere": {true, []string{
			"campaign → 200 Wholly different words, 1", "campaign name=Wholly different words, 1 → 200 Wholly different words, 1",
			"campaign → 200 Wholly different words, 2",
		}, "CAMPAIGN-4, 2 tentative"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t, "updateCampaign")
			if tc.trust {
				tc.lines = append(slices.Clone(trusted), tc.lines...)
			}
			for _, line := range tc.lines {
				h.update(line)
			}
			got := h.broken()
			if n := len(h.test.Result.Tentative); n > 0 {
				got += fmt.Sprintf(", %d tentative", n)
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Chains that run at the same time know nothing of one another's texts, but a run knows them all.
func TestATextOfAnotherChainIsNotAnotherWriters(t *testing.T) {
	for made, want := range map[bool]int{true: 0, false: 1} {
		h := newHistory(t, "updateCampaign")
		for _, line := range trusted {
			h.update(line)
		}
		text := fixtures.New(7, "another chain", nil).Name()
		if made {
			h.model.Outcome.NoteMade(text)
		}
		h.update("campaign → 200 " + text)
		if got := h.broken(); got != "CAMPAIGN-4" || len(h.test.Result.Tentative) != want {
			t.Errorf("made by the run %t: %s, %d tentative", made, got, len(h.test.Result.Tentative))
		}
	}
}

// A value that several refused requests sent, as happens with enumerated ones, is not blamed on any single one of them. One
// with each status is shown.
func TestSeveralRefusedRequestsAreNotOne(t *testing.T) {
	for n, cause := range map[int]string{
		1: "updateCampaign: a refused request was carried out all the same: name",
		2: "updateCampaign: a refused request was carried out all the same",
	} {
		h := newHistory(t, "updateCampaign")
		for _, line := range append(slices.Clone(trusted), slices.Repeat([]string{refusedThird}, n)...) {
			h.update(line)
		}
		h.update(isThird)
		f := h.test.Result.Findings[0]
		if h.broken() != "EFFECT-1" || !strings.HasPrefix(f.Headline(), cause) || len(f.Requests) != 2 {
			t.Errorf("%d refused: %s, shown by %d requests", n, f.Headline(), len(f.Requests))
		}
	}
}

// look reads the list of the container under a key, which shows total and these ids on its only page.
func (h *history) look(key string, total int, ids ...spec.ID) *Answer {
	return h.page(key, 1, 1, total, ids...)
}

// page is like look, for one page of several.
func (h *history) page(key string, number int64, pages, total int, ids ...spec.ID) *Answer {
	op := h.model.Contract.Operation("listCreativeMediaFiles")
	o := h.model.Object(op, key)
	var items []string
	for _, id := range ids {
		items = append(items, fmt.Sprintf(`{"id":%s,"campaignId":1,"name":"n","createdAt":"2024-03-01T09:00:00Z",`+
			`"updatedAt":"2024-03-01T09:00:00Z","sourceType":"image","sourceTypeLabel":"l","shareURL":"https://example.com/s",`+
			`"livePreviewURL":"https://example.com/l","userId":7}`, id))
	}
	body := fmt.Sprintf(`{"meta":{"pagination":{"count":%d,"totalCount":%d,"page":%d,"totalPages":%d}},"data":[%s]}`,
		len(ids), total, number, pages, strings.Join(items, ","))
	return h.exchange(Call{Op: op, Object: o, Page: number}, Expect{Success: true, Clause: op.Clause}, 200, body)
}

// remove deletes an object that has to exist.
func (h *history) remove(o *Object, status int) {
	c := Call{Op: o.Op, Object: o, As: h.test.Model.Owner(), Raw: true, Succeeds: true}
	h.test.JudgeDeleted(h.exchange(c, Expect{Success: true, Statuses: []int{404}, Clause: o.Op.Clause}, status, denial(status)))
}

// deleteAgain deletes what is gone, as the stranger and as the owner.
func (h *history) deleteAgain(o *Object, strangers, owners int) {
	other := Call{Op: o.Op, Object: o, As: h.model.Stranger()}
	h.exchange(other, Expect{Statuses: []int{403, 404}, Clause: "AUTH-3"}, strangers, denial(strangers))
	h.test.JudgeSecondDelete(o, h.exchange(Call{Op: o.Op, Object: o}, Expect{Statuses: []int{404}}, owners, denial(owners)))
}

func TestHistoriesOfListsAndDeletes(t *testing.T) {
	const key = "disposableVastCreatives[0]"
	for name, tc := range map[string]struct {
		steps     func(h *history, files []spec.ID, file func(i int) *Object)
		want      string
		tentative bool
	}{
		"read twice": {func(h *history, files []spec.ID, _ func(int) *Object) {
			h.look(key, len(files), files...)
			h.look(key, len(files), files...)
		}, "", false},
		"one file is not there again": {func(h *history, _ []spec.ID, _ func(int) *Object) {
			files := ContainerOf(h.model.Target, "vastCreative").MediaFileIDs
			h.look("vastCreative", len(files), files...)
			h.look("vastCreative", len(files)-1, files[1:]...)
		}, "MEDIA-9", false},
		"other files than the target file says": {func(h *history, files []spec.ID, _ func(int) *Object) {
			h.look(key, len(files)+1, append(slices.Clone(files), "777")...)
		}, "MEDIA-7", true},
		"a deleted file leaves": {func(h *history, files []spec.ID, file func(int) *Object) {
			h.look(key, len(files), files...)
			h.remove(file(0), 204)
			h.look(key, len(files)-1, files[1:]...)
		}, "", false},
		"a deleted file stays": {func(h *history, files []spec.ID, file func(int) *Object) {
			h.look(key, len(files), files...)
			h.remove(file(0), 204)
			h.look(key, len(files), files...)
		}, "DELETE-5", false},
		"another creative goes with it": {func(h *history, _ []spec.ID, file func(int) *Object) {
			h.remove(file(0), 204)
			h.remove(file(1), 404)
		}, "DELETE-4", true},
		"a creative that was never there": {func(h *history, _ []spec.ID, file func(int) *Object) {
			h.remove(file(0), 404)
		}, "EFFECT-3", true},
		"a creative that was not there, and is there later": {func(h *history, _ []spec.ID, file func(int) *Object) {
			h.remove(file(0), 404)
			h.deleteAgain(file(0), 404, 204)
		}, "EFFECT-3", true},
		"another file leaves with it": {func(h *history, files []spec.ID, file func(int) *Object) {
			h.look(key, len(files), files...)
			h.remove(file(0), 204)
			h.look(key, 0)
		}, "DELETE-4", false},
		"the container goes with it": {func(h *history, files []spec.ID, file func(int) *Object) {
			o := h.look(key, len(files), files...).Call.Object
			h.remove(file(0), 204)
			h.exchange(Call{Op: o.Op, Object: o}, Expect{Success: true, Clause: o.Op.Clause}, 404, denial(404))
		}, "DELETE-4", false},
		"the container goes with it, and was not there for the stranger": {func(h *history, files []spec.ID, file func(int) *Object) {
			o := h.look(key, len(files), files...).Call.Object
			h.exchange(Call{Op: o.Op, Object: o, As: h.model.Stranger()}, Expect{Statuses: []int{403}, Clause: "AUTH-2"}, 404, denial(404))
			h.remove(file(0), 204)
			h.exchange(Call{Op: o.Op, Object: o}, Expect{Success: true, Clause: o.Op.Clause}, 404, denial(404))
		}, "AUTH-2 DELETE-4", true},
		"a delete of letters is answered 404, and another creative goes with one": {func(h *history, _ []spec.ID, file func(int) *Object) {
			o, owner := file(0), h.test.Model.Owner()
			h.exchange(Call{Op: o.Op, Object: o, Path: []string{"abc"}, As: owner}, Expect{Statuses: []int{404}, Clause: "ERR-1"}, 404, denial(404))
			h.remove(file(1), 204)
			h.remove(o, 404)
		}, "DELETE-4", true},
		"gone for all": {func(h *history, _ []spec.ID, file func(int) *Object) {
			h.remove(file(0), 204)
			h.deleteAgain(file(0), 204, 204)
			h.deleteAgain(file(0), 204, 404)
		}, "DELETE-3", false},
		"gone for the owner only": {func(h *history, _ []spec.ID, file func(int) *Object) {
			h.remove(file(0), 204)
			h.deleteAgain(file(0), 204, 404)
		}, "AUTH-3", false},
		"a delete of letters, and later a creative is not there": {func(h *history, _ []spec.ID, file func(int) *Object) {
			o := file(1)
			h.exchange(Call{Op: o.Op, Object: o, Path: []string{"abc"}}, Expect{Statuses: []int{404}, Clause: "ERR-1"}, 204, "")
			h.remove(file(0), 404)
		}, "ERR-1 DELETE-4", true},
		"an item appears twice on a page": {func(h *history, _ []spec.ID, _ func(int) *Object) {
			h.look("vastCreative", 3, "201", "201", "202")
		}, "MEDIA-8", false},
		"a file is not there after a delete": {func(h *history, files []spec.ID, _ func(int) *Object) {
			h.remove(h.model.Object(h.test.Case.Operation, "disposableCreatives[0]"), 204)
			h.look(key, 1, files[1])
		}, "MEDIA-7", true},
		"a list is gone": {func(h *history, _ []spec.ID, _ func(int) *Object) {
			files := ContainerOf(h.model.Target, "vastCreative").MediaFileIDs
			o := h.look("vastCreative", len(files), files...).Call.Object
			h.exchange(Call{Op: o.Op, Object: o}, Expect{Success: true, Statuses: []int{404}, Clause: o.Op.Clause}, 404, denial(404))
		}, "EFFECT-3", false},
		"a refused delete is made": {func(h *history, _ []spec.ID, file func(int) *Object) {
			o := file(0)
			h.exchange(Call{Op: o.Op, Object: o}, Expect{Statuses: []int{422}}, 422, refusing)
			h.remove(o, 404)
		}, "(OPEN-10) EFFECT-1", true}, // the error names a field
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t, "deleteCreative")
			tc.steps(h, ContainerOf(h.model.Target, key).MediaFileIDs, func(i int) *Object {
				return h.model.Object(h.test.Case.Operation, fmt.Sprintf("%s.mediaFiles[%d]", key, i))
			})
			if got := h.broken(); got != tc.want || len(h.test.Result.Tentative) > 0 != tc.tentative {
				t.Errorf("got %q, tentative %t; want %q", got, len(h.test.Result.Tentative) > 0, tc.want)
			}
		})
	}
}

// The counts do not fit the items of the second page because it has an item of the first.
func TestAnItemOnTwoPagesIsTheCauseOfCountsThatDoNotFit(t *testing.T) {
	h := newHistory(t, "listCreativeMediaFiles")
	h.page("vastCreative", 1, 2, 3, "201", "202")
	h.page("vastCreative", 2, 2, 3, "202", "203")
	f := h.test.Result.Findings[0]
	got := "item 202 on pages 1 and 2; 4 items on all pages together, 1 of them again, where totalCount is 3"
	if h.broken() != "MEDIA-8" || f.Got != got || len(f.Requests) != 2 {
		t.Errorf("%s: %s, shown by %d requests", h.broken(), f.Got, len(f.Requests))
	}
}

// Answers say whether an object exists, and for whom.
func TestWhatAnswersSayOfAnObject(t *testing.T) {
	campaign := func(h *history) *Object {
		return h.model.Object(h.model.Contract.Operation("updateCampaign"), "campaign")
	}
	file := func(h *history) *Object {
		return h.model.Object(h.model.Contract.Operation("deleteCreative"), "disposableVastCreatives[0].mediaFiles[0]")
	}
	send := func(h *history, o *Object, as wire.Credential, status int) {
		h.exchange(Call{Op: o.Op, Object: o, As: as}, Expect{Success: true, Statuses: []int{403, 404}}, status, denial(status))
	}
	for name, tc := range map[string]struct {
		operation string
		steps     func(*history) *Object
		want      string // of what is listed below
	}{
		"nothing": {"updateCampaign", campaign, ""},
		"alive": {"updateCampaign", func(h *history) *Object {
			h.update(first)
			return campaign(h)
		}, "alive changed"},
		"shown to exist": {"updateCampaign", func(h *history) *Object {
			send(h, campaign(h), h.model.Stranger(), 403)
			return campaign(h)
		}, "shown"},
		"deleted": {"deleteCreative", func(h *history) *Object {
			h.remove(file(h), 204)
			return file(h)
		}, "alive deleted removed"},
		"deleted, it seems": {"deleteCreative", func(h *history) *Object {
			h.remove(file(h), 500)
			return file(h)
		}, "deleted uncertain"},
		"deleted after a lost answer": {"deleteCreative", func(h *history) *Object {
			h.remove(file(h), 500)
			h.remove(file(h), 204)
			return file(h)
		}, "alive deleted removed uncertain"},
	} {
		h := newHistory(t, tc.operation)
		o, got := tc.steps(h), []string{}
		for _, is := range []struct {
			what string
			so   bool
		}{
			{"alive", o.Alive()},
			{"shown", o.ShownToExist()},
			{"deleted", o.Deleted()},
			{"removed", o.Removed()},
			{"uncertain", o.Uncertain()},
			{"changed", o.Changed()},
			{"refused", o.Refused()},
		} {
			if is.so {
				got = append(got, is.what)
			}
		}
		if all := strings.Join(got, " "); all != tc.want {
			t.Errorf("%s: %q, want %q", name, all, tc.want)
		}
	}
}

// A refused write is looked for until the object was read back, or all its fields were set.
func TestWhatRefusedWritesAreDue(t *testing.T) {
	for want, lines := range map[bool][][]string{
		true:  {{refusedThird}, {first, refusedThird}, {refusedThird, "campaign → 422"}},
		false: {{first}, {refusedThird, second}},
	} {
		for _, all := range lines {
			h := newHistory(t, "updateCampaign")
			var o *Object
			for _, line := range all {
				o = h.update(line).Call.Object
			}
			if o.Refused() != want {
				t.Errorf("%q: due %t", all, o.Refused())
			}
			if o.LookedAt(); o.Refused() {
				t.Errorf("%q: due after a look", all)
			}
		}
	}
}
