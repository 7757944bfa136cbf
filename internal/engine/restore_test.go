package engine_test

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

func TestAPartOfTheValuesIsReportedByName(t *testing.T) {
	part := func(r *http.Request) bool { return r.Method == http.MethodPatch && r.ContentLength < 60 } // so that no object can be read back
	target := serve(t, instead(bundled(t), part, answering(http.StatusUnprocessableEntity, " ")))
	delete(target.Objects["connectionProfile"][0].Values, "withCookiesAction")
	changes := runOf(t, target, selecting("updateConnectionProfile/")).Changes
	i := slices.IndexFunc(changes, func(c report.Change) bool { return c.Object == "connectionProfile" })
	if i < 0 || changes[i].Restored || !strings.Contains(changes[i].Reason, "withCookiesAction could not be restored") {
		t.Errorf("%+v", changes)
	}
}

// Where nothing shows an object before the first full update, a run restores what the target file says, right or
// wrong. The report says so, and doctor before. Where {} shows the values, or shows others, nothing was taken from the
// file unseen.
func TestValuesThatWereNeverSeenAreNamed(t *testing.T) {
	for name, variants := range map[string][]string{
		"shown": nil, "bare": {"body/all-fields-required"}, "reset": {"body/omitted-reset"},
		"read": {"body/empty-object-refused", "path/read-all"},
	} {
		target := serve(t, reftest.With(t, fixtures.DefaultWorld(), variants...))
		var ran, want []string
		if name == "bare" || name == "reset" {
			want = []string{"campaign", "connectionProfile", "connectionProfileRuleHost"}
		}
		doctored := preflight(t, target).Unseen
		r := runOf(t, target, selecting("/success/"))
		for _, c := range r.Changes {
			if len(c.Unseen) > 0 && !strings.HasPrefix(c.Object, "other") {
				ran = append(ran, c.Object)
			}
		}
		slices.Sort(ran)
		if !slices.Equal(ran, want) {
			t.Errorf("%s: %v were restored unseen, want %v", name, ran, want)
		}
		note := strings.Join(render.NewView(r).Notes, "\n")
		for _, key := range want {
			if !strings.Contains(note, key+" ") || !strings.Contains(strings.Join(doctored, "\n"), key+" ") {
				t.Errorf("%s: %s is named neither in %q nor by doctor in %q", name, key, note, doctored)
			}
		}
		if (len(doctored) == 0) != (name == "read") {
			t.Errorf("%s: doctor names %q", name, doctored)
		}
	}
}

// nameless removes the values of profiles, hosts and campaigns from a target file.
func nameless(target *fixtures.Target) {
	for _, objects := range target.Objects {
		for i := range objects {
			objects[i].Values = nil
		}
	}
}

// A run does not write to a neighbour whose values are unknown, and the case reports that. Once the target
// shows the values, it does.
func TestANeighbourThatIsNotKnownIsNotWritten(t *testing.T) {
	const id = "updateCampaign/state/two-at-once"
	for hidden, server := range map[bool]http.Handler{true: secretive(t), false: bundled(t)} {
		target := serve(t, server)
		nameless(target)
		c := engine.NewConfig(target)
		selecting("updateCampaign/")(c)
		written := 0
		c.Record = func(ex *wire.Exchange) {
			if hasWritten(ex, "/campaigns/26") {
				written++
			}
		}
		r := execute(t, c)
		ofID := func(cs report.Case) bool { return cs.ID == id }
		cs := r.Results[slices.IndexFunc(r.Results, ofID)]
		isLeftAlone := cs.Status == judge.NotTested && strings.Contains(cs.Reason, "otherCampaign was left alone")
		if isLeftAlone != hidden || !hidden && cs.Status == judge.NotTested {
			t.Errorf("hidden %t: %s is %s: %s", hidden, id, cs.Status, cs.Reason)
		}
		if written > 0 == hidden {
			t.Errorf("hidden %t: the neighbour was written to %d times", hidden, written)
		}
		for _, ch := range r.Changes {
			if strings.HasPrefix(ch.Object, "other") && !ch.Restored {
				t.Errorf("hidden %t: %s was not put back: %s", hidden, ch.Object, ch.Reason)
			}
		}
	}
}

