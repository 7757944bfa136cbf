package judge

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
)

// judgeFraming reports invalid framing, which only a raw connection sees, and a body that cannot be decoded.
func (t *Test) judgeFraming(ex *wire.Exchange) {
	if ex.Response == nil {
		return
	}
	for _, anomaly := range ex.Response.Anomalies {
		f := Finding{
			Clause: "HTTP-2", Pointer: "framing",
			Expected: "a message as " + anomaly.Source + " asks", Got: anomaly.Sentence,
		}
		if anomaly.Of204 {
			f.Clause = "DELETE-2"
		}
		t.Covered(f.Clause)
		t.Find(CheckFraming, f)
	}
}

// loseAnswer notes an answer that did not arrive whole. It is unknown whether the request was carried out. SettleLosses
// decides at the end of the run whether the loss is a violation.
func (t *Test) loseAnswer(a *Answer) {
	c, ex := a.Call, a.Exchange
	switch {
	case ex.Stop != nil: // the target refused the request, and is not judged by that
		t.NotTested(ByOperator, ex.Err.Detail)
		t.Outcome.noteStopped(t, a)
		return
	case c.Wire != nil && ex.Err.Kind == wire.BadRequest: // it cannot be sent on the connections of this target
		return
	}
	if c.Object != nil {
		c.noteLost(ex)
	}
	switch {
	case ex.Err.Kind == wire.Canceled:
		t.NotTested(ByOperator, ex.Err.Detail)
	case needsNoAnswer(c, ex):
	case endsDuringBody(ex):
		t.NotTested(ByTarget, endedBody)
	default:
		t.judgeLoss(a)
	}
}

const endedBody = "the target ended the connection during a body of more than a megabyte, " +
	"as RFC 9110, 15.5.14 allows"

// noteLost notes that it is unknown whether a request was carried out.
func (c *Call) noteLost(ex *wire.Exchange) {
	if !c.Op.Deletes() {
		return
	}
	c.Object.isLost = true
	if wasSent := c.isDeclared() && ex.Attempts > 0; wasSent && c.Succeeds {
		c.Object.remove(0, nil)
	}
}

// endsDuringBody reports whether the target has closed the connection in place of reading a large body. Whether its 413
// arrives before the reset is chance (RFC 9112, 9.6).
func endsDuringBody(ex *wire.Exchange) bool {
	isEnd := ex.Err.Kind == wire.Closed || ex.Err.Kind == wire.Reset
	return isEnd && len(ex.Request.Body) > large
}

// judgeLoss adds the finding that an answer was lost, unless the target is away or has asked the client to wait.
func (t *Test) judgeLoss(a *Answer) {
	c, ex := a.Call, a.Exchange
	t.Outcome.Liveness.Note(ex, c.Op.ID)
	if ex.Away {
		t.NotTested(ByOperator, ex.Err.Error())
		return
	}
	if c.Object != nil && c.Op.Deletes() {
		c.Object.remove(0, nil)
	}
	if ex.Err.Kind == wire.RateLimited { // a 429, for which the client has waited long enough, is an answer, not a loss
		t.NotTested(ByTarget, ex.Err.Error())
		return
	}
	f := Finding{
		Clause: "HTTP-2", Operation: c.Op.ID, Severity: oracle.Transport,
		Expected: "one complete, readable response", Got: ex.Err.Error(),
		Cause: finding.Cause{Kind: finding.NoAnswer, Detail: string(ex.Err.Kind)},
	}
	if len(a.Before) > 0 {
		f.Got += "; nor when it was sent again alone"
	}
	if f.Sent = t.matters(ex, ""); f.Sent.IsClass() {
		f.Cause.Kind = finding.ClassNoAnswer
		f.Cause.Subject = f.Request()
	}
	t.FindIn(ex, CheckTransport, f)
	t.Covered("HTTP-2")
	t.NotTested(ByTarget, fmt.Sprintf("the answer was lost in transport (%s)", ex.Err.Kind))
}

