package selftest

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"

	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
)

var (
	replayFrom = flag.String("replay", "", "run the suite on the answers in this recording, a `file`, and list what differs")
	explained  = flag.String("explained", "", "a `file` with a regular expression a line: the differences of a replay that are wanted")
)

// A player is a client that sends nothing. It answers with the next exchange of the case in a recording, as long as the
// case asks what it asked then. It waits for nothing: its exchanges have the times of the recording.
type player struct {
	*wire.Client
	stop func() // ends the run

	mu        sync.Mutex
	left      map[string][]recordedExchange // by case
	asked     map[string]int                // by case
	keys      map[string]string             // of users, once one was renewed
	otherwise string                        // the first request that was not recorded
}

// newPlayer returns a player of a row; stop ends the run, once it asks otherwise.
func newPlayer(row *recordedRow, stop func()) *player {
	p := &player{stop: stop, left: map[string][]recordedExchange{}, asked: map[string]int{}}
	for _, one := range row.Exchanges {
		p.left[one.Case] = append(p.left[one.Case], one)
	}
	return p
}

// Do implements session.Client.
func (p *player) Do(_ context.Context, caseID string, request wire.Request) *wire.Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[caseID]++
	left := p.left[caseID]
	switch {
	case p.otherwise != "":
	case len(left) == 0:
		p.goOtherwise(caseID, "there is no more", request)
	case !asksSame(left[0].Request, request):
		p.goOtherwise(caseID, inShort(left[0].Request), request)
	}
	ex := &wire.Exchange{Err: &wire.TransportError{Kind: wire.Canceled, Detail: "not recorded"}}
	if p.otherwise == "" {
		ex, p.left[caseID] = left[0].Exchange, left[1:]
		if left[0].Keys != nil {
			p.keys = left[0].Keys
		}
	}
	p.Replay(ex, caseID, request)
	return ex
}

// DoAll implements session.Client.
func (p *player) DoAll(ctx context.Context, caseID string, _ wire.Way, requests ...wire.Request) (all []*wire.Exchange) {
	for _, request := range requests {
		all = append(all, p.Do(ctx, caseID, request))
	}
	return all
}

// Key implements session.Client.
func (p *player) Key(user string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if key, renewed := p.keys[user]; renewed {
		return key
	}
	return p.Client.Key(user)
}

// Pause implements session.Client.
func (p *player) Pause(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// goOtherwise notes the first request that was not recorded. What follows it cannot be compared.
func (p *player) goOtherwise(caseID, recorded string, request wire.Request) {
	p.otherwise = fmt.Sprintf("asks otherwise from request %d of %s on: recorded: %s; now: %s",
		p.asked[caseID], caseID, recorded, inShort(request))
	p.stop()
}

// asksSame reports whether two requests are the same on the wire. How a finding would name their parts may differ.
func asksSame(a, b wire.Request) bool {
	sameBody := bytes.Equal(a.Body, b.Body)
	a.Parts, b.Parts, a.Body, b.Body = nil, nil, nil, nil
	return sameBody && cmp.Equal(a, b, cmpopts.EquateEmpty())
}

// inShort describes a request in a line.
func inShort(r wire.Request) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s as %s %s", r.Method, r.Path, r.Credential, wording.Clip(string(r.Body), 80)))
}

// unasked says which requests of a recording were not asked for.
func (p *player) unasked() (lines []string) {
	for _, id := range slices.Sorted(maps.Keys(p.left)) {
		if left := len(p.left[id]); left > 0 {
			lines = append(lines, fmt.Sprintf("asks less: %s of %s", wording.Count(left, "request"), id))
		}
	}
	return lines
}

// since lists what differs from a recorded conclusion. The level of a run that leaves out cases is another one.
func (c conclusion) since(recorded conclusion, sameCases bool) (lines []string) {
	if c.Verdict != recorded.Verdict {
		lines = append(lines, fmt.Sprintf("verdict: was %s, is %s", recorded.Verdict, c.Verdict))
	}
	if c.Level != recorded.Level && sameCases {
		lines = append(lines, fmt.Sprintf("level: was %s, is %s", recorded.Level, c.Level))
	}
	for _, line := range recorded.Findings {
		if !slices.Contains(c.Findings, line) {
			lines = append(lines, "lost: "+line)
		}
	}
	for _, line := range c.Findings {
		if !slices.Contains(recorded.Findings, line) {
			lines = append(lines, "new: "+line)
		}
	}
	return lines
}

