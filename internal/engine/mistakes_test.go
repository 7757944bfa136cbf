package engine_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// A slip is a mistake that an operator makes in a target file.
type slip func(*fixtures.Target)

// value is a wrong value beside an id.
func value(key, field string, v any) slip {
	return func(t *fixtures.Target) { t.Objects[key][0].Values[field] = v }
}

// files are wrong media files of the first container under a key: their ids, or their number.
func files(key string, number int, ids ...spec.ID) slip {
	return func(t *fixtures.Target) {
		o := &t.Objects[key][0]
		o.MediaFileCount, o.MediaFileIDs = number, ids
	}
}

// another is another object under a key of objects, which is named nowhere else.
func another(key string, id spec.ID, without ...string) slip {
	return func(t *fixtures.Target) {
		t.Objects[key][0] = fixtures.Object{ID: id, MediaFileCount: -1}
		for _, key := range without {
			if foreign, isForeign := strings.CutPrefix(key, "foreign."); isForeign {
				delete(t.Foreign, foreign)
			} else {
				delete(t.Objects, key)
			}
		}
	}
}

// last is a creative that does not exist as the last one of several.
func last(key string) slip {
	return func(t *fixtures.Target) {
		all := t.Objects[key]
		all[len(all)-1] = fixtures.Object{ID: "777", MediaFileCount: -1}
	}
}

// foreign is the owner's object under a key of foreign.
func foreign(key string, id spec.ID, without ...string) slip {
	return func(t *fixtures.Target) {
		t.Foreign[key] = id
		for _, key := range without {
			delete(t.Objects, key)
		}
	}
}

func both(first, second slip) slip {
	return func(t *fixtures.Target) { first(t); second(t) }
}

// oneDisposableContainer leaves the other container for another purpose.
func oneDisposableContainer(t *fixtures.Target) {
	t.Objects["disposableVastCreatives"] = t.Objects["disposableVastCreatives"][:1]
}

// writes counts the requests that set or delete something and that a server carries out.
func writes(h http.Handler) (http.Handler, *atomic.Int64) {
	n := new(atomic.Int64)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setsNothing := r.Method == http.MethodGet || bodyOf(r) == "{}"
		altered(h, func(_ *http.Request, answer *httptest.ResponseRecorder) {
			if !setsNothing && answer.Code/100 == 2 {
				n.Add(1)
			}
		}).ServeHTTP(w, r)
	}), n
}

