package selftest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/faults"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/session"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
)

// The model of the document is a second judge of the status of each answer. It knows the traffic, and neither the cases
// that send it nor what they expect.

// A tap is a client that keeps its traffic for the second judge.
type tap struct {
	*wire.Client
	target *fixtures.Target

	mu    sync.Mutex
	users map[string]model.User // by each key that a user had
	seen  []tapped
}

// A tapped exchange is as it was when it ended.
type tapped struct {
	wire.Exchange
	halved bool
}

func (c *tap) Do(ctx context.Context, caseID string, request wire.Request) *wire.Exchange {
	ex := c.Client.Do(ctx, caseID, request)
	c.keep(false, ex)
	return ex
}

func (c *tap) DoAll(ctx context.Context, caseID string, way wire.Way, requests ...wire.Request) []*wire.Exchange {
	all := c.Client.DoAll(ctx, caseID, way, requests...)
	c.keep(way == wire.Around, all...)
	return all
}

// keep keeps exchanges. Of two that are sent around one another the second is sent in halves.
func (c *tap) keep(around bool, all ...*wire.Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, user := range map[string]model.User{judge.OwnerName: model.Owner, judge.StrangerName: model.Stranger} {
		c.users[c.Key(name)] = user
	}
	for i, ex := range all {
		c.seen = append(c.seen, tapped{*ex, around && i == 1})
	}
}

// tapping makes a run keep its traffic.
func tapping(c *engine.Config) *tap {
	t := &tap{target: c.Target, users: map[string]model.User{}}
	c.Wrap = func(client *wire.Client) session.Client {
		t.Client = client
		return t
	}
	return t
}

// A secondJudge judges traffic in the order in which it began.
type secondJudge struct {
	contract *spec.Contract
	target   *fixtures.Target
	users    map[string]model.User
	seen     []tapped
	deletes  []deletion
	senders  map[string][]string // paths to which a text was sent, by the text
}

// A deletion is a request to delete something, which may have been carried out.
type deletion struct {
	tapped
	id        spec.ID
	isCertain bool
}

// breaches returns the answers that the model does not allow, by the number of the exchange.
func (j *secondJudge) breaches() map[int]breach {
	found := map[int]breach{}
	slices.SortFunc(j.seen, func(a, b tapped) int { return a.Seq - b.Seq })
	for _, ex := range j.seen {
		j.noteDelete(ex)
	}
	for _, ex := range j.seen {
		if ex.Err != nil || isOfOthers(ex.Response.Status) {
			continue
		}
		a, sent := j.right(ex)
		if why := j.wrong(a, ex); why != "" {
			words := fmt.Sprintf("%s %s as %s: %s", sent.Method, sent.Path, a.User, why)
			found[ex.Seq] = breach{ex.Case, a.Expect().Clause, words}
		}
	}
	return found
}