// noteBefore counts the other exchanges of a request.
func (t *Test) noteBefore(a *Answer) {
	for _, ex := range a.Before {
		t.Outcome.Note(ex)
		t.Result.Exchanges = append(t.Result.Exchanges, ex.Seq)
	}
}

// noticeLoad gives a notice if a request timed out beside others, and was answered when it was sent again alone.
func (t *Test) noticeLoad(a *Answer) {
	if a.Others == 0 {
		return
	}
	t.Find(CheckTransport, Finding{
		Clause: "HTTP-2", Operation: a.Call.Op.ID, Severity: oracle.Notice, Pointer: "load",
		Cause:    finding.CauseOf(finding.SlowBeside),
		Expected: "an answer within the time-out",
		Got: fmt.Sprintf("none beside %s; sent again alone, the request was answered after %s",
			wording.Count(a.Others, "other request"), a.Exchange.Duration.Round(time.Millisecond)),
	})
}

// needsNoAnswer reports whether the target may end the connection, or the stream, of a request in place of an answer.
func needsNoAnswer(c *Call, ex *wire.Exchange) bool {
	switch ex.Err.Kind {
	case wire.Closed, wire.Reset, wire.Timeout:
		return c.Halved || c.Malformed
	case wire.Malformed, wire.Truncated:
		return c.Malformed
	case wire.Rejected: // of a malformed request HTTP/2 requires that (RFC 9113, 8.1.1)
		_, err := url.PathUnescape(ex.Request.Path)
		return c.Malformed || err != nil
	}
	return false
}

// Hangs turns the first of the answers that were lost at the end into the finding that the server has hung since then.
// A request whose answer is judged elsewhere, because it was sent again, has no finding: then the next one counts.
func (b *Outcome) Hangs(lost []*wire.Exchange) {
	for i, first := range lost {
		hung, in := b.lossOf(first)
		if hung == nil {
			continue
		}
		hang := *hung
		hang.Severity = oracle.Violation
		hang.Cause = finding.CauseOf(finding.Hangs)
		hang.Got = fmt.Sprintf("%s; and none to any request since then", first.Err)
		if others := underWay(first, lost[i+1:]); len(others) > 0 {
			hang.Got += "; under way at the same time: " + wording.Some(others, maxUnderWay)
		}
		b.blame(blamed{Finding: &hang, result: in, replaces: hung})
		return
	}
}

// lossOf returns the finding that the answer to a request was lost, and its result; nil if there is none.
func (b *Outcome) lossOf(ex *wire.Exchange) (*Finding, *Result) {
	for _, r := range b.Results() {
		for _, f := range r.Findings {
			if f.Check == CheckTransport.ID && f.Exchange == ex.Seq {
				return f, r
			}
		}
	}
	return nil, nil
}

// maxUnderWay limits the cases that a hang names beside its own: a run has at most eight requests under way.
const maxUnderWay = 7

// underWay returns the cases of requests that were under way together with another one.
func underWay(first *wire.Exchange, others []*wire.Exchange) (cases []string) {
	for _, ex := range others {
		if ex.Start.Before(first.Start.Add(first.Duration)) && !slices.Contains(cases, ex.Case) {
			cases = append(cases, ex.Case)
		}
	}
	return cases
}

// SettleFailures notes that failures that do not recur when their cases are repeated are not caused by what was sent,
// and which were not repeated. If they include one of an ordinary request, failures of the same operation and status
// that were not repeated have no other cause.
func (b *Outcome) SettleFailures(recurs map[finding.Cause]bool) {
	type kind struct {
		operation string
		status    int
	}
	steady := map[kind]bool{}
	chance := map[kind]bool{}
	all := slices.DeleteFunc(b.findings(), func(f *Finding) bool {
		return f.Check != serverError
	})
	for _, f := range all {
		k := kind{f.Operation, f.Answer.Status}
		switch again, repeated := recurs[f.Cause]; {
		case again:
			steady[k] = true
		case repeated && f.IsOrdinary():
			chance[k] = true
		}
	}
	for _, f := range all {
		k := kind{f.Operation, f.Answer.Status}
		switch again, repeated := recurs[f.Cause]; {
		case again, !repeated && steady[k]:
		case !repeated && !chance[k]:
			f.Got += "; not sent again"
		default:
			f.Sent = nil
			f.Pointer = ""
			f.Timing = true
			f.Cause = finding.Cause{Kind: finding.FailsByChance, Status: f.Answer.Status}
		}
	}
}