// replay runs the suite on a recording in place of the fault or variant, and lists what differs. Cases that were not
// recorded are left out.
func (row *recordedRow) replay(ctx context.Context, t *faults.Server) ([]string, error) {
	s, err := new(Options).serve(ctx, t) // for its configuration
	if err != nil {
		return nil, err
	}
	s.alone()
	s.config.Target.BaseURL = row.BaseURL
	recorded := map[string]bool{}
	for _, id := range row.Cases {
		recorded[id] = true
	}
	isRecorded := func(c *judge.Case) bool { return recorded[c.ID] }
	all := s.config.Plan()
	hasNew := slices.ContainsFunc(all, func(c *judge.Case) bool { return !isRecorded(c) })
	sameCases := !hasNew && len(all) == len(recorded)
	if hasNew || row.Selection {
		s.config.Select = isRecorded
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	p := newPlayer(row, stop)
	s.config.Wrap = func(c *wire.Client) session.Client {
		p.Client = c
		return p
	}
	r, err := engine.Execute(running, s.config)
	switch err := errors.Join(err, s.stop(), ctx.Err()); {
	case err != nil:
		return nil, err
	case p.otherwise != "":
		return []string{p.otherwise}, nil
	}
	return append(concluded(r).since(row.Shown, sameCases), p.unasked()...), nil
}

// differences replays the rows of a recording that are wanted, and lists what differs, a line each, sorted.
func differences(ctx context.Context, from string, wanted func(id string) bool) (lines []string, replayed int, err error) {
	trials := allRows()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	var adding sync.Mutex
	add := func(id string, more ...string) {
		adding.Lock()
		defer adding.Unlock()
		for _, line := range more {
			lines = append(lines, id+": "+line)
		}
	}
	err = recordedRows(from, func(row *recordedRow) error {
		if ctx.Err() != nil || !wanted(row.ID) {
			return ctx.Err()
		}
		replayed++
		i := slices.IndexFunc(trials, func(s faults.Server) bool { return s.ID == row.ID })
		if i < 0 {
			add(row.ID, "there is no such fault or variant any more")
			return nil
		}
		group.Go(func() error {
			more, err := row.replay(ctx, &trials[i])
			add(row.ID, more...)
			return err
		})
		return nil
	})
	err = errors.Join(group.Wait(), err)
	slices.Sort(lines)
	return lines, replayed, err
}

// readExplained returns the expressions of a list of explained differences: its lines, but for those that begin with #.
func readExplained(t *testing.T, file string) (all []*regexp.Regexp) {
	t.Helper()
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	noError(t, err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			expression, err := regexp.Compile(line)
			noError(t, err)
			all = append(all, expression)
		}
	}
	return all
}

// TestReplay replays a recording, for make replay. It fails if a difference is not explained.
func TestReplay(t *testing.T) {
	if *replayFrom == "" {
		t.Skip("make replay runs it")
	}
	only, err := regexp.Compile(*rows)
	noError(t, err)
	wanted := readExplained(t, *explained)
	lines, replayed, err := differences(t.Context(), *replayFrom, only.MatchString)
	noError(t, err)
	open := slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return slices.ContainsFunc(wanted, func(e *regexp.Regexp) bool { return e.MatchString(line) })
	})
	for _, line := range open {
		fmt.Println(line)
	}
	fmt.Printf("%d rows replayed: %d differences, and %d that are explained\n", replayed, len(open), len(lines)-len(open))
	if len(open) > 0 {
		t.Fail()
	}
}

// The suite judges the recorded answers of a sample as it did when they were recorded. A change of what cases send
// takes the rows that it concerns out of the comparison; more than half must be left.
func TestSampleReplays(t *testing.T) {
	t.Parallel()
	lines, replayed, err := differences(t.Context(), sample, func(id string) bool {
		return !testing.Short() || faults.Sampled(id, 4)
	})
	noError(t, err)
	asking := map[string]bool{}
	for _, line := range lines {
		if id, what, _ := strings.Cut(line, ": "); strings.HasPrefix(what, "asks ") {
			asking[id] = true
			t.Log(line)
		}
	}
	for _, line := range lines {
		if id, _, _ := strings.Cut(line, ": "); !asking[id] {
			t.Error(line)
		}
	}
	if 2*len(asking) >= replayed {
		t.Errorf("%d of %d rows ask otherwise than when they were recorded", len(asking), replayed)
	}
	if t.Failed() {
		t.Log("if that is wanted, make record-sample; make replay shows what differs on all faults and variants")
	}
}

// A suite that judges otherwise, or asks otherwise, does not pass for the recorded one.
func TestReplayShowsDifferences(t *testing.T) {
	t.Parallel()
	fault := faultByID(t, "delete/again-204")
	recording := filepath.Join(t.TempDir(), "recording")
	noError(t, recordAll(t.Context(), recording, []faults.Server{fault}, true))
	for name, row := range map[string]struct {
		change func(*recordedRow)
		want   string
	}{
		"nothing":               {func(*recordedRow) {}, ""},
		"a finding is lost":     {func(r *recordedRow) { r.Shown.Findings = append(r.Shown.Findings, "x: y") }, "lost: x: y"},
		"a finding is new":      {func(r *recordedRow) { r.Shown.Findings = r.Shown.Findings[1:] }, "new: "},
		"the verdict":           {func(r *recordedRow) { r.Shown.Verdict = "conforming" }, "verdict: was conforming, is nonconforming"},
		"a request is new":      {func(r *recordedRow) { r.Exchanges = r.Exchanges[:300] }, "asks otherwise from request "},
		"a request is another":  {func(r *recordedRow) { r.Exchanges[300].Request.Method = "PUT" }, "asks otherwise from request "},
		"a request is not sent": {func(r *recordedRow) { r.Exchanges = append(r.Exchanges, r.Exchanges[300]) }, "asks less: 1 request of "},
		"a case is new": {func(r *recordedRow) {
			const added = "listCreativeMediaFiles/401/changed-key"
			r.Cases = slices.DeleteFunc(r.Cases, func(id string) bool { return id == added })
			r.Exchanges = slices.DeleteFunc(r.Exchanges, func(one recordedExchange) bool { return one.Case == added })
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			noError(t, recordedRows(recording, func(r *recordedRow) error {
				row.change(r)
				lines, err := r.replay(t.Context(), &fault)
				if all := strings.Join(lines, "\n"); (row.want == "") != (all == "") || !strings.Contains(all, row.want) {
					t.Errorf("the differences are %q, want %q", all, row.want)
				}
				return err
			}))
		})
	}
}
