package judge

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// showing is the test, whose findings are shown by an exchange from then on.
func (t *Test) showing(ex *wire.Exchange) *Test {
	at := *t
	at.shown = ex
	return &at
}

// FindIn adds a finding that an exchange shows, see Find.
func (t *Test) FindIn(ex *wire.Exchange, check *Check, f Finding) *Finding {
	return t.showing(ex).Find(check, f)
}

// tell says of a finding which request shows it, what of that matters, what came back,
// and what the cause is in words.
func (t *Test) tell(f *Finding) {
	if ex := t.shown; ex != nil && f.Operation != "all" {
		f.Curl, f.Exchange = ex.Curl(), ex.Seq
		if f.Sent == nil {
			f.Sent = t.matters(ex, f.Pointer)
		}
		if t.answered != ex { // several findings on one answer share what it says
			t.answered, t.answer = ex, answeredWith(t.Model.Contract, ex, t.Model.Presentable)
		}
		f.Answer = t.answer
		if first := t.takenFor(ex); f.Clause == "AUTH-3" && first != nil {
			f.Requests = []oracle.Request{t.request(first, ""), t.request(ex, f.Got)}
		}
	}
	switch text := t.beside("json-text"); {
	case f.Check == "error-section" && text != nil:
		f.Said = text.Said // one cause: the section is looked for in what is no JSON
	case f.CauseWords != "":
		f.Said = oracle.Words{Subject: f.CauseWords}
	case f.Said.Subject == "":
		f.Said = words(f)
	}
	if t.Recorded && f.Said.Subject == oracle.Ordinary { // whoever sent it does not say what is odd about it
		f.Said.Subject = "a request"
	}
	if same := t.beside("undeclared-status"); same != nil && f.Check == CheckExpectedStatus.ID {
		if f.Said.Failure == "" { // one cause, whatever was expected
			f.Said.Failure = same.Said.Failure
		}
		f.Said.Rest = ""
		say(same, f.Said)
	}
	f.Said.Subject, f.Said.Rest = t.Model.Presentable(f.Said.Subject), t.Model.Presentable(f.Said.Rest)
	f.CauseWords = f.Said.String()
	if s := f.Sent; s != nil {
		s.At, s.What, s.Value = t.Model.Presentable(s.At), t.Model.Presentable(s.What), t.Model.Presentable(s.Value)
	}
}

// beside is the finding of a check that the same answer shows; nil for none.
func (t *Test) beside(check string) *Finding {
	for _, f := range slices.Backward(t.Result.Findings) {
		if t.shown == nil || f.Exchange != t.shown.Seq {
			return nil
		}
		if f.Check == check {
			return f
		}
	}
	return nil
}

// succeeded says whether an exchange was answered as one that succeeds.
func succeeded(ex *wire.Exchange) bool {
	return ex.Response != nil && ex.Response.Status < http.StatusMultipleChoices
}

// takenFor is the last request of another user that was answered as this one: it may be that
// user for whom this one's is taken. nil: none was.
func (t *Test) takenFor(ex *wire.Exchange) *wire.Exchange {
	for _, other := range slices.Backward(t.before) {
		if other.Request.Credential.Name != ex.Request.Credential.Name && succeeded(other) == succeeded(ex) {
			return other
		}
	}
	return nil
}

// withoutAnswer is an exchange that is kept to be shown; its answer may be large.
func withoutAnswer(ex *wire.Exchange) *wire.Exchange {
	sent := *ex
	sent.Response = nil
	return &sent
}

// withStatus is withoutAnswer, but for the status.
func withStatus(ex *wire.Exchange) *wire.Exchange {
	sent := withoutAnswer(ex)
	if ex.Response != nil {
		sent.Response = &wire.Response{Status: ex.Response.Status}
	}
	return sent
}

// after are a request and the one that then shows what it did; nil where the first is not
// known.
func (t *Test) after(first *wire.Exchange, then, got string) []oracle.Request {
	if first == nil || t.shown == nil || first.Seq == t.shown.Seq {
		return nil
	}
	return []oracle.Request{t.request(first, then), t.request(t.shown, got)}
}

// request is an exchange as one of those that show a finding together.
func (t *Test) request(ex *wire.Exchange, then string) oracle.Request {
	then = strings.TrimPrefix(then, "status ")
	if r := ex.Response; r != nil && !strings.HasPrefix(then, fmt.Sprint(r.Status)) {
		then = strings.TrimSuffix(fmt.Sprintf("%d, %s", r.Status, then), ", ")
	}
	return oracle.Request{Curl: ex.Curl(), Exchange: ex.Seq, Then: t.Model.Presentable(then)}
}

// UpTo are the requests of the case up to the one that shows a finding, where there are some before it.
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

// longestShown is how many requests a finding of a sequence shows; a replay sends all of it.
const longestShown = 20

// answeredWith is what an answer tells of itself, for a finding that shows it; nil where none
// came. Present makes texts fit to be shown: they are given whole, as a part of a key would
// not be known for one.
func answeredWith(c *spec.Contract, ex *wire.Exchange, present func(string) string) *oracle.Answer {
	if ex.Response == nil || ex.Err != nil {
		return nil
	}
	kind, _, _ := strings.Cut(present(ex.Response.Header.Get("Content-Type")), ";")
	a := &oracle.Answer{Status: ex.Response.Status, Type: kind}
	if a.Status >= http.StatusBadRequest || a.Status/100 == 3 {
		a.Says = wording.ClipWords(present(message(c, ex.Response)), maxSays)
	}
	return a
}

const (
	maxSays = 200     // characters of a server's message that a finding repeats
	maxRead = 4 << 10 // bytes of it that are looked at: a key at their end is beyond what is shown
)

// message is what a refusal or a failure says in its body: the issues of the contract's error
// object, or the text as it is, without the markup of a page. What redirects says where to.
func message(c *spec.Contract, r *wire.Response) string {
	if to := r.Header.Get("Location"); to != "" && r.Status/100 == 3 {
		return "Location: " + to
	}
	text := ""
	for _, issue := range oracle.Issues(c, oracle.Decode(r.Body)) {
		if len(text) > maxRead {
			break
		}
		text += "; " + issue.String()
	}
	if text = strings.TrimPrefix(text, "; "); text != "" {
		return text
	}
	text = string(r.Body[:min(len(r.Body), maxRead)])
	return strings.Join(strings.Fields(markup.ReplaceAllString(text, " ")), " ")
}

var markup = regexp.MustCompile(`(?s)<(script|style).*?</(script|style)>|<[^>]*>`)
