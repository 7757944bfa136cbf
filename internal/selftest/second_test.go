package selftest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"golang.org/x/sync/errgroup"

	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/traffic"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/suites/report"
)

// The second judge is check with a target file: it judges what a run sent and got without knowing which case sent it,
// or what that case expects. On a variant it finds nothing; on a fault it finds a clause that the fault breaks, but for
// those in testdata/second_judge.txt, which it cannot see or does not judge yet. That list only shrinks.

// excused is the file with the ids of faults that the second judge need not find.
var excused = filepath.Join("testdata", "second_judge.txt")

// judgedByState matches the faults that show only in what several exchanges show together, as most of them do.
var judgedByState = regexp.MustCompile(`^(effect|delete|list|last-page|gone|alive|life|refused|page|user|replica|shown|permission)/`)

// archive returns what an HTTP Archive of a recorded run would hold, with the bodies as they came and the names of
// keys.
func (row *recordedRow) archive(s *served) (*traffic.Archive, error) {
	base, err := url.Parse(row.BaseURL)
	if err != nil {
		return nil, err
	}
	a := new(traffic.Archive)
	for _, one := range row.Exchanges {
		if one.Err != nil && one.Err.Kind == wire.Unsent {
			continue
		}
		asked := one.Request
		isShown := asked.Credential.Public || strings.ContainsFunc(asked.Credential.Value, func(r rune) bool { return r > unicode.MaxASCII })
		if key := &asked.Credential; key.Value != "" && !isShown {
			key.Value = "$" + wire.Variable(key.Name)
		}
		written, isMalformed := asked.OnWire(s.config.Target)
		op, _ := s.config.Contract.Match(written.Method, written.Path)
		e := traffic.Entry{Base: row.BaseURL, Exchange: &wire.Exchange{
			Request: wire.Request{Method: written.Method, Path: base.EscapedPath() + written.Path, Header: written.Header, Body: written.Body},
			Start:   one.Start, Duration: max(one.Duration, 1), Unsure: one.Unsure,
		}}
		switch {
		case one.Err != nil:
			e.Missing = traffic.Aborted
		case isMalformed, one.Around, op == nil:
			e.Missing = traffic.OutOfScope
		}
		if one.Err == nil {
			answer := *one.Response
			e.Response = &answer
		}
		a.Entries = append(a.Entries, e)
	}
	return a, nil
}

// judgeAgain judges the recorded exchanges of a fault or variant as check does.
func (row *recordedRow) judgeAgain(ctx context.Context, t *faults.Server) (*report.Report, error) {
	s, err := new(Options).serve(ctx, t) // for its configuration
	if err != nil {
		return nil, err
	}
	if err := s.stop(); err != nil {
		return nil, err
	}
	s.config.Target.BaseURL = row.BaseURL
	a, err := row.archive(s)
	if err != nil {
		return nil, err
	}
	return engine.Check(s.config, a)
}

// A secondJudgement is what the second judge makes of a fault or variant.
type secondJudgement struct {
	wrong    []string // findings on a variant
	isMissed bool     // no finding proves the fault
}

func newJudgement(t *faults.Server, r *report.Report) (is secondJudgement) {
	is.isMissed = t.Clause != ""
	for _, c := range r.Results {
		for _, f := range c.Findings {
			if isProof(f.Clause, f.Severity, t) {
				is.isMissed = false
			}
			if t.Clause == "" && f.Severity != report.Notice {
				is.wrong = append(is.wrong, fmt.Sprintf("%s: expected %s; got %s; %s", f.Clause, f.Expected, f.Got, f.Curl))
			}
		}
	}
	return is
}

// judgeAll judges the rows of a recording that are wanted again, as many at a time as there are processors.
func judgeAll(ctx context.Context, from string, wanted func(*faults.Server) bool, take func(id string, is secondJudgement)) error {
	trials := allRows()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	var taking sync.Mutex
	err := recordedRows(from, func(row *recordedRow) error {
		i := slices.IndexFunc(trials, func(s faults.Server) bool { return s.ID == row.ID })
		if i < 0 || !wanted(&trials[i]) {
			return ctx.Err()
		}
		group.Go(func() error {
			r, err := row.judgeAgain(ctx, &trials[i])
			if err != nil {
				return fmt.Errorf("%s: %w", row.ID, err)
			}
			taking.Lock()
			defer taking.Unlock()
			take(row.ID, newJudgement(&trials[i], r))
			return nil
		})
		return nil
	})
	if err := group.Wait(); err != nil {
		return err
	}
	return err
}

// It judges every fourth row of the recorded sample and, without -short, runs of every variant and of every fourth
// fault that shows in what several exchanges show together; with -replay, what that recording holds of these.
func TestSecondJudge(t *testing.T) {
	t.Parallel()
	only, err := regexp.Compile(*rows)
	noError(t, err)
	text, err := os.ReadFile(excused)
	noError(t, err)
	list := strings.Fields(string(text))
	wanted := func(s *faults.Server) bool {
		isSampled := s.Clause == "" || faults.Sampled(s.ID, 4)
		return isSampled && only.MatchString(s.ID)
	}
	recordings := []string{sample}
	switch {
	case *replayFrom != "":
		recordings = []string{*replayFrom}
	case !testing.Short():
		recordings = append(recordings, filepath.Join(t.TempDir(), "recording"))
		noError(t, recordAll(t.Context(), recordings[1], slices.DeleteFunc(allRows(), func(s faults.Server) bool {
			isJudged := s.Clause == "" || judgedByState.MatchString(s.ID)
			return !isJudged || !wanted(&s)
		}), false))
	}
	judged := 0
	for _, from := range recordings {
		noError(t, judgeAll(t.Context(), from, wanted, func(id string, is secondJudgement) {
			judged++
			for _, line := range is.wrong {
				t.Errorf("the variant %s is flagged: %s", id, line)
			}
			switch isExcused := slices.Contains(list, id); {
			case is.isMissed && !isExcused:
				t.Errorf("the fault %s is not found", id)
			case !is.isMissed && isExcused:
				t.Errorf("the fault %s is found: take it off %s", id, excused)
			}
		}))
	}
	if judged == 0 {
		t.Error("no row was judged")
	}
}
