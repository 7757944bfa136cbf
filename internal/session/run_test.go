package session_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// The first case of a chain surveys its objects, and other cases keep the order of the plan.
func TestTheSurveyComesFirst(t *testing.T) {
	contract := spec.Load()
	campaign, profile := contract.Operation("updateCampaign"), contract.Operation("updateConnectionProfile")
	list, remove := contract.Operation("listCreativeMediaFiles"), contract.Operation("deleteCreative")
	var plan []*judge.Case
	add := func(id string, op *spec.Operation, change func(*judge.Case)) {
		c := &judge.Case{ID: id, Operation: op, Place: len(plan)}
		if change != nil {
			change(c)
		}
		plan = append(plan, c)
	}
	add("refused", campaign, func(c *judge.Case) { c.Stretch = true })
	add("list", list, nil)
	add("profile", profile, nil)
	add("survey", campaign, nil)
	add("delete", remove, nil)
	add("update", campaign, nil)
	add("random", campaign, func(c *judge.Case) { c.Last, c.Class = true, judge.ClassRandom })
	add("wear", list, func(c *judge.Case) { c.Last, c.Class = true, judge.ClassWear })
	add("look", profile, func(c *judge.Case) { c.Last = true })
	var got []string
	for _, chain := range session.Chains(plan) {
		var ids []string
		for _, c := range chain.Cases {
			ids = append(ids, c.ID)
		}
		got = append(got, strings.Join(ids, " "))
	}
	if diff := cmp.Diff([]string{"survey refused update", "list delete", "profile", "look", "random", "wear"}, got); diff != "" {
		t.Error(diff)
	}
}

// A monitor watches which chains run a case at the same time.
type monitor struct {
	of      map[*judge.Case]*session.Chain
	open    func() // is called after some cases
	mu      sync.Mutex
	running map[*session.Chain]bool
	ran     int
	most    int // chains at once
}

// alone is how many cases run before the owner's key is accepted.
const alone = 5

// begin returns the chains that may not run beside a case that begins.
func (m *monitor) begin(c *judge.Case) (wrong []*session.Chain) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for other := range m.running {
		if other == m.of[c] || other.Phase != m.of[c].Phase || m.ran < alone {
			wrong = append(wrong, other)
		}
	}
	m.running[m.of[c]] = true
	m.most = max(m.most, len(m.running))
	return wrong
}

func (m *monitor) end(c *judge.Case) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, m.of[c])
	if m.ran++; m.ran == alone {
		m.open()
	}
}

// Cases of a chain never overlap, a phase waits for the one before, and until the owner's key is accepted one case runs
// at a time.
func TestSchedule(t *testing.T) {
	for _, workers := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) { watchSchedule(t, workers) })
	}
}

func watchSchedule(t *testing.T, workers int) {
	t.Helper()
	plan, chains := divided(t)
	root, _ := newTestSession(t, newShop())
	schedule := session.NewSchedule(chains, root, workers)
	m := &monitor{of: map[*judge.Case]*session.Chain{}, open: schedule.Open, running: map[*session.Chain]bool{}}
	for _, chain := range chains {
		for _, c := range chain.Cases {
			m.of[c] = chain
		}
	}
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			schedule.Work(func(_ *session.Session, c *judge.Case) {
				if wrong := m.begin(c); wrong != nil {
					t.Errorf("%s runs beside a case of phase %d", c.ID, wrong[0].Phase)
				}
				time.Sleep(time.Millisecond)
				m.end(c)
			})
		})
	}
	all.Wait()
	if m.ran != len(plan) || (m.most > 1) != (workers > 1) {
		t.Errorf("%d workers: %d of %d cases, at most %d at once", workers, m.ran, len(plan), m.most)
	}
	if sessions := schedule.Sessions(); !slices.Contains(sessions, root) || len(sessions) != 4 {
		t.Errorf("%d sessions", len(sessions))
	}
}

// A server that answers nothing any more hangs. One that answers again at the end of the run does not.
func TestHangs(t *testing.T) {
	for _, hangs := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s, ended := newShop(), false
			s.hook = func(string, string, string, map[string]any) int {
				if s.sent > 2 && (hangs || !ended) {
					return lost
				}
				return 0
			}
			one, r := s.visit(t, "listCreativeMediaFiles", false, func(c *session.T) {
				op := c.Test.Case.Operation
				for range 4 {
					c.Ask(judge.Call{Op: op, Object: c.Known().Object(op, "vastCreative"), As: c.Known().Owner()}, judge.Expect{OnlyCrash: true})
				}
			})
			ended = true
			one.Conclude(t.Context())
			if why := one.Model.Outcome.Liveness.Gone(); strings.Contains(why, "hangs") != hangs || len(r.Findings) == 0 {
				t.Errorf("hangs %t: %q, %d findings", hangs, why, len(r.Findings))
			}
		})
	}
}