// Whatever the target file says wrongly and a request that changes nothing shows ends the run with one line before it
// writes anything. Where a GET shows it, doctor says the same.
func TestAMistakeInTheTargetFileEndsTheRunBeforeItWrites(t *testing.T) {
	type row struct {
		slip slip
		says string // after the key
	}
	lists := map[string]row{ // which are read by GET everywhere
		"objects.vastCreative, fewer": {
			files("vastCreative", 2), "it has 2 media files, but the target lists 3",
		},
		"objects.vastCreative, more": {
			files("vastCreative", 4), "it has 4 media files, but the target lists 3",
		},
		"objects.pagedVastCreatives[0], more": {
			files("pagedVastCreatives", 251), "it has 251 media files, but the target lists 250",
		},
		"objects.pagedVastCreatives[0], less": {
			files("pagedVastCreatives", 249), "it has 249 media files, but the target lists 250",
		},
		"objects.vastCreative, fewer ids": {
			files("vastCreative", 2, "201", "202"), "the media files [201 202], but the target lists",
		},
		"objects.vastCreative, unknown id": {
			files("vastCreative", 4, "201", "202", "203", "299"), "files [201 202 203 299], but the target",
		},
		"objects.vastCreative, wrong id": {
			files("vastCreative", 3, "201", "202", "299"), "the media files [201 202 299], but the target",
		},
		"objects.vastCreative, plain": {
			another("vastCreative", "230", "plainCreative"), "is not a VAST creative: its list is answered 422",
		},
		"objects.vastCreative, a media file": {another("vastCreative", "201"), "is not a VAST creative: its list is answered 422"},
		"objects.vastCreative, not there":    {another("vastCreative", "2000"), "does not exist"},
		"objects.vastCreative, stranger's": {
			another("vastCreative", "96", "foreign.vastCreative"), "is the stranger's",
		},
		"objects.pagedVastCreatives[0], plain": {
			another("pagedVastCreatives", "230", "plainCreative"), "is not a VAST creative: its list is answered 422",
		},
		"objects.disposableVastCreatives[0], ids": {
			files("disposableVastCreatives", 2, "241", "249"), "the media files [241 249], but the target lists [241 242]",
		},
		"objects.disposableVastCreatives[0], fewer": {
			files("disposableVastCreatives", 1, "241"), "the media files [241], but",
		},
		"objects.emptyVastCreative, not empty": {
			both(another("emptyVastCreative", "250"), oneDisposableContainer), "is not empty",
		},
		"objects.plainCreative, a container": {
			both(another("plainCreative", "250"), oneDisposableContainer), "is a VAST creative: it has 3",
		},
		"objects.plainCreative, stranger's": {
			another("plainCreative", "93", "foreign.creative"), "is the stranger's",
		},
		"objects.plainCreative, not there":              {another("plainCreative", "777"), "does not exist (404)"},
		"objects.pagedVastCreatives[0], not there":      {another("pagedVastCreatives", "777"), "does not exist (404)"},
		"objects.disposableCreatives[7], not there":     {last("disposableCreatives"), "does not exist (404)"},
		"objects.disposableVastCreatives[1], not there": {last("disposableVastCreatives"), "does not exist (404)"},
		"objects.disposableVastCreatives[1], ids": {
			func(t *fixtures.Target) { t.Objects["disposableVastCreatives"][1].MediaFileIDs[0] = "777" },
			"the media files [252 253 777], but the target lists",
		},
		"foreign.creative, not there": {foreign("creative", "777"), "777 is answered 404 to the stranger"},
		"foreign.creative": {
			foreign("creative", "230", "plainCreative"), "230 is not the stranger's",
		},
		"foreign.vastCreative": {
			foreign("vastCreative", "210", "emptyVastCreative"), "210 is not the stranger's",
		},
	}
	objects := map[string]row{
		"objects.campaign, name": {
			value("campaign", "name", "Autumn"), `says name "Autumn", and the target shows "Spring video"`,
		},
		"objects.campaign, type": {
			value("campaign", "type", "display"), `says type "display", and the target shows "video"`,
		},
		"objects.connectionProfile, name": {
			value("connectionProfile", "name", "Autumn"), `name "Autumn", and the target shows "EU pub`,
		},
		"objects.connectionProfile, action": {
			value("connectionProfile", "withCookiesAction", "pass"), `"pass", and the target shows "warn"`,
		},
		"objects.connectionProfile, unknown action": {
			value("connectionProfile", "withCookiesAction", "wran"), `says withCookiesAction "wran"`,
		},
		"objects.connectionProfile, date": {
			value("connectionProfile", "createdAt", "2020-01-01"), `says createdAt "2020-01-01"`,
		},
		"objects.otherCampaign, user": {
			value("otherCampaign", "userId", int64(7)), "says userId 7, and the target shows 41",
		},
		"objects.connectionProfileRuleHost, hostname": {
			value("connectionProfileRuleHost", "hostname", "a.example"), `says hostname "a.example", and the target shows "cdn.example.com"`,
		},
		"objects.connectionProfileRuleHost, none": {
			value("connectionProfileRuleHost", "regularExpression", nil), "says regularExpression null, and the target shows",
		},
		"objects.connectionProfileRuleOtherHost, an expression": {
			value("connectionProfileRuleOtherHost", "regularExpression", "^/"), `says regularExpression "^/", and the target shows null`,
		},
		"objects.campaign, not there":      {another("campaign", "2500"), "does not exist"},
		"objects.otherCampaign, not there": {another("otherCampaign", "2600"), "does not exist"},
		"objects.otherCampaign, stranger's": {
			another("otherCampaign", "92", "foreign.campaign"), "permission for it (403)",
		},
		"objects.campaign, stranger's": {
			another("campaign", "92", "foreign.campaign"), "permission for it (403)",
		},
		"objects.connectionProfileRuleHost": {
			another("connectionProfileRuleHost", "5600"), "does not exist under the parents",
		},
		"objects.otherConnectionProfile": {another("otherConnectionProfile", "1300"), "does not exist"},
		"foreign.campaign": {
			foreign("campaign", "26", "otherCampaign"), "26 is not the stranger's",
		},
		"foreign.connectionProfile": {
			foreign("connectionProfile", "13", "otherConnectionProfile"), "13 is not the stranger's",
		},
		"foreign.connectionProfileRuleHost": {
			foreign("connectionProfileRuleHost", "58", "connectionProfileRuleOtherHost"), "answered 404 to",
		},
		"objects.connectionProfileRuleOtherHost, elsewhere": {
			another("connectionProfileRuleOtherHost", "57", "connectionProfileOtherRuleHost"), "does not exist under the parents",
		},
	}
	try := func(t *testing.T, name string, row row, isGet, isShown bool) {
		t.Helper()
		server, n := writes(choosing(t, func(c *reference.Choices) { c.ReadAll = isGet }))
		target := fixtures.DefaultWorld().Target(reftest.Serve(t, server))
		row.slip(target)
		need, _, _ := strings.Cut(name, ",")
		looked := preflight(t, target)
		isWrong := slices.ContainsFunc(looked.Parts, func(p report.Part) bool {
			return p.Need == need && p.Status == report.Wrong && strings.Contains(p.Detail, row.says)
		})
		if isShown && (!isWrong || looked.ExitCode != report.ExitInconclusive) {
			t.Errorf("%s: doctor exits with %d: %+v", name, looked.ExitCode, looked.Parts)
		}
		r := runOf(t, target, func(c *engine.Config) { c.AllowInconclusive = true })
		noFinding(t, name, r)
		_, says, isFirst := strings.Cut(r.Reason, need+": ")
		if r.ExitCode != report.ExitInconclusive || !isFirst || !strings.Contains(says, row.says) || n.Load() > 0 {
			t.Errorf("%s: %s, exit code %d, %d writes: %s", name, r.Verdict, r.ExitCode, n.Load(), r.Reason)
		}
	}
	for name, row := range reftest.FewOf(3, lists) {
		try(t, name, row, false, true)
	}
	for name, row := range reftest.FewOf(4, objects) {
		try(t, name+", by {}", row, false, false)
		try(t, name+", by GET", row, true, true)
	}
}

