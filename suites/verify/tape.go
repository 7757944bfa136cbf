package verify

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// tape is the recorded traffic of a run, which answers the requests of the same run made
// again. Requests are found by their case, method, URL, key and body, in their order: when
// they were sent does not matter.
type tape struct {
	mu    sync.Mutex
	stop  func() // ends the run that is made again
	left  map[string][]*report.Exchange
	wrong []string
	ended bool // a request was not recorded
}

func newTape(all []report.Exchange, stop func()) *tape {
	t := &tape{stop: stop, left: map[string][]*report.Exchange{}}
	for i := range all {
		ex := &all[i]
		t.left[request(ex)] = append(t.left[request(ex)], ex)
	}
	for _, alike := range t.left { // of a case that tries several times the last try comes first
		if strings.Contains(alike[0].Case, "/random/") {
			slices.SortStableFunc(alike, func(a, b *report.Exchange) int { return a.Started.Compare(b.Started) })
		}
	}
	return t
}

// request is what a request is known by.
func request(ex *report.Exchange) string {
	body := ""
	if b := ex.RequestBody; b != nil {
		body = fmt.Sprintf("%d %s", b.Size, b.Text)
	}
	return strings.Join([]string{ex.Case, ex.Method, ex.URL, ex.Credential, body}, "\n")
}

// answer fills in what became of a request.
func (t *tape) answer(ex *wire.Exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sent := report.NewExchange(ex)
	key := request(&sent)
	if len(t.left[key]) == 0 {
		t.missing(&sent)
		ex.Err = &wire.TransportError{Kind: wire.Canceled, Detail: "not sent: no answer to it was recorded"}
		return
	}
	recorded := t.left[key][0]
	t.left[key] = t.left[key][1:]
	if what := otherHeader(&sent, recorded); what != "" {
		t.wrong = append(t.wrong, fmt.Sprintf("traffic: exchange %d (%s): the run sends %s", recorded.Seq, recorded.Case, what))
	}
	fill(ex, recorded)
}

// missing says that the run sends what was not recorded, and what was in its place.
func (t *tape) missing(sent *report.Exchange) {
	t.stop()
	if t.ended {
		return
	}
	t.ended = true
	instead := "nothing more of this case was"
	if next := t.next(sent.Case); next != nil {
		instead = fmt.Sprintf("exchange %d was: %s", next.Seq, line(next))
	}
	t.wrong = append(t.wrong, fmt.Sprintf("traffic: %s sends %s, which was not recorded; %s", sent.Case, line(sent), instead))
}

// next is the first exchange of a case that was not asked for; of any when the case is "".
func (t *tape) next(caseID string) *report.Exchange {
	var first *report.Exchange
	for _, all := range t.left {
		if len(all) > 0 && (caseID == "" || all[0].Case == caseID) && (first == nil || all[0].Seq < first.Seq) {
			first = all[0]
		}
	}
	return first
}

// rest says what was recorded and is not sent by the run.
func (t *tape) rest() []string {
	n := 0
	for _, all := range t.left {
		n += len(all)
	}
	first := t.next("")
	if first == nil || len(t.wrong) > 0 {
		return nil
	}
	return []string{fmt.Sprintf("traffic: %s that the run does not send, the first as exchange %d (%s): %s",
		wording.Count(n, "exchange"), first.Seq, cmp.Or(first.Case, "of no case"), line(first))}
}

// order says where exchanges are recorded in another order than the run has them.
func order(recorded, again []report.Exchange) []string {
	for i := range min(len(recorded), len(again)) {
		if r, a := &recorded[i], &again[i]; request(r) != request(a) || !r.Started.Equal(a.Started) {
			return []string{fmt.Sprintf("traffic: exchange %d is %s of %s, and in the run it is %s of %s: they are in another order",
				r.Seq, line(r), r.Case, line(a), a.Case)}
		}
	}
	return nil
}

// line is a request in words.
func line(ex *report.Exchange) string {
	text := fmt.Sprintf("%s %s as %s", ex.Method, ex.URL, ex.Credential)
	if b := ex.RequestBody; b != nil {
		text += " with " + b.Text
	}
	return wording.ClipPrintable(text, maxLine)
}

const maxLine = 120

// otherHeader is a line of a request's header that was recorded otherwise; "" where none was.
// What the client says of itself is that of its version.
func otherHeader(sent, recorded *report.Exchange) string {
	own := func(all []report.Header) []report.Header {
		return slices.DeleteFunc(slices.Clone(all), func(h report.Header) bool { return h.Name == "User-Agent" })
	}
	ours, theirs := own(sent.RequestHeader), own(recorded.RequestHeader)
	for i := range max(len(ours), len(theirs)) {
		switch {
		case i >= len(ours):
			return "no header " + theirs[i].Name
		case i >= len(theirs) || ours[i] != theirs[i]:
			return wording.ClipPrintable(fmt.Sprintf("%s: %s, which was recorded otherwise", ours[i].Name, ours[i].Value), maxLine)
		}
	}
	return ""
}

// fill gives an exchange what was recorded of it.
func fill(ex *wire.Exchange, from *report.Exchange) {
	ex.Start, ex.Duration = from.Started, time.Duration(from.Seconds*float64(time.Second))
	ex.Attempts, ex.RateLimited, ex.Unavailable = from.Attempts, from.RateLimited, from.Unavailable
	ex.Raw, ex.Around = from.Raw, from.Around
	ex.Resent = from.Resent
	if from.Error != "" {
		kind, detail, _ := strings.Cut(from.Error, ": ")
		ex.Err = &wire.TransportError{Kind: wire.Kind(kind), Detail: detail}
	}
	if from.Status == 0 {
		return
	}
	ex.Response = &wire.Response{Proto: from.Proto, Status: from.Status, Header: http.Header{}, Anomalies: from.Anomalies}
	for _, h := range from.ResponseHeader {
		ex.Response.Header[h.Name] = append(ex.Response.Header[h.Name], h.Value)
	}
	if b := from.ResponseBody; b != nil {
		ex.Response.Body = []byte(b.Text)
		if b.Base64 {
			ex.Response.Body, _ = base64.StdEncoding.DecodeString(b.Text) // what is no base64 is no body that was recorded
		}
		ex.Response.Truncated = b.Cut
	}
}