// SettleLosses decides which lost answers are violations. It drops those lost since the target stopped answering, and
// makes a single one a notice.
func (b *Outcome) SettleLosses() {
	lost := b.Liveness.Lost()
	for _, r := range b.Results() {
		r.Findings = slices.DeleteFunc(r.Findings, func(f *Finding) bool {
			switch isIt := func(ex *wire.Exchange) bool { return ex.Seq == f.Exchange }; {
			case f.Severity != oracle.Transport:
			case !slices.ContainsFunc(lost, isIt):
				b.uncover(f)
				return true
			case len(lost) <= LostBearable:
				f.Severity = oracle.Notice
			}
			return false
		})
	}
}

// shortTimeout is a time-out that an ordinary answer over a network may need. What takes longer than a shorter one says
// nothing about the target.
const shortTimeout = time.Second

// SettleShortTimeouts drops answers that did not come within a time-out too short for any network, and returns that as
// the reason why the run cannot judge the target, or "".
func (b *Outcome) SettleShortTimeouts(limit time.Duration) string {
	if limit == 0 || limit >= shortTimeout {
		return ""
	}
	late := map[int]bool{} // by Seq
	for _, ex := range b.Liveness.Lost() {
		if ex.Err.Kind == wire.Timeout {
			late[ex.Seq] = true
		}
	}
	n := max(len(late), b.Liveness.TimedOut())
	if n <= LostBearable {
		return ""
	}
	for _, r := range b.Results() {
		r.Findings = slices.DeleteFunc(r.Findings, func(f *Finding) bool {
			isLate := f.Severity == oracle.Transport && late[f.Exchange]
			if isLate {
				b.uncover(f)
			}
			return isLate
		})
	}
	return fmt.Sprintf("%s did not come within the %s of limits.timeout: allow more, such as 10s",
		wording.Count(n, "answer"), limit)
}

// LostBearable is how many answers may be lost in transport without a violation.
const LostBearable = 1

// large is the size in bytes from which a body may be larger than a server accepts.
const large = 1 << 20

// maxDecompressed bounds what a compressed body may grow to.
const maxDecompressed = 16 << 20

// decompress undoes the content coding of a body, which a server may use unless it is told not to (RFC 9110, 12.5.3).
func decompress(ex *wire.Exchange) {
	r := ex.Response
	coding := r.Header.Get("Content-Encoding")
	switch body, err := wire.Decode(coding, r.Body, maxDecompressed+1); {
	case len(body) > maxDecompressed:
		giveUp(ex, fmt.Sprintf("the body of %d bytes is %s that unpacks to more than %d",
			len(r.Body), wording.Printable(coding), maxDecompressed))
	case err != nil:
		r.Anomalies = append(slices.Clip(r.Anomalies), wire.Anomaly{
			Source: "RFC 9110 §8.4", Sentence: fmt.Sprintf("the body is not %s: %s", strings.ToLower(coding), err),
		})
	default:
		r.Body = body
	}
}

// Bound gives up on a body that is too expensive to keep, compare and show.
func Bound(ex *wire.Exchange) {
	if why := oracle.TooMuch(ex.Response.Body); ex.Err == nil && why != "" {
		giveUp(ex, why)
	}
}

// kept is how many bytes of a body that is not judged are kept.
const kept = 64 << 10

// giveUp turns an answer that cannot be judged into a lost one.
func giveUp(ex *wire.Exchange, why string) {
	ex.Err = &wire.TransportError{Kind: wire.TooLarge, Detail: why}
	ex.Response.Body = bytes.Clone(ex.Response.Body[:min(len(ex.Response.Body), kept)])
}