// An earlier run may have deleted the first of several disposables: that ends no run.
func TestAnEarlierRunsDeletesEndNoRun(t *testing.T) {
	for name, slip := range reftest.FewOf(1, map[string]slip{
		"a creative":  another("disposableCreatives", "777"),
		"a container": another("disposableVastCreatives", "777"),
		"all creatives": func(t *fixtures.Target) {
			for i := range t.Objects["disposableCreatives"] {
				t.Objects["disposableCreatives"][i].ID = spec.ID(fmt.Sprint(777 + i))
			}
		},
	}) {
		server, n := writes(bundled(t))
		target := fixtures.DefaultWorld().Target(reftest.Serve(t, server))
		slip(target)
		r := runOf(t, target)
		noFinding(t, name, r)
		isSaid := strings.Contains(r.Reason, "probably deleted by an earlier run")
		if r.ExitCode != report.ExitInconclusive || !isSaid || n.Load() == 0 {
			t.Errorf("%s: exit code %d, %d writes: %s", name, r.ExitCode, n.Load(), r.Reason)
		}
	}
}

// What only a write shows is said at the end of the run.
func TestAWrongValueThatOnlyAWriteShowsIsSaidAtTheEnd(t *testing.T) {
	for name, row := range reftest.FewOf(2, map[string]struct {
		slip slip
		says string
	}{
		"name": {
			value("campaign", "name", "Autumn"), `campaign: the target file says name "Autumn", and the target shows "Spring video"; correct it`,
		},
		"action": {
			value("connectionProfile", "withCookiesAction", "fail"), `says withCookiesAction "fail", and the target shows "warn"; correct it`,
		},
		"host": {
			value("connectionProfileRuleHost", "hostname", "a.example"), `says hostname "a.example", and the target shows "cdn.example.com"`,
		},
	}) {
		target := serve(t, choosing(t, func(c *reference.Choices) { c.EmptyDated = true }))
		row.slip(target)
		r := runOf(t, target, quick)
		noViolation(t, name, r)
		putBack(t, name, r)
		if r.ExitCode != report.ExitInconclusive || !strings.Contains(r.Reason, row.says) {
			t.Errorf("%s: %s, exit code %d: %s", name, r.Verdict, r.ExitCode, r.Reason)
		}
	}
}

