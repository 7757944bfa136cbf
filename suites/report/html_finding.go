package report

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// htmlFinding is a finding as it is shown. Texts are printable.
type htmlFinding struct {
	Number        int // from 1, in the order of the report
	Severity      oracle.Severity
	Title         string
	Clause, Basis string
	ClauseText    string
	Source        string
	Often         string
	Case          string
	Expected, Got htmlWords
	Curl          string
	Exchange      *htmlExchange
	Missing       string // why there is no exchange
}

// htmlExchange is a request and its answer as they are shown.
type htmlExchange struct {
	Title, Facts string
	Request      htmlText
	RequestBody  htmlBody
	Response     htmlText
	ResponseBody htmlBody
}

// htmlClip bounds one text of a finding, in characters.
const htmlClip = 400

func (b *htmlBuilder) finding(i int) htmlFinding {
	f := &b.report.Findings[i]
	c := b.clauses[f.Clause]
	h := htmlFinding{
		Number: i + 1, Severity: f.Severity, Title: wording.Clip(Printable(located(f)), htmlClip), Clause: f.Clause, Basis: string(f.Basis),
		ClauseText: Printable(c.Text), Source: Printable(c.Source), Case: Printable(f.Case), Often: Printable(often(f)), Curl: htmlCurl(f.Curl),
	}
	if f.Pointer == "" || f.Severity == oracle.Transport {
		h.Title = wording.Clip(Sentence(f), htmlClip)
	}
	if f.Known != "" {
		h.Often += ", known: " + wording.Clip(Printable(f.Known), htmlClip)
	} else if len(f.NewCases) > 0 {
		h.Often += ", " + wording.Clip(Printable(newCases(f)), htmlClip)
	}
	h.Expected, h.Got = compareWords(wording.Clip(Printable(f.Expected), htmlClip), wording.Clip(Printable(f.Got), htmlClip))
	return h
}

const (
	missingExchange  = "The exchange has no room in this page; traffic.har has it."
	unkeptExchanges  = "The exchanges of this run were not kept."
	severalExchanges = "This is about several requests together."
)

// evidence adds the exchange of a finding, with the place marked.
func (b *htmlBuilder) evidence(h *htmlFinding) {
	f := &b.report.Findings[h.Number-1]
	switch ex := b.exchanges[f.Exchange]; {
	case ex != nil:
		h.Exchange = newHTMLExchange(ex, f)
	case f.Exchange == 0:
		h.Missing = severalExchanges
	case len(b.exchanges) == 0:
		h.Missing = unkeptExchanges
	default:
		h.Missing = missingExchange
	}
}

// htmlCurl is a line that can be copied and run: one that is not printable, or
// that fills a screen, is not shown.
func htmlCurl(curl string) string {
	if len(curl) > 4<<10 || Printable(curl) != curl {
		return ""
	}
	return curl
}

// newHTMLExchange shows an exchange, for a finding with its place marked.
func newHTMLExchange(ex *Exchange, f *oracle.Finding) *htmlExchange {
	pointer, status := "", false
	if f != nil {
		_, status = answered(f)
		pointer = f.Pointer
	}
	h := &htmlExchange{
		Title:        wording.Clip(Printable(fmt.Sprintf("%d: %s %s → %s", ex.Seq, ex.Method, ex.URL, htmlStatus(ex))), htmlClip),
		RequestBody:  newHTMLBody(ex.RequestBody, ""),
		ResponseBody: newHTMLBody(ex.ResponseBody, pointer),
		Request:      newHTMLText(htmlHead(ex.Method+" "+ex.URL, ex.RequestHeader), 0, 0, false),
	}
	facts := []string{"key: " + cmp.Or(ex.Credential, "none"), htmlDuration(ex.Seconds)}
	if ex.Attempts > 1 {
		facts = append(facts, fmt.Sprintf("sent %d times", ex.Attempts))
	}
	if ex.RateLimited > 0 {
		facts = append(facts, "waited "+wording.Count(ex.RateLimited, "time")+" for the rate limit")
	}
	h.Facts = Printable(strings.Join(facts, " · "))
	if ex.Status == 0 {
		h.Response = htmlText{wording.Clip(Printable("no response: "+ex.Error), htmlClip)}
		return h
	}
	head := htmlHead(fmt.Sprintf("%s %s", ex.Proto, htmlStatus(ex)), ex.ResponseHeader)
	mark := -1
	if name, ok := strings.CutPrefix(pointer, "header:"); ok {
		for i, line := range head[1:] {
			if n, _, _ := strings.Cut(line, ":"); strings.EqualFold(n, name) {
				mark = i + 1
				break
			}
		}
	} else if status {
		mark = 0
	}
	h.Response = newHTMLText(head, mark, mark, mark >= 0)
	return h
}

func htmlStatus(ex *Exchange) string {
	if ex.Status == 0 {
		return "no response"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", ex.Status, http.StatusText(ex.Status)))
}

// htmlHead are a first line and the header lines, bounded.
func htmlHead(first string, header []Header) []string {
	lines := []string{wording.Clip(Printable(first), htmlClip)}
	for _, h := range header[:min(len(header), htmlLines)] {
		lines = append(lines, wording.Clip(Printable(h.Name+": "+h.Value), htmlClip))
	}
	if more := len(header) - htmlLines; more > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more; traffic.har has them", more))
	}
	return lines
}

// ID is that of the element, which a link can name.
func (f htmlFinding) ID() string { return fmt.Sprint("finding-", f.Number) }

// Address is the link to the case in which the finding was first seen.
func (f htmlFinding) Address() template.URL { return htmlAddress("case", f.Case) }
