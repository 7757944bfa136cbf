package report

import (
	"unicode/utf8"

	"github.com/adconform/adconform/suites/oracle"
)

// htmlData is what the script of the page works on. A text is a number: its
// place in Texts, 0 is the empty text, so that what comes often is there once.
// Cases, clauses and exchanges are named by their place in their lists.
type htmlData struct {
	Texts     []string           `json:"texts"`
	Clauses   []htmlDataClause   `json:"clauses"`
	Cases     []htmlDataCase     `json:"cases"`
	Findings  []htmlDataFinding  `json:"findings"`
	Exchanges []htmlDataExchange `json:"exchanges"`
}

type (
	htmlDataClause struct {
		ID     string `json:"id"`
		Basis  string `json:"basis"`
		Text   int    `json:"text"`
		Source int    `json:"source"`
	}
	htmlDataCase struct {
		ID        int    `json:"id"`
		Operation int    `json:"operation"`
		Class     int    `json:"class"`
		Title     int    `json:"title"`
		Status    string `json:"status"`
		Reason    int    `json:"reason,omitempty"`
		Clauses   []int  `json:"clauses,omitempty"`
		Requests  int    `json:"requests,omitempty"`
		Time      int    `json:"time"`
		Findings  []int  `json:"findings,omitempty"`  // places in Findings
		Exchanges []int  `json:"exchanges,omitempty"` // places in Exchanges
	}
	htmlDataFinding struct {
		Case      int            `json:"case"`
		Operation int            `json:"operation"`
		Class     int            `json:"class"`
		Clause    int            `json:"clause"` // -1: not of the contract
		ClauseID  int            `json:"clauseId"`
		Severity  string         `json:"severity"`
		Title     int            `json:"title"`
		Often     int            `json:"often,omitempty"`
		Expected  []int          `json:"expected"`
		Got       []int          `json:"got"`
		Curl      int            `json:"curl,omitempty"`
		Exchange  *int           `json:"exchange,omitempty"`
		Missing   int            `json:"missing,omitempty"`
		Response  *[3]int        `json:"response,omitempty"` // in place of the exchange's, with a mark
		Body      *htmlDataBlock `json:"body,omitempty"`     // likewise
	}
	htmlDataExchange struct {
		Title        int           `json:"title"`
		Facts        int           `json:"facts"`
		Request      [3]int        `json:"request"`
		RequestBody  htmlDataBlock `json:"requestBody"`
		Response     [3]int        `json:"response"`
		ResponseBody htmlDataBlock `json:"responseBody"`
	}
	htmlDataBlock struct {
		Text [3]int `json:"text"`
		Note int    `json:"note,omitempty"`
	}
)

// htmlRoom is what the data may take of the page, in bytes, about. Cases come
// first, then the findings, then exchanges, those of the worst findings first.
const htmlRoom = 6 << 20

// htmlBuilder makes the page of a report.
type htmlBuilder struct {
	report    *Report
	clauses   map[string]Clause
	exchanges map[int]*Exchange // by Seq
	data      htmlData
	texts     map[string]int
	clauseAt  map[string]int
	shownAt   map[int]int // Seq: place in data.Exchanges
	used      int         // bytes, about
}

func newHTMLBuilder(r *Report) *htmlBuilder {
	b := &htmlBuilder{
		report: r, clauses: map[string]Clause{}, exchanges: map[int]*Exchange{},
		texts: map[string]int{"": 0}, clauseAt: map[string]int{}, shownAt: map[int]int{},
	}
	b.data = htmlData{Texts: []string{""}, Clauses: []htmlDataClause{}, Cases: []htmlDataCase{}, Findings: []htmlDataFinding{}, Exchanges: []htmlDataExchange{}}
	for i := range r.Exchanges {
		b.exchanges[r.Exchanges[i].Seq] = &r.Exchanges[i]
	}
	for i, c := range r.Totals() {
		b.clauses[c.ID] = c
		b.clauseAt[c.ID] = i
		b.data.Clauses = append(b.data.Clauses, htmlDataClause{c.ID, string(c.Basis), b.text(Printable(c.Text)), b.text(Printable(c.Source))})
	}
	return b
}

// full says that there is no room left.
func (b *htmlBuilder) full() bool { return b.used > htmlRoom }

// text is the place of a text.
func (b *htmlBuilder) text(s string) int {
	at, ok := b.texts[s]
	if !ok {
		at = len(b.data.Texts)
		b.texts[s] = at
		b.data.Texts = append(b.data.Texts, s)
		b.used += written(s)
	}
	return at
}

// written is the length of a text in the page, where every character that could
// be markup is an escape.
func written(s string) int {
	n := len(s) + 3
	for _, r := range s {
		switch r {
		case '<', '>', '&', '\'', '`', '+', '=', utf8.RuneError:
			n += 5
		case '"', '\\':
			n += 5
		}
	}
	return n
}

// Bytes that an item takes beside its texts, about.
const (
	caseBytes     = 160
	findingBytes  = 200
	exchangeBytes = 240
)

// fill makes the data of the page. Findings of which the exchange has no room
// stay without; how many cases and findings are there can be seen in the lists.
func (b *htmlBuilder) fill() {
	groups := map[oracle.Cause]int{}
	for i := range b.report.Findings {
		f := &b.report.Findings[i]
		key := f.Cause()
		if _, ok := groups[key]; !ok {
			groups[key] = i
		}
	}
	for i := range b.report.Results {
		if b.full() {
			break
		}
		b.addCase(&b.report.Results[i], groups)
	}
	for i := range b.report.Findings {
		if b.full() {
			break
		}
		b.addFinding(i)
	}
	for i := range b.data.Findings {
		b.addEvidence(i)
	}
	b.addExchanges()
	for i := range b.data.Cases { // those that are not here cannot be linked to
		c := &b.data.Cases[i]
		for n, f := range c.Findings {
			if f >= len(b.data.Findings) {
				c.Findings = c.Findings[:n]
				break
			}
		}
	}
}
