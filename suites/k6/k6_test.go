package k6_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge/call"
	"github.com/adconform/adconform/suites/k6"
	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/testcase"
	"github.com/adconform/adconform/suites/wire"
)

// TestLanesKeepApart: what one VU writes no other one does.
func TestLanesKeepApart(t *testing.T) {
	world := fixtures.WorldWithObjectSets(2)
	s := plan(t, world.Target("http://127.0.0.1:8080"+basePath), testcase.Standard, fewer("updateCampaign"))
	if len(s.Writing) != 3 || len(s.Writing[1]) < len(s.Writing[0])/2 {
		t.Fatalf("%d lanes", len(s.Writing))
	}
	writer := map[string]int{}
	for objectSet, list := range s.Writing {
		for _, c := range list {
			for _, step := range c.Steps {
				if step.Method != http.MethodPatch || step.As != "owner" || !step.Expect.Success {
					continue
				}
				if by, ok := writer[step.Path]; ok && by != objectSet {
					t.Errorf("%s writes %s in lane %d, which is written in lane %d", c.ID, step.Path, objectSet, by)
				}
				writer[step.Path] = objectSet
			}
		}
	}
	if p := play(t, text(t, s), once(serve(t, world))); len(p.broken) > 0 {
		t.Errorf("broken: %v\n%s", p.broken, strings.Join(p.said, "\n"))
	}
}

func TestWhatDeletesIsLeftOut(t *testing.T) {
	_, target := small()
	s := plan(t, target, testcase.Standard, nil)
	if s.UsedUp < 10 {
		t.Errorf("only %d cases are left out", s.UsedUp)
	}
	for _, c := range slices.Concat(s.Reading, s.Writing[0]) {
		for _, step := range c.Steps {
			if step.Method == http.MethodDelete && step.Expect.Success {
				t.Errorf("%s deletes %s", c.ID, step.Path)
			}
		}
	}
	target.Objects.Campaign = nil
	if s := plan(t, target, testcase.Standard, nil); s.Lacking == 0 {
		t.Error("without a campaign no case lacks anything")
	}
	c := suites.NewConfig(target)
	if _, err := k6.New(t.Context(), k6.Options{Config: c, Target: target}); !errors.Is(err, k6.ErrNothingLeft) {
		t.Errorf("no case: %v", err)
	}
}

// Cases of others, which the corpus does not have: what deletes without saying so
// is left out, and a key that the script cannot make is an error.
func TestCasesThatCannotBeWritten(t *testing.T) {
	world, target := small()
	target.BaseURL = serve(t, world)
	c := suites.NewConfig(target)
	op := reftest.Contract(t).Operation("deleteCreative")
	one := func(run func(*session.T)) k6.Options {
		cs := &testcase.Case{
			ID: "deleteCreative/success/other", Operation: op, Clauses: []string{op.Clause}, Writes: true, Steps: session.Steps(run),
		}
		return k6.Options{Config: c, Target: target, Cases: []*testcase.Case{cs}}
	}
	_, err := k6.New(t.Context(), one(func(t *session.T) { t.Delete(t.Test.Model.Object(op, "disposableCreatives[0]")) }))
	if !errors.Is(err, k6.ErrNothingLeft) {
		t.Errorf("a case that deletes: %v", err)
	}
	_, err = k6.New(t.Context(), one(func(t *session.T) {
		t.Send(call.Call{
			Op: op, Object: t.Test.Model.Object(op, "disposableCreatives[1]"),
			As: wire.Credential{Name: "owner-reversed", Value: "x", Send: true},
		})
	}))
	if err == nil || !strings.Contains(err.Error(), "owner-reversed") {
		t.Errorf("an unknown key: %v", err)
	}
	target.BaseURL = "http://127.0.0.1:1"
	_, err = k6.New(t.Context(), one(func(t *session.T) { t.Delete(t.Test.Model.Object(op, "disposableCreatives[2]")) }))
	if err == nil || errors.Is(err, k6.ErrNothingLeft) {
		t.Errorf("no simulated target: %v", err)
	}
}

// An object that all object sets see, such as the stranger's, is written in one.
func TestSharedObjectHasOneWriter(t *testing.T) {
	world := fixtures.WorldWithObjectSets(1)
	target := world.Target(serve(t, world))
	op := reftest.Contract(t).Operation("updateCampaign")
	run := func(t *session.T) {
		o := t.Test.Model.Object(op, "foreign.campaign")
		t.Write(o, t.Ordinary(o, 0))
	}
	cs := &testcase.Case{
		ID: "updateCampaign/success/other", Operation: op, Clauses: []string{op.Clause}, Writes: true, Steps: session.Steps(run),
	}
	s, err := k6.New(t.Context(), k6.Options{Config: suites.NewConfig(target), Target: target, Cases: []*testcase.Case{cs}})
	must(t, err)
	if len(s.Writing) != 1 || len(s.Changed) != 1 || s.Changed[0].As != "stranger" || s.Changed[0].String() != "foreign.campaign (name)" {
		t.Errorf("%d lanes, changed %+v", len(s.Writing), s.Changed)
	}
}
