package selftest

import (
	"context"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"io"
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

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// A recording holds, for faults and variants, what was on the wire of a run and what the suite made of it. A later
// suite is run on the recorded answers in place of a server (replay_test.go): what it finds else is due to the suite
// alone.
//
// What is recorded is above the client: each request that the suite gave it, and the exchange that it returned after
// all its waiting. So a replay tests whatever judges answers and chooses requests, but not wire. A recorded run has one
// worker, which makes the order of its requests that of the plan, and is not cut short when the fault is found.

var (
	recordTo = flag.String("record", "", "record every fault and variant, or those of -rows, into this `file`")
	rows     = flag.String("rows", "", "of a recording or a replay: only the faults and variants whose id matches this `regexp`")
	resample = flag.Bool("record-sample", false, "record the sample in testdata again")
)

// A recordedRow is the recording of one fault or variant.
type recordedRow struct {
	ID        string
	BaseURL   string
	Cases     []string // of the plan
	Selection bool     // the cases were run as a selection, which judges less, but more cases do not change what is judged
	Exchanges []recordedExchange
	Shown     conclusion

	// In a file, texts have numbers, see library.
	Texts [][]byte // those that no row before it has
	Anew  bool     // the numbers begin again
	Plan  int      // the number of Cases, a line each
}

// A recordedExchange is an exchange and the keys of the users after it, if they were renewed.
type recordedExchange struct {
	*wire.Exchange
	Keys map[string]string

	Asked, Answered int // in a file, the numbers of the bodies
}

// A conclusion is what a replay compares.
type conclusion struct {
	Verdict  report.Verdict
	Level    report.Level
	Findings []string // a line each, sorted
}

// concluded returns the conclusion of a report.
func concluded(r *report.Report) conclusion {
	is := conclusion{Verdict: r.Verdict, Level: r.Level}
	for _, c := range r.Results {
		for _, f := range c.Findings {
			is.Findings = append(is.Findings,
				fmt.Sprintf("%s: %s of %s by %s in %s: %s", c.ID, f.Severity, f.Clause, f.Operation, f.Check, f.CauseWords))
		}
	}
	slices.Sort(is.Findings)
	is.Findings = slices.Compact(is.Findings)
	return is
}

// alone makes the configuration of a run one with a single worker.
func (s *served) alone() { s.config.Target.Limits.Concurrency = 1 }

// users are those whose keys may be renewed.
var users = []string{judge.OwnerName, judge.StrangerName}

// A recorder is a client that records what it sends.
type recorder struct {
	*wire.Client
	row   *recordedRow
	first map[string]string // the keys at the beginning
	mu    sync.Mutex
}

// recordingInto returns a client that records into a row, for engine.Config.Wrap.
func recordingInto(row *recordedRow) func(*wire.Client) session.Client {
	return func(c *wire.Client) session.Client {
		r := &recorder{Client: c, row: row}
		r.first = r.keys()
		return r
	}
}

func (r *recorder) keys() map[string]string {
	all := map[string]string{}
	for _, user := range users {
		all[user] = r.Key(user)
	}
	return all
}

// Do implements session.Client.
func (r *recorder) Do(ctx context.Context, caseID string, request wire.Request) *wire.Exchange {
	ex := r.Client.Do(ctx, caseID, request)
	r.add(ex)
	return ex
}

// DoAll implements session.Client.
func (r *recorder) DoAll(ctx context.Context, caseID string, way wire.Way, requests ...wire.Request) []*wire.Exchange {
	all := r.Client.DoAll(ctx, caseID, way, requests...)
	r.add(all...)
	return all
}

// add records copies, as the suite changes some exchanges, without what a replay makes again.
func (r *recorder) add(all ...*wire.Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, ex := range all {
		same := *ex
		same.URL, same.Request.Parts = "", nil
		same.Start, same.Written = same.Start.Truncate(time.Microsecond), same.Written.Truncate(time.Microsecond)
		if ex.Response != nil {
			answer := *ex.Response
			same.Response = &answer
		}
		one := recordedExchange{Exchange: &same}
		if keys := r.keys(); !maps.Equal(keys, r.first) {
			one.Keys = keys
		}
		r.row.Exchanges = append(r.row.Exchanges, one)
	}
}

// recordRow runs the suite on a fault or variant.
func recordRow(ctx context.Context, t *faults.Server, selection bool) (*recordedRow, error) {
	s, err := new(Options).serve(ctx, t)
	if err != nil {
		return nil, err
	}
	s.alone()
	if selection {
		s.config.Select = func(*judge.Case) bool { return true }
	}
	row := &recordedRow{ID: t.ID, BaseURL: s.config.Target.BaseURL, Selection: selection}
	for _, c := range s.config.Plan() {
		row.Cases = append(row.Cases, c.ID)
	}
	s.config.Wrap = recordingInto(row)
	r, err := engine.Execute(ctx, s.config)
	if err := errors.Join(err, s.stop(), ctx.Err()); err != nil {
		return nil, fmt.Errorf("%s: %w", t.ID, err)
	}
	row.Shown = concluded(r)
	return row, nil
}

// window is the size in bytes of what a recording may refer to: rows resemble one another, and have a megabyte each.
const window = 64 << 20

// recordAll records faults and variants into a file, in the order in which they end.
func recordAll(ctx context.Context, to string, trials []faults.Server, selection bool) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	file, err := os.Create(to)
	if err != nil {
		return err
	}
	defer file.Close()
	level := zstd.SpeedFastest // the best takes longer than the runs
	if selection {
		level = zstd.SpeedBestCompression // the sample is kept in the repository
	}
	packed, err := zstd.NewWriter(file, zstd.WithEncoderLevel(level), zstd.WithWindowSize(window))
	if err != nil {
		return err
	}
	out, shared := gob.NewEncoder(packed), new(library)
	var writing sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4 * runtime.GOMAXPROCS(0)) // a run with one worker spends much of its time waiting
	for _, t := range trials {
		group.Go(func() error {
			row, err := recordRow(ctx, &t, selection)
			if err != nil {
				return err
			}
			writing.Lock()
			defer writing.Unlock()
			row.pack(shared)
			return out.Encode(row)
		})
	}
	return errors.Join(group.Wait(), packed.Close(), file.Close())
}

