package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// showing is the test, whose findings are shown by an exchange from then on.
func (t *Test) showing(ex *wire.Exchange) *Test {
	at := *t
	at.shown, at.sent = ex, nil
	return &at
}

// FindIn adds a finding that an exchange shows, see Find.
func (t *Test) FindIn(ex *wire.Exchange, check string, f Finding) *Finding {
	return t.showing(ex).Find(check, f)
}

// tell says of a finding which request shows it, what of that matters, what came back,
// and what the cause is in words.
func (t *Test) tell(f *Finding) {
	if ex := t.shown; ex != nil && f.Operation != "all" {
		f.Curl, f.Exchange = ex.Curl(), ex.Seq
		if f.Sent == nil && t.sent != nil {
			sent := *t.sent
			f.Sent = &sent
		}
		if f.Sent == nil {
			f.Sent = t.sentBy(ex, f)
		}
		f.Answer = AnsweredWith(t.Model.Contract, ex, t.Model.Presentable)
		if first := t.takenFor(ex); f.Clause == "AUTH-3" && first != nil {
			f.Requests = []oracle.Request{t.request(first, statusOf(first)), t.request(ex, f.Got)}
		}
	}
	if f.CauseWords == "" {
		f.CauseWords = Words(f)
	}
	f.CauseWords = t.Model.Presentable(f.CauseWords)
	if same := t.beside("undeclared-status"); same != nil && f.Check == "expected-status" {
		f.CauseWords, _, _ = strings.Cut(f.CauseWords, " where ") // one cause, whatever was expected
		same.CauseWords = f.CauseWords
	}
	if text := t.beside("json-text"); text != nil && f.Check == "error-section" {
		f.CauseWords = text.CauseWords // one cause: the section is looked for in what is no JSON
	}
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

// noteUser remembers the last request of each user that succeeded, and that did not.
func (t *Test) noteUser(ex *wire.Exchange) {
	if t.Recorded {
		return // users are not known
	}
	if t.users == nil {
		t.users = map[string]*wire.Exchange{}
	}
	t.users[ex.Request.Credential.Name+" "+success(ex)] = ex
}

// takenFor is the last request of another user that was answered as this one: it may be that
// user for whom this one's is taken. nil: none was.
func (t *Test) takenFor(ex *wire.Exchange) (last *wire.Exchange) {
	for _, other := range t.users {
		if other.Request.Credential.Name != ex.Request.Credential.Name && success(other) == success(ex) &&
			(last == nil || other.Seq > last.Seq) {
			last = other
		}
	}
	return last
}

func success(ex *wire.Exchange) string {
	return fmt.Sprint(ex.Response != nil && ex.Response.Status < http.StatusMultipleChoices)
}

func statusOf(ex *wire.Exchange) string {
	if ex.Response == nil {
		return "not at all"
	}
	return fmt.Sprint(ex.Response.Status)
}

// withoutAnswer is an exchange that is kept to be shown; its answer may be large.
func withoutAnswer(ex *wire.Exchange) *wire.Exchange {
	sent := *ex
	sent.Response = nil
	return &sent
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
		then = fmt.Sprintf("%d, %s", r.Status, then)
	}
	return oracle.Request{Curl: ex.Curl(), Exchange: ex.Seq, Then: t.Model.Presentable(then)}
}

// sentBy is the part of a request that matters, nil where nothing sets it apart.
func (t *Test) sentBy(ex *wire.Exchange, f *Finding) *oracle.Sent {
	op, ids := t.Model.Contract.Match(ex.Request.Method, ex.Request.Path)
	if op == nil {
		op, ids = t.Model.OperationAt(ex.Request.Path)
	}
	if op == nil {
		return nil
	}
	key, id := Key(&ex.Request), t.Model.OddID(op, ids, t.Recorded)
	if id != nil && id.What == OthersID && ex.Request.Credential.Name == StrangerName {
		key, id = nil, nil // it is the stranger's own
	}
	return Sent(op, &ex.Request, f.Pointer, cmp.Or(key, id))
}
