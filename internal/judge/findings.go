package judge

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
)

// showing returns a copy of the test that adds findings about an exchange.
func (t *Test) showing(ex *wire.Exchange) *Test {
	at := *t
	at.shown = ex
	return &at
}

// FindIn adds a finding that an exchange shows, see Find.
func (t *Test) FindIn(ex *wire.Exchange, check *Check, f Finding) *Finding {
	return t.showing(ex).Find(check, f)
}

// tell completes a finding with the request that shows it, the part of that request that matters, the answer, and its
// cause.
func (t *Test) tell(f *Finding) {
	f.IsAdopted = t.Recorded
	if t.shown != nil && f.Operation != report.AllOperations {
		t.tellRequest(f, t.shown)
	}
	isNoBody := f.Check == string(finding.NoErrorSection) || f.Cause.Kind == finding.NoSuccessBody
	if text := t.sameAnswer(finding.NotJSON); text != nil && isNoBody {
		f.Cause = text.Cause // one cause: the body is not JSON
	}
	f.Explain(finding.Kind(f.Check))
	if same := t.sameAnswer(finding.Undeclared); same != nil && f.Check == CheckExpectedStatus.ID { // one cause, too
		if f.Cause.Kind == finding.WrongStatus {
			f.Cause.Kind = finding.Answered
			f.Cause.Status = same.Cause.Status
			f.Cause.Detail = ""
		}
		same.Cause = f.Cause
	}
	c := &f.Cause
	c.Subject.What = t.presentable(c.Subject.What)
	c.Detail = t.Presentable(c.Detail)
	if s := f.Sent; s != nil {
		s.At.Name = t.Presentable(s.At.Name)
		s.What = t.presentable(s.What)
		s.Value = t.Presentable(s.Value)
	}
}

func (t *Test) presentable(what finding.Oddity) finding.Oddity {
	return finding.Oddity(t.Presentable(string(what)))
}

// tellRequest completes a finding with an exchange.
func (t *Test) tellRequest(f *Finding, ex *wire.Exchange) {
	f.Curl = ex.Curl()
	f.Exchange = ex.Seq
	if f.Sent == nil {
		f.Sent = t.matters(ex, f.Pointer)
	}
	if f.Pointer == "" && f.Sent.IsClass() {
		f.Pointer = f.Sent.At.String()
	}
	f.Answer = t.answerOf(ex)
	if f.Clause != "AUTH-3" {
		return
	}
	// The server may mistake the user for that of the last request that was answered alike.
	for _, other := range t.before {
		isAlike := f.Requests == nil || t.request(other, "").Then == t.request(ex, "").Then
		if isAlike && other.Request.Credential.Name != ex.Request.Credential.Name {
			f.Requests = []oracle.Request{t.request(other, ""), t.request(ex, f.Got)}
		}
	}
}

// matters returns the part of a request that a finding with this pointer into the answer is about, see finding.Matters.
func (t *Test) matters(ex *wire.Exchange, pointer string) *oracle.Sent {
	name := pointer[strings.LastIndexByte(pointer, '/')+1:]
	op, _ := t.Contract.Match(ex.Request.Method, ex.Request.Path)
	return finding.Matters(ex.Request.Parts, sentAs(op, name))
}

// sentAs returns the name under which an update sends a field that its answer may show under another name.
func sentAs(op *spec.Operation, shown string) string {
	if op == nil {
		return shown
	}
	r := op.Representation().Named(shown)
	if r == nil || op.Body.Field(r.Meaning) == nil {
		return shown
	}
	return op.Body.Field(r.Meaning).Name
}

// sameAnswer returns the finding of another check that the same answer shows, or nil.
func (t *Test) sameAnswer(check finding.Kind) *Finding {
	for _, f := range slices.Backward(t.Result.Findings) {
		if t.shown == nil || f.Exchange != t.shown.Seq {
			return nil
		}
		if f.Check == string(check) {
			return f
		}
	}
	return nil
}

// withoutAnswer returns an exchange to keep for findings, without its answer, which may be large, but for the status.
func withoutAnswer(ex *wire.Exchange) *wire.Exchange {
	sent := *ex
	if ex.Response != nil {
		sent.Response = &wire.Response{Status: ex.Response.Status}
	}
	return &sent
}

// after returns a request and the one that then shows its effect, or nil if the first is unknown.
func (t *Test) after(first *wire.Exchange, then, got string) []oracle.Request {
	switch {
	case first == nil, t.shown == nil, first.Seq == t.shown.Seq:
		return nil
	}
	return []oracle.Request{t.request(first, then), t.request(t.shown, got)}
}

// request returns an exchange as one of the requests of a finding.
func (t *Test) request(ex *wire.Exchange, then string) oracle.Request {
	then = strings.TrimPrefix(then, "status ")
	if r := ex.Response; r != nil && !strings.HasPrefix(then, fmt.Sprint(r.Status)) {
		then = strings.TrimSuffix(fmt.Sprintf("%d, %s", r.Status, then), ", ")
	}
	return oracle.Request{Curl: ex.Curl(), Exchange: ex.Seq, Then: t.Presentable(then)}
}

// UpTo returns the requests of the case up to the one that shows a finding, or nil if that is the first.
func (t *Test) UpTo(f *Finding) (all []oracle.Request) {
	for _, ex := range t.before {
		if ex.Seq <= f.Exchange {
			all = append(all, t.request(ex, ""))
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all[max(0, len(all)-longestShown):]
}

// longestShown is how many requests of a sequence a finding shows at most. A replay sends all.
const longestShown = 20

// answerOf returns what a finding shows of an answer, or nil if none came. Keys are removed from whole texts, or part
// of a key may be left.
func (t *Test) answerOf(ex *wire.Exchange) *oracle.Answer {
	r := ex.Response
	if r == nil || ex.Err != nil {
		return nil
	}
	kind, _, _ := strings.Cut(t.Presentable(r.Header.Get("Content-Type")), ";")
	a := &oracle.Answer{Status: r.Status, Type: kind}
	for _, name := range makers {
		a.Maker += t.Presentable(r.Header.Get(name)) + " "
	}
	if a.Status >= http.StatusMultipleChoices {
		text := t.Presentable(message(t.Contract, r))
		a.Says = wording.ClipWords(text, maxSays)
		a.Maker += text
	}
	return a
}

// makers are the headers in which servers name their software.
var makers = []string{"Server", "X-Powered-By", "X-AspNet-Version", "X-Generator", "X-Runtime", "Via"}

const (
	maxSays = 200     // characters of a server's message that a finding repeats
	maxRead = 4 << 10 // bytes of it that are read, more than are shown
)

// message returns what an error says: the issues of the contract's error object, or the text without HTML markup. For a
// redirect it is the location.
func message(c *spec.Contract, r *wire.Response) (text string) {
	if to := r.Header.Get("Location"); to != "" && r.Status/100 == 3 {
		return "Location: " + to
	}
	for _, issue := range oracle.Issues(c, oracle.Decode(r.Body)) {
		if len(text) < maxRead {
			text += "; " + issue.String()
		}
	}
	if text = strings.TrimPrefix(text, "; "); text != "" {
		return text
	}
	body := markup.ReplaceAllString(string(r.Body[:min(len(r.Body), maxRead)]), " ")
	return strings.Join(strings.Fields(body), " ")
}

var markup = regexp.MustCompile(`(?s)<(script|style).*?</(script|style)>|<[^>]*>`)