// recordedRows calls use with each row of a recording.
func recordedRows(from string, use func(*recordedRow) error) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	unpacked, err := zstd.NewReader(file, zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	defer unpacked.Close()
	in, shared := gob.NewDecoder(unpacked), new(library)
	for {
		row := new(recordedRow)
		switch err := in.Decode(row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s: %w", from, err)
		}
		row.unpack(shared)
		if err := use(row); err != nil {
			return err
		}
	}
}

// A library numbers the texts of a recording, which are mostly the same in each row. The numbers begin at 1; 0 is no
// text.
type library struct {
	texts   [][]byte
	numbers map[string]int
	size    int // in bytes
}

// librarySize is the number of bytes from which a library is emptied, so that a long recording does not take all
// memory.
const librarySize = 64 << 20

// pack moves the texts of a row that are not in the library yet into Texts, and leaves numbers in their places.
func (row *recordedRow) pack(l *library) {
	if row.Anew = l.size >= librarySize || l.numbers == nil; row.Anew {
		*l = library{numbers: map[string]int{}}
	}
	number := func(text []byte) int {
		n, known := l.numbers[string(text)]
		if !known && len(text) > 0 {
			l.texts, row.Texts = append(l.texts, text), append(row.Texts, text)
			n, l.size = len(l.texts), l.size+len(text)
			l.numbers[string(text)] = n
		}
		return n
	}
	row.Plan, row.Cases = number([]byte(strings.Join(row.Cases, "\n"))), nil
	for i := range row.Exchanges {
		one := &row.Exchanges[i]
		one.Asked, one.Request.Body = number(one.Request.Body), nil
		if one.Response != nil {
			one.Answered, one.Response.Body = number(one.Response.Body), nil
		}
	}
}

// unpack undoes pack.
func (row *recordedRow) unpack(l *library) {
	if row.Anew {
		l.texts = nil
	}
	l.texts = append(l.texts, row.Texts...)
	text := func(n int) []byte {
		if n == 0 {
			return nil
		}
		return l.texts[n-1]
	}
	row.Cases = strings.Split(string(text(row.Plan)), "\n")
	for i := range row.Exchanges {
		one := &row.Exchanges[i]
		one.Request.Body = text(one.Asked)
		if one.Response != nil {
			one.Response.Body = text(one.Answered)
		}
	}
}

// allRows returns every fault and variant.
func allRows() []faults.Server { return append(faults.All(spec.Load()), faults.Variants()...) }

// TestRecord makes a recording, for make record and make record-sample.
func TestRecord(t *testing.T) {
	if *recordTo == "" && !*resample {
		t.Skip("make record runs it")
	}
	only, err := regexp.Compile(*rows)
	noError(t, err)
	began, to := time.Now(), *recordTo
	trials := slices.DeleteFunc(allRows(), func(s faults.Server) bool {
		return !only.MatchString(s.ID) || *resample && !slices.Contains(sampledRows, s.ID)
	})
	if *resample {
		to = sample
	}
	noError(t, recordAll(t.Context(), to, trials, *resample))
	fmt.Printf("%d rows recorded in %.0f s: %s\n", len(trials), time.Since(began).Seconds(), to)
}

// sample is the recording of sampledRows, less than 2 MB.
var sample = filepath.Join("testdata", "sample.recording")

// sampledRows are faults and variants of each topic whose runs are short.
var sampledRows = strings.Fields(`
	alive/lists
	auth/any-basic/updateConnectionProfileRuleHost
	auth/any-bearer/deleteCreative
	coercion/name-number-ignored/updateCampaign
	conditional/304-for-nobody
	connection/5th-broken-off/updateCampaign
	crash/container/deleteCreative
	decoding/coding-empties/updateCampaign
	delete/204-with-body
	delete/again-204
	delete/file-stays
	deleteCreative/403/error.responseCode-dropped
	effect/alone-ignored-name/updateConnectionProfile
	effect/case-ignored-name/updateCampaign
	gone/file/updateCampaign
	last-page/removes/deleteCreative
	list/changing-width
	listCreativeMediaFiles/422/text-not-a-number
	listCreativeMediaFiles/success/data.latestScanStatus-as-string
	name/taken-refused-and-made/updateCampaign
	open/pinned-dateFormat
	page/total-one-more
	path/32-bit/deleteCreative/creativeId
	permission/stranger-allowed/deleteCreative
	refused/401-any-key/updateCampaign
	refused/403-stranger/updateConnectionProfileRuleHost
	refused/404-wrong-parent/updateConnectionProfileRuleHost
	shown/createdAt-now/updateConnectionProfile
	transport/garbage/deleteCreative
	transport/length-too-small/updateConnectionProfileRuleHost
	updateCampaign/422/issue-type-empty
	updateCampaign/success/data.createdAt-null
	user/renamed-by-body/updateCampaign
	validation/conflict/updateConnectionProfile
	value/cut-12/updateCampaign/name

	answer/date-compact
	body/all-fields-required
	combined/lenient
	dialect/everything
	wire/clock-slow
`)