// A target that takes the stranger for the owner refuses the stranger's own object: the target file is right.
func TestATargetThatMixesUpUsersIsNoMistakeOfTheTargetFile(t *testing.T) {
	for _, op := range reftest.Few(1, []string{"updateCampaign", "updateConnectionProfileRuleHost", "listCreativeMediaFiles"}) {
		r := runOn(t, faulty(t, "permission/stranger-is-owner/"+op))
		if len(violations(r)) == 0 || len(r.Mistakes) > 0 {
			t.Errorf("%s: %s: %s; mistakes: %q", op, r.Verdict, r.Reason, r.Mistakes)
		}
	}
}

// A mistake of the target file excuses only what differs from the mistaken line: what is wrong with another list, or with an
// answer by itself, doctor finds all the same.
func TestAMistakeExcusesOnlyWhatTouchesIt(t *testing.T) {
	list := func(id, old, new string) http.Handler {
		return altered(readable(t), func(r *http.Request, answer *httptest.ResponseRecorder) {
			if strings.Contains(r.URL.Path, "/"+id+"/media-files") && answer.Code == http.StatusOK {
				answer.Body = bytes.NewBufferString(strings.ReplaceAll(answer.Body.String(), old, new))
			}
		})
	}
	name, fewer := value("campaign", "name", "Autumn"), files("vastCreative", 2)
	for what, row := range reftest.FewOf(3, map[string]struct {
		slip   slip
		server http.Handler
		clause string
	}{
		"a count beside a wrong name":         {name, list("220", `"count":`, `"count":1`), "MEDIA-3"},
		"a field beside a wrong name":         {name, list("200", `"sourceType"`, `"sourcetype"`), "CREATIVE-7"},
		"a count beside a wrong list":         {fewer, list("220", `"count":`, `"count":1`), "MEDIA-3"},
		"a total of another list":             {fewer, list("240", `"totalCount":2`, `"totalCount":3`), "MEDIA-4"},
		"a field of the wrong list":           {fewer, list("200", `"sourceType"`, `"sourcetype"`), "CREATIVE-7"},
		"files of a container beside an id":   {another("campaign", "2500"), list("240", `"id":241`, `"id":201`), "MEDIA-7"},
		"nothing, the wrong list by itself":   {fewer, readable(t), ""},
		"nothing, the wrong object by itself": {name, readable(t), ""},
	}) {
		server, n := writes(row.server)
		target := fixtures.DefaultWorld().Target(reftest.Serve(t, server))
		row.slip(target)
		looked, r := preflight(t, target), runOf(t, target)
		var clauses []string
		for _, f := range looked.Findings {
			clauses = append(clauses, f.Clause)
		}
		if got := strings.Join(slices.Compact(clauses), " "); got != row.clause {
			t.Errorf("%s: doctor finds %q, want %q", what, got, row.clause)
		}
		if n.Load() > 0 || !strings.Contains(r.Stopped, "objects.") || r.ExitCode == report.ExitConforming {
			t.Errorf("%s: %d writes, exit code %d: %s", what, n.Load(), r.ExitCode, r.Stopped)
		}
	}
}