// isOfOthers reports whether a status may be the word of a limiter or a gateway.
func isOfOthers(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// noteDelete notes a delete that was, or may have been, carried out.
func (j *secondJudge) noteDelete(ex tapped) {
	op, ids := j.contract.Match(ex.Request.Method, ex.Request.Path)
	if op == nil || !op.Deletes() {
		return
	}
	isLost := ex.Err != nil || ex.Unsure || ex.Response.Status >= http.StatusInternalServerError
	if isCertain := !isLost && ex.Response.Status == http.StatusNoContent; isLost || isCertain {
		j.deletes = append(j.deletes, deletion{ex, spec.ID(ids[0]), isCertain})
	}
}

// right asks the model about a request.
func (j *secondJudge) right(ex tapped) (model.Allowed, model.Request) {
	sent, malformed := ex.Request.OnWire(j.target)
	r := model.Request{
		Method: sent.Method, Path: sent.Path, Header: sent.Header, Body: sent.Body, Proto: sent.Proto,
		Halved: ex.halved, Malformed: malformed,
	}
	path, _, _ := strings.Cut(sent.Path, "?")
	w := model.World{
		Contract: j.contract, Target: j.target, Users: j.users,
		Existence: func(kind string, id spec.ID) (model.Existence, bool) { return j.existence(ex, kind, id) },
		Unique: func(text string) bool {
			isOthers := func(at string) bool { return at != path }
			return len(fixtures.Tokens(strings.ToLower(text))) > 0 && !slices.ContainsFunc(j.senders[text], isOthers)
		},
	}
	a := w.Right(r)
	for text := range strings.SplitSeq(string(sent.Body), `"`) {
		j.senders[text] = append(j.senders[text], path)
	}
	return a, r
}

// existence returns what the traffic shows of an id when a request was sent.
func (j *secondJudge) existence(ex tapped, kind string, id spec.ID) (model.Existence, bool) {
	if kind == fixtures.KindOf("vastCreative") {
		for _, d := range j.deletes {
			switch {
			case d.id != id:
			case d.isCertain && !d.Start.Add(d.Duration).After(ex.Start):
				return model.Deleted, true
			case (d.Seq != ex.Seq || ex.Unsure) && d.Start.Before(ex.Start.Add(ex.Duration)):
				return model.Unclear, true
			}
		}
		if files := j.filesOf(id); files != nil && !slices.ContainsFunc(files, func(file spec.ID) bool { return !j.isDeleted(ex, file) }) {
			return model.Empty, true
		}
	}
	n, isInteger := id.Integer()
	const top, below = 1<<31 - 1, 1000
	return model.Absent, isInteger && n > top-below
}

// isDeleted reports whether a delete of an object may have been carried out before a request was answered.
func (j *secondJudge) isDeleted(ex tapped, id spec.ID) bool {
	return slices.ContainsFunc(j.deletes, func(d deletion) bool { return d.id == id && d.Start.Before(ex.Start.Add(ex.Duration)) })
}

// filesOf returns the ids of the files of a container that the target file names, nil if it does not say which they
// are.
func (j *secondJudge) filesOf(id spec.ID) []spec.ID {
	for _, key := range slices.Sorted(maps.Keys(j.target.Objects)) {
		for _, o := range j.target.Objects[key] {
			if o.ID == id && (o.MediaFileCount == 0 || key == "emptyVastCreative") && fixtures.Vast(key) {
				return []spec.ID{}
			}
			if o.ID == id && o.MediaFileIDs != nil {
				return o.MediaFileIDs
			}
		}
	}
	return nil
}

// wrong returns why an answer is not right, or "".
func (j *secondJudge) wrong(a model.Allowed, ex tapped) string {
	e, status := a.Expect(), ex.Response.Status
	body, err := wire.Decode(ex.Response.Header.Get("Content-Encoding"), ex.Response.Body, 1<<24)
	if err != nil {
		return ""
	}
	value := oracle.Decode(body)
	if a.Op == nil || e.OnlyCrash {
		if status >= 500 && !slices.Contains(e.Statuses, status) {
			return fmt.Sprintf("%d, want a status below 500", status)
		}
		return ""
	}
	if !e.Allows(a.Op, status, value) {
		return fmt.Sprintf("%d, want %s (%s)", status, e.Words(a.Op), e.Clause)
	}
	if e.Field != "" && status == http.StatusUnprocessableEntity {
		named := oracle.Named(j.contract, value)
		if !slices.ContainsFunc(named, func(text string) bool { return oracle.LastSegment(text) == e.Field }) {
			return fmt.Sprintf("422 that names %v, want %s (ERR-10)", named, e.Field)
		}
	}
	return ""
}

// A breach is an answer that a judge of the status does not allow.
type breach struct{ caseID, clause, words string }

// judgedTwice runs the suite on a fault or variant. It returns the answers that the model does not allow, those that
// cases do not, and those about which any check found anything, by the number of the exchange.
func judgedTwice(ctx context.Context, row *faults.Server) (byModel, byCases, any map[int]breach, err error) {
	s, err := new(Options).serve(ctx, row)
	if err != nil {
		return nil, nil, nil, err
	}
	kept := tapping(s.config)
	r, err := engine.Execute(ctx, s.config)
	if err := errors.Join(err, s.stop()); err != nil {
		return nil, nil, nil, err
	}
	j := &secondJudge{
		contract: s.config.Contract, target: s.config.Target, users: kept.users, seen: kept.seen, senders: map[string][]string{},
	}
	byCases, any = map[int]breach{}, map[int]breach{}
	for _, c := range r.Results {
		for _, f := range c.Findings {
			any[f.Exchange] = breach{f.Case, f.Clause, f.Got}
			if f.Check == judge.CheckExpectedStatus.ID || f.Check == judge.CheckNotRefused.ID {
				byCases[f.Exchange] = any[f.Exchange]
			}
		}
	}
	return j.breaches(), byCases, any, nil
}

// eachTwice judges faults and variants twice, two at a time.
func eachTwice(t *testing.T, rows []faults.Server, compare func(row *faults.Server, byModel, byCases, any map[int]breach)) {
	t.Helper()
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(2)
	for _, row := range rows {
		group.Go(func() error {
			byModel, byCases, any, err := judgedTwice(ctx, &row)
			if err != nil {
				return fmt.Errorf("%s: %w", row.ID, err)
			}
			compare(&row, byModel, byCases, any)
			return nil
		})
	}
	noError(t, group.Wait())
}

// On no variant does the model find a breach.
func TestVariantsAreRight(t *testing.T) {
	t.Parallel()
	rows := slices.DeleteFunc(faults.Variants(), func(s faults.Server) bool { return s.Ends }) // a key that stops is a user's no more
	eachTwice(t, reftest.Few(4, rows), func(row *faults.Server, byModel, _, _ map[int]breach) {
		for _, b := range byModel {
			t.Errorf("%s: %s: %s (%s)", row.ID, b.caseID, b.words, b.clause)
		}
	})
}

// Of the answers of faults, what the cases do not allow, the model does not allow either, and the reverse.
func TestTheModelAndTheCasesAgree(t *testing.T) {
	t.Parallel()
	cases, ofModel := &counted{excuses: onlyCases}, &counted{excuses: onlyModel}
	rows := slices.DeleteFunc(slices.Clone(allFaults()), func(f faults.Server) bool { return !faults.Sampled(f.ID, scarce(5)) })
	eachTwice(t, rows, func(row *faults.Server, byModel, byCases, any map[int]breach) {
		for seq, b := range byCases {
			line := b.caseID + ": " + b.clause + ": " + b.words
			if _, too := byModel[seq]; !too && !cases.cover(line) {
				t.Errorf("%s: only the case finds: %s", row.ID, line)
			}
		}
		for seq, b := range byModel {
			line := b.caseID + ": " + b.clause + ": " + b.words
			if _, too := any[seq]; !too && !isReduced(b, any) && !ofModel.cover(line) {
				t.Errorf("%s: only the model finds: %s", row.ID, line)
			}
		}
	})
}

// isReduced reports whether a breach is in an array, which has one finding for all requests with the same rows, and
// there is such a finding.
func isReduced(b breach, found map[int]breach) bool {
	array, _, isArray := strings.Cut(b.caseID, "/arrays/")
	if !isArray {
		return false
	}
	for _, f := range found {
		if f.clause == b.clause && strings.HasPrefix(f.caseID, array+"/arrays/") {
			return true
		}
	}
	return false
}

// Excuses are differences that are wanted, with the reason. The lists only shrink: one that excuses nothing has to go.
type excuses map[string]string

// cover reports whether an excuse matches a difference.
func (x *counted) cover(line string) bool {
	for expression := range x.excuses {
		if regexp.MustCompile(expression).MatchString(line) {
			x.used.Store(expression, true)
			return true
		}
	}
	return false
}

// A counted list knows which of its excuses are needed.
type counted struct {
	excuses
	used sync.Map
}

// requireUsed fails the test if an excuse excuses nothing, if the test has tried all.
func (x *counted) requireUsed(t *testing.T) {
	for expression, reason := range x.excuses {
		if _, used := x.used.Load(expression); !used && *all {
			t.Errorf("%q excuses nothing (%s)", expression, reason)
		}
	}
}

// onlyCases lists what cases find, and the model does not.
var onlyCases = excuses{
	`deleteCreative/arrays/\w+: AUTH-[12]: status 404`: "what a wrongly accepted delete removed is gone",
	`/leaves-plaincreative: EFFECT-3`:                  "that the target answered otherwise before is known to the history",
	`/text/name-length-65536: `:                        "a body of that size may be refused in any way",
	`/open/other-media-type: `:                         "a body of another media type may be refused in any way",
}

// onlyModel lists what the model finds, and the cases do not.
var onlyModel = excuses{
	`DELETE \S+ as \w+: 404, want status 204`:    "who deleted the object is decided by JudgeDeleted",
	`GET /creatives/\d+/media-files as \w+: 404`: "the target file may be wrong about a container that was never listed",
	`/arrays/faults: AUTH-1: DELETE .*: 204`:     "it is reported once, for the request that is left of it",
	`/restore/`:                                  "whether objects are restored is judged by what they show",
}

// wider lists where a case allows more than the document.
var wider = excuses{
	`/arrays/states .* also allows [0-9, ]+$`:                   "the target may want all fields",
	`DELETE .* also allows [0-9, ]+$`:                           "who deleted the object is decided by JudgeDeleted",
	`^\w+/state/users-at-once .* also allows 404$`:              "404 in place of 403 is another case's",
	`^\w+/state/two-writers .* also allows 409$`:                "two writers are at work at once, which a request does not show",
	`^deleteCreative/.* DELETE as \w+ also allows 404$`:         "who deleted the object is decided by JudgeDeleted",
	`^deleteCreative/.* DELETE as owner also allows anything`:   "what is deleted again is judged by JudgeSecondDelete",
	`^deleteCreative/state/two-at-once .* allows success$`:      "the other delete is under way",
	`^update\w+/success/ordinary PATCH as stranger also .*404$`: "what the stranger holds is only looked at",
	`^list\w+/state/users-in-turn GET as stranger also .*422$`:  "the target file may be wrong about foreign objects",
	`/leaves-foreign-creative GET as stranger also allows 403$`: "the same",
}

// What a case expects of an answer is what the document allows, or less: then it cites the clause that says so.
func TestCasesExpectWhatIsRight(t *testing.T) {
	t.Parallel()
	excuses := &counted{excuses: wider}
	defer excuses.requireUsed(t)
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(2)
	for _, row := range reftest.Few(4, faults.Variants()) {
		group.Go(func() error {
			s, err := new(Options).serve(ctx, &row)
			if err != nil {
				return err
			}
			s.config.Judging = func(test *judge.Test, a *judge.Answer) {
				if a.Call == nil || a.Exchange.Err != nil {
					return
				}
				right := test.Model.Right(a.Call, &a.Exchange.Request)
				more := beyond(a.Expect, right.Expect())
				line := fmt.Sprintf("%s %s as %s also allows %s", test.Case.ID, a.Exchange.Request.Method, a.Call.As.Name, more)
				if more != "" && !excuses.cover(line) {
					t.Errorf("%s: %s", row.ID, line)
				}
			}
			_, err = engine.Execute(ctx, s.config)
			return errors.Join(err, s.stop())
		})
	}
	noError(t, group.Wait())
}

// beyond returns what a case allows although it is not right, or "".
func beyond(e, right oracle.Expect) string {
	var more []string
	isUnjudged := e.OnlyCrash || e.Clause == "" && !e.Success && e.Statuses == nil
	if isUnjudged || right.OnlyCrash {
		return ""
	}
	if e.Success && !right.Success {
		more = append(more, "success")
	}
	if e.Clause == "" {
		more = append(more, "anything, as it cites no clause")
	}
	if e.AnyRefusal && !right.AnyRefusal {
		more = append(more, "any 4xx")
	}
	if e.EmptyList && !right.EmptyList && !right.Success {
		more = append(more, "an empty list")
	}
	for _, status := range e.Statuses {
		if !slices.Contains(right.Statuses, status) && !(right.AnyRefusal && oracle.IsRefusal(status)) {
			more = append(more, fmt.Sprint(status))
		}
	}
	return strings.Join(more, ", ")
}
