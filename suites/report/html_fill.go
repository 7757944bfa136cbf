package report

import (
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

func (b *htmlBuilder) addCase(c *Case, groups map[oracle.Cause]int) {
	d := htmlDataCase{
		ID: b.text(Printable(c.ID)), Operation: b.text(Printable(c.Operation)), Class: b.text(Printable(c.Class)), Title: b.text(wording.Clip(Printable(c.Title), htmlClip)),
		Status: string(c.Status), Reason: b.text(wording.Clip(Printable(c.Reason), htmlClip)), Requests: c.Requests, Time: b.text(htmlDuration(c.Seconds)),
	}
	for _, id := range c.Clauses {
		if at, ok := b.clauseAt[id]; ok {
			d.Clauses = append(d.Clauses, at)
		}
	}
	for i := range c.Findings {
		f := &c.Findings[i]
		at, ok := groups[f.Cause()]
		if ok && !slices.Contains(d.Findings, at) {
			d.Findings = append(d.Findings, at)
		}
	}
	slices.Sort(d.Findings)
	b.used += caseBytes
	b.data.Cases = append(b.data.Cases, d)
}

func (b *htmlBuilder) addFinding(i int) {
	h := b.finding(i)
	f := &b.report.Findings[i]
	class := ""
	if parts := strings.SplitN(f.Case, "/", 3); len(parts) == 3 {
		class = parts[1]
	}
	d := htmlDataFinding{
		Case: b.text(h.Case), Operation: b.text(Printable(f.Operation)), Class: b.text(Printable(class)), Clause: -1, ClauseID: b.text(Printable(h.Clause)),
		Severity: string(h.Severity), Title: b.text(h.Title), Often: b.text(h.Often), Expected: b.words(h.Expected), Got: b.words(h.Got),
	}
	if at, ok := b.clauseAt[f.Clause]; ok {
		d.Clause = at
	}
	b.used += findingBytes
	b.data.Findings = append(b.data.Findings, d)
}

// addEvidence adds what shows a finding: its exchange and its curl line.
func (b *htmlBuilder) addEvidence(i int) {
	d := &b.data.Findings[i]
	if b.full() {
		d.Missing = b.text(missingExchange)
		return
	}
	h := b.finding(i)
	d.Curl = b.text(h.Curl)
	b.evidence(&h)
	if h.Exchange == nil {
		d.Missing = b.text(h.Missing)
		return
	}
	at := b.exchange(b.exchanges[b.report.Findings[i].Exchange])
	d.Exchange = &at
	plain := b.data.Exchanges[at]
	if response := b.block(h.Exchange.Response); response != plain.Response {
		d.Response = &response
	}
	if body := b.body(h.Exchange.ResponseBody); body != plain.ResponseBody {
		d.Body = &body
	}
}

// caseExchanges bounds the exchanges that are shown of one case.
const caseExchanges = 3

// addExchanges gives cases exchanges: those of their findings first, and while
// there is room one sample of each of the others, the last that it sent.
func (b *htmlBuilder) addExchanges() {
	for i := range b.data.Cases {
		c, findings := &b.data.Cases[i], b.report.Results[i].Findings
		for f := range findings {
			if ex := b.exchanges[findings[f].Exchange]; ex != nil && len(c.Exchanges) < caseExchanges && !b.full() {
				if at := b.exchange(ex); !slices.Contains(c.Exchanges, at) {
					c.Exchanges = append(c.Exchanges, at)
				}
			}
		}
	}
	last := map[string]*Exchange{}
	for i := range b.report.Exchanges {
		ex := &b.report.Exchanges[i]
		last[ex.Case] = ex
	}
	for i := range b.data.Cases {
		c := &b.data.Cases[i]
		if ex := last[b.report.Results[i].ID]; ex != nil && len(c.Exchanges) == 0 && !b.full() {
			c.Exchanges = append(c.Exchanges, b.exchange(ex))
		}
	}
}

// exchange is the place of an exchange in the data.
func (b *htmlBuilder) exchange(ex *Exchange) int {
	at, ok := b.shownAt[ex.Seq]
	if !ok {
		h := newHTMLExchange(ex, nil)
		at = len(b.data.Exchanges)
		b.shownAt[ex.Seq] = at
		b.data.Exchanges = append(b.data.Exchanges, htmlDataExchange{
			Title: b.text(h.Title), Facts: b.text(h.Facts), Request: b.block(h.Request), RequestBody: b.body(h.RequestBody),
			Response: b.block(h.Response), ResponseBody: b.body(h.ResponseBody),
		})
		b.used += exchangeBytes
	}
	return at
}

func (b *htmlBuilder) words(w htmlWords) []int {
	places := make([]int, 0, len(w))
	for _, part := range w {
		places = append(places, b.text(part))
	}
	return places
}

func (b *htmlBuilder) block(t htmlText) [3]int {
	return [3]int{b.text(t[0]), b.text(t[1]), b.text(t[2])}
}

func (b *htmlBuilder) body(h htmlBody) htmlDataBlock {
	return htmlDataBlock{Text: b.block(h.Text), Note: b.text(h.Note)}
}