// hasWritten reports whether an update with fields, to a path that ends so, was accepted.
func hasWritten(ex *wire.Exchange, path string) bool {
	isUpdate := ex.Request.Method == http.MethodPatch && len(ex.Request.Body) > len("{}")
	return isUpdate && strings.HasSuffix(ex.Request.Path, path) && ex.Response.Status < 300
}

// Objects that only provision can bring back count as put back once it has run.
func TestProvisionPutsBack(t *testing.T) {
	for _, provisioned := range []bool{true, false} {
		target := serve(t, secretive(t))
		nameless(target)
		if provisioned {
			target.Provision = &fixtures.Provision{Post: serve(t, answering(200, "")).BaseURL}
		}
		left := 0
		for _, ch := range runOf(t, target, selecting("updateCampaign/")).Changes {
			if ch.Change == "updated" && !ch.Restored {
				left++
			}
		}
		if left > 0 == provisioned {
			t.Errorf("provision %t: %d objects were not put back", provisioned, left)
		}
	}
}

// Before a run sends anything, it knows which objects may stay changed.
func TestWhatIsChangedForGoodIsKnownBefore(t *testing.T) {
	target := serve(t, bundled(t))
	delete(target.Objects["campaign"][0].Values, "name")
	target.Objects["otherConnectionProfile"][0].Values = nil // no case changes it
	for _, p := range preflight(t, target).Parts {
		if told := strings.Contains(p.Detail, "can be restored"); told != (p.Need == "objects.campaign") {
			t.Errorf("%s: %s", p.Need, p.Detail)
		}
	}
}

// unsetExpressions removes the regular expressions of hosts.
func unsetExpressions(world fixtures.World) {
	for _, r := range world.Profiles[0].Rules {
		for i := range r.Hosts {
			r.Hosts[i].RegularExpression = nil
		}
	}
}

// A server may refuse to set a field to null again. So a run does not write to a neighbour with a null. For the
// operation's own object, it puts the other fields back and names this one.
func TestANullThatIsNotTakenBackIsReported(t *testing.T) {
	world := fixtures.DefaultWorld()
	unsetExpressions(world)
	null := func(r *http.Request) bool {
		return r.Header.Get("X-API-Key") != "" && strings.Contains(bodyOf(r), `"regularExpression":null`)
	}
	refusal := `{"error":{"responseCode":422,"issues":[{"type":"null","message":"not null","relatedField":"regularExpression"}]}}`
	all := map[string]http.Handler{
		"refused": instead(reftest.New(t, world, nil), null, answering(422, refusal)),
		"ignored": reftest.With(t, world, "body/null-ignored"),
		"taken":   reftest.New(t, world, func(c *reference.Choices) { c.ReadAll = true }),
	}
	for name, h := range reftest.FewOf(2, all) {
		target := serve(t, h)
		main, other := target.Objects["connectionProfileRuleHost"][0], target.Objects["connectionProfileOtherRuleHost"][0]
		main.Values["regularExpression"], other.Values["regularExpression"] = nil, nil
		if name == "taken" { // the target shows it
			delete(other.Values, "regularExpression")
		}
		c := engine.NewConfig(target)
		selecting("updateConnectionProfileRuleHost/")(c)
		c.Record = func(ex *wire.Exchange) {
			if hasWritten(ex, fmt.Sprintf("/hosts/%s", other.ID)) {
				t.Errorf("%s: the neighbour was written to", name)
			}
		}
		r := execute(t, c)
		if r.Verdict != report.Conforming {
			t.Errorf("%s: %s: %s", name, r.Verdict, r.Reason)
		}
		for _, ch := range r.Changes {
			if ch.Object != "connectionProfileRuleHost" {
				continue
			}
			if ch.Restored != (name == "taken") || !ch.Restored && !strings.Contains(ch.Reason, "regularExpression") {
				t.Errorf("%s: restored %t: %s", name, ch.Restored, ch.Reason)
			}
		}
	}
}