// The owner's key is wrong only if every operation refuses it.
func TestOwnerRefused(t *testing.T) {
	for name, test := range map[string]struct {
		accepts string // the method whose operation accepts the key
		refused bool
	}{"by all": {"", true}, "by the others": {http.MethodDelete, false}} {
		s := newShop()
		s.hook = func(_, method, _ string, _ map[string]any) int {
			if method == test.accepts {
				return 0
			}
			return 401
		}
		one, _ := newTestSession(t, s)
		if got := one.OwnerRefused(t.Context(), one.Model.Contract.Operations); got != test.refused {
			t.Errorf("%s: %t, after %q", name, got, s.takes())
		}
	}
}

// After refused requests that nothing followed, objects are looked at once more.
func TestLookBack(t *testing.T) {
	s := newShop()
	s.hook = func(user, _, _ string, body map[string]any) int {
		if user == "stranger" && len(body) > 0 { // it is refused, and carried out
			s.objects["/campaigns/25"]["name"] = body["name"]
		}
		return 0
	}
	one, r := s.visit(t, "updateCampaign", false, func(c *session.T) {
		o := c.Object(c.Test.Case.Operation, "campaign")
		c.Survey(o)
		c.Ask(judge.Call{Op: o.Op, Object: o, As: c.Known().Stranger(), Body: oracle.ObjectBody(c.Ordinary(o, 5))},
			judge.Expect{Statuses: []int{403}, Clause: "AUTH-2"})
		s.takes()
	})
	ended, end := context.WithCancel(t.Context())
	end()
	one.LookBack(ended)
	if sent := s.takes(); len(sent) > 0 {
		t.Errorf("after the end of the run it sends %q", sent)
	}
	one.LookBack(t.Context())
	if diff := cmp.Diff([]string{"GET /campaigns/25"}, s.takes()); diff != "" {
		t.Error(diff)
	}
	one.Model.Outcome.InOrder() // until then the case that ended keeps its result
	if len(r.Findings) != 1 || r.Findings[0].Clause != "EFFECT-1" {
		t.Errorf("found %+v", r.Findings)
	}
}

// Two requests at once are judged in the order in which they took effect.
func TestSendAround(t *testing.T) {
	s := newShop()
	_, r := s.visit(t, "updateCampaign", false, func(c *session.T) {
		o := c.Object(c.Test.Case.Operation, "campaign")
		call := func(as wire.Credential) judge.Call {
			return judge.Call{Op: o.Op, Object: o, As: as, Body: oracle.ObjectBody(c.Ordinary(o, 0))}
		}
		answers, met := c.SendAround(call(c.Known().Owner()), call(c.Known().Stranger()))
		if met || answers[0].Status != 403 || answers[1].Status != 200 {
			t.Errorf("met %t: %d, then %d", met, answers[0].Status, answers[1].Status)
		}
		if all := c.SendInOrder(call(c.Known().Owner()), call(c.Known().Owner())); len(all) != 2 {
			t.Errorf("%d answers", len(all))
		}
		if got := c.UserID(); got != "41" {
			t.Errorf("the owner's id is %q", got)
		}
	})
	if len(r.Exchanges) != 4 {
		t.Errorf("%d exchanges", len(r.Exchanges))
	}
}

// The findings of a trial count only if they are adopted, with the steps that led to them.
func TestTrials(t *testing.T) {
	s := newShop()
	s.hook = func(_, method, _ string, _ map[string]any) int { return map[string]int{http.MethodGet: 500}[method] }
	for _, adopts := range []bool{false, true} {
		_, r := s.visit(t, "updateCampaign", false, func(c *session.T) {
			o := c.Object(c.Test.Case.Operation, "campaign")
			trial := c.Trial()
			trial.Ask(judge.Call{Op: o.Op, Method: http.MethodGet, Object: o, As: c.Known().Owner()}, judge.Expect{OnlyCrash: true})
			if tried, own := trial.Findings(), c.Findings(); len(tried) != 1 || len(own) > 0 {
				t.Errorf("findings of the trial %v, of the case %v", tried, own)
			}
			if adopts {
				trial.Adopt(trial.Findings()[0], "7 0", []string{"one step", "another"})
			}
		})
		if (len(r.Findings) == 1) != adopts || adopts && !strings.HasSuffix(r.Findings[0].Got, "; after one step, then another") {
			t.Errorf("adopts %t: %+v", adopts, r.Findings)
		}
	}
}

// What an ended context or a server that is gone leaves undone has its reason.
func TestReasons(t *testing.T) {
	s := newShop()
	one, op := newTestSession(t, s)
	if r := one.Skip(&judge.Case{ID: "skipped", Operation: op}, "because"); r.Reason != "because" || r.Status != judge.NotTested {
		t.Errorf("%+v", r)
	}
	one.Model.Target.Objects["campaign"] = nil
	lacking := &judge.Case{ID: "lacking", Operation: op, Needs: []string{"campaign"}}
	if r := one.Run(t.Context(), lacking); !r.Missing || r.Cause != judge.ByOperator {
		t.Errorf("%+v", r)
	}
	for want, cause := range map[string]error{
		"the deadline of 3s passed": session.Deadline{After: 3 * time.Second},
		"the run was interrupted":   context.Canceled,
		"stopped 2s before the test's deadline, to restore objects and report: raise go test -timeout": session.Deadline{
			Ends: 2 * time.Second,
		},
	} {
		ctx, end := context.WithCancelCause(t.Context())
		end(cause)
		if got := session.StopReason(ctx); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