// An object that changed beside the updated one does not count as put back if its earlier values are
// unknown.
func TestWhatWasFirstSeenTooLateIsNotPutBack(t *testing.T) {
	for fault, object := range reftest.FewOf(1, map[string]string{
		"effect/foreign-too/updateConnectionProfile": "foreign.connectionProfile",
		"effect/foreign-too/updateCampaign":          "foreign.campaign",
		"effect/other-too/updateCampaign":            "otherCampaign",
	}) {
		target := serve(t, faulty(t, fault))
		nameless(target)
		told := false
		for _, ch := range runOf(t, target, selecting(path.Base(fault)+"/")).Changes {
			if told = told || ch.Object == object; ch.Object == object && ch.Restored {
				t.Errorf("%s: %s counts as put back: %s", fault, ch.Object, ch.Reason)
			}
		}
		if !told {
			t.Errorf("%s: no change of %s is reported", fault, object)
		}
	}
}

// counting serves the reference and counts the requests that could change it.
func counting(t *testing.T, n *atomic.Int64) *fixtures.Target {
	t.Helper()
	server := bundled(t)
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			n.Add(1)
		}
		server.ServeHTTP(w, r)
	}))
}

func TestReadOnlyRunSendsNothingThatCouldChangeSomething(t *testing.T) {
	var writes atomic.Int64
	target := counting(t, &writes)
	target.Provision = &fixtures.Provision{Post: target.BaseURL + "/reset"}
	c := engine.NewConfig(target)
	c.ReadOnly = true
	for _, seed := range []uint64{11, 4242, 900_001}[reftest.Of(0, 2):] {
		deep := *c
		deep.Depth, deep.Seed, deep.Drawn = judge.Deep, seed, reftest.Of(0, 50)
		r := execute(t, &deep)
		if noViolation(t, "deep", r); len(r.Defects) > 0 {
			t.Errorf("seed %d: %q", seed, r.Defects)
		}
	}
	r := execute(t, c)
	if writes.Load() > 0 {
		t.Errorf("%d requests could have changed something", writes.Load())
	}
	if r.Cases.Run == 0 || r.Cases.NotTested == 0 || r.Cases.Failed > 0 {
		t.Errorf("cases %+v", r.Cases)
	}
	if r.Verdict != report.Inconclusive || r.Reason != "the run was read-only" || len(r.Changes) > 0 {
		t.Errorf("%s: %s, changes %+v", r.Verdict, r.Reason, r.Changes)
	}
	c.AllowInconclusive = true
	selecting("/401/")(c)
	if r := execute(t, c); r.ExitCode != report.ExitConforming {
		t.Errorf("--allow-inconclusive: exit code %d", r.ExitCode)
	}
}

// The client stops a case that is planned as reading but writes.
func TestReadOnlyHoldsAgainstACaseThatWrites(t *testing.T) {
	var writes atomic.Int64
	target := counting(t, &writes)
	contract := spec.Load()
	op := contract.Operation("updateCampaign")
	for name, send := range map[string]func(*session.T, judge.Call){
		"Send":         func(t *session.T, c judge.Call) { t.Send(c) },
		"Send raw":     func(t *session.T, c judge.Call) { c.Raw = true; t.Send(c) },
		"SendTogether": func(t *session.T, c judge.Call) { t.SendTogether(c, c) },
		"SendInOrder":  func(t *session.T, c judge.Call) { t.SendInOrder(c, c) },
		"Write":        func(t *session.T, c judge.Call) { t.Write(c.Object, t.Ordinary(c.Object, 0)) },
		"Survey":       func(t *session.T, c judge.Call) { t.Survey(c.Object) },
	} {
		client, err := wire.New(wire.Options{BaseURL: target.BaseURL, Key: fixtures.Credentials{}.Form(), ReadOnly: true})
		noError(t, err)
		s := session.NewSession(session.Options{
			ModelOptions: judge.ModelOptions{Contract: contract, Target: target, Seed: 1}, Client: client, ReadOnly: true,
		})
		r := s.Run(t.Context(), &judge.Case{ID: "updateCampaign/wrong/" + name, Operation: op, Steps: session.Steps(func(t *session.T) {
			o := t.Test.Model.Object(op, "campaign")
			send(t, judge.Call{Op: op, Object: o, As: t.Test.Model.Owner(), Body: oracle.ObjectBody(t.Ordinary(o, 0)), Succeeds: true})
		})})
		if writes.Swap(0) > 0 {
			t.Errorf("%s: a write was sent", name)
		}
		if r.Status != judge.NotTested || len(r.Findings) > 0 {
			t.Errorf("%s: %s by %s, %d findings", name, r.Status, r.Cause, len(r.Findings))
		}
		client.Close()
	}
}
