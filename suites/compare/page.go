package compare

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/page"
	"github.com/adconform/adconform/suites/report"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS []byte
	//go:embed page.js
	pageJS []byte
)

var pageTemplate = template.Must(template.New("index.html").Funcs(template.FuncMap{
	"parts":    func(name string) []string { return camelParts.FindAllString(name, -1) },
	"evidence": func(s VerificationStatus) string { return evidenceWords[s] },
	"evidenceClass": func(s VerificationStatus) string {
		return map[VerificationStatus]string{Verified: "passed", Refuted: "failed", Unverified: "quiet"}[s]
	},
}).Parse(page.Head + pageHTML))

// camelParts are where the name of an operation may be broken into lines.
var camelParts = regexp.MustCompile(`[^\p{Lu}]+|\p{Lu}+[^\p{Lu}]*`)

var evidenceWords = map[VerificationStatus]string{Verified: "verified", Refuted: "refuted", Unverified: "not verified"}

// many are so many targets that their names stand upright.
const many = 8

// shortName is how many characters of a name stand above a column.
const shortName = 28

// What the template shows, of which all texts are printable.
type (
	pageData struct {
		page.Document
		Title, Heading, Lead, LeftOutWords, Suite string

		Many, Refuted bool
		Count         int
		Operations    []string
		Targets       []pageTarget
		Points        []pageRow
		Groups        []pageGroup
		LeftOut       []LeftOut
	}
	pageTarget struct {
		pageReport
		Number           int
		Name, Sub, Short string
		Cells            []cell
		About            [][2]string
		History          []pageReport
	}
	pageReport struct {
		*Report
		Class, Sign, Words, Date, Change string
		Stands                           bool
	}
	pageGroup struct {
		Title string
		Rows  []pageRow
	}
	pageRow struct {
		ID, Question, Basis, Text string
		Differs                   bool
		Cells                     []cell
	}
	cell struct {
		Class, Word, Href string
		More              []string
	}
)

// WriteHTML writes a comparison as one page, which needs no network, and no script to be read.
func WriteHTML(w io.Writer, c *Comparison) error {
	d := pageData{
		Document: page.NewDocument(pageJS, pageCSS), Title: c.title() + " · adconform", Heading: c.title(),
		Lead: c.lead(), Suite: c.Suite, LeftOut: c.LeftOut, Operations: c.operationTitles(), Count: len(c.Targets),
		LeftOutWords: fmt.Sprintf("%s could not be taken", wording.Count(len(c.LeftOut), "report")),
		Many:         len(c.Targets) > many,
	}
	for i, t := range c.Targets {
		d.Targets = append(d.Targets, newPageTarget(i, t))
		d.Refuted = d.Refuted || t.current().Verification.Status == Refuted
	}
	for i := range c.OpenPoints {
		d.Points = append(d.Points, pointRow(&c.OpenPoints[i]))
	}
	for i := range c.Clauses {
		row := &c.Clauses[i]
		if i == 0 || row.Operation != c.Clauses[i-1].Operation {
			d.Groups = append(d.Groups, pageGroup{Title: operationTitle(row.Operation)})
		}
		group := &d.Groups[len(d.Groups)-1]
		group.Rows = append(group.Rows, clauseRow(c, row))
	}
	return pageTemplate.Execute(w, d)
}

// title says how many targets conform: "5 targets compared: 2 conform completely".
func (c *Comparison) title() string {
	passing := 0
	for _, t := range c.Targets {
		if t.current().Passes {
			passing++
		}
	}
	verb := "conform"
	if passing == 1 {
		verb = "conforms"
	}
	return fmt.Sprintf("%s compared: %d %s completely", wording.Count(len(c.Targets), "target"), passing, verb)
}

// lead counts what the title leaves out.
func (c *Comparison) lead() string {
	reports, differing, by := 0, 0, map[string]int{}
	for _, t := range c.Targets {
		reports += len(t.Reports)
		r := t.current()
		switch {
		case r.Verification.Status == Refuted:
		case r.Verdict != report.Conforming:
			by[string(r.Verdict)]++
		case !r.Passes:
			by["conforming in part"]++
		}
		by[evidenceWords[r.Verification.Status]]++
	}
	for _, p := range c.OpenPoints {
		differing += map[bool]int{true: 1}[p.Differs]
	}
	parts := []string{wording.Count(reports, "report")}
	for _, what := range []string{"conforming in part", "nonconforming", "inconclusive", "verified", "refuted", "not verified"} {
		if by[what] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", by[what], what))
		}
	}
	parts = append(parts, fmt.Sprintf("they differ at %d of %s", differing, wording.Count(len(c.OpenPoints), "open point")))
	return strings.Join(parts, ", ") + "."
}

func operationTitle(operation string) string {
	if operation == relating {
		return "between operations"
	}
	return operation
}

func (c *Comparison) operationTitles() []string {
	all := make([]string, len(c.Operations))
	for i, operation := range c.Operations {
		all[i] = operationTitle(operation)
	}
	return all
}

func newPageTarget(number int, t *Target) pageTarget {
	r := t.current()
	p := pageTarget{pageReport: newPageReport(r), Number: number, Name: t.Name, Short: wording.Clip(t.Name, shortName), Sub: t.sub()}
	for _, n := range r.Operations {
		p.Cells = append(p.Cells, operationCell(r, n))
	}
	about := func(name, text string) {
		if text != "" {
			p.About = append(p.About, [2]string{name, text})
		}
	}
	about("at", t.BaseURL)
	about("contact", t.Implementation.Contact)
	about("artifact", r.Subject)
	about("tested", fmt.Sprintf("%s, depth %s, by adconform %s", r.Started.Format("2006-01-02 15:04 UTC"), r.Depth, r.Suite))
	about("evidence", strings.TrimSuffix(evidenceWords[r.Verification.Status]+": "+r.Verification.Reason, ": "))
	about("report", r.Path)
	if len(t.Reports) > 1 {
		for i, one := range t.Reports {
			h := newPageReport(one)
			h.Stands = i == t.Current
			p.History = append(p.History, h)
		}
	}
	return p
}

// sub is what tells a target from others of its name: version and organisation.
func (t *Target) sub() string {
	var parts []string
	for _, part := range []string{t.current().Version, t.Implementation.Organisation} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if t.Implementation.Product == "" {
		parts = append(parts, t.BaseURL)
	}
	return strings.Join(parts, " · ")
}

func newPageReport(r *Report) pageReport {
	p := pageReport{Report: r, Words: r.Words, Date: r.Started.Format("2006-01-02"), Class: "partly", Sign: "◐"}
	switch {
	case r.Verification.Status == Refuted:
		p.Class, p.Sign, p.Words = "failed", "✗", "refuted; says "+r.Words
	case r.Passes:
		p.Class, p.Sign = "passed", "✓"
	case r.Verdict == report.Nonconforming:
		p.Class, p.Sign = "failed", "✗"
	case r.Verdict != report.Conforming:
		p.Sign = "?"
	}
	for _, change := range []struct {
		verb    string
		clauses []string
	}{{"broke ", r.Broke}, {"mended ", r.Mended}} {
		if len(change.clauses) > 0 {
			p.Change += "; " + change.verb + wording.Some(change.clauses, many)
		}
	}
	p.Change = strings.TrimPrefix(p.Change, "; ")
	return p
}

// operationCell says how many clauses hold on an operation. All of them is green, if nothing
// was left out in the run.
func operationCell(r *Report, n Counts) cell {
	of := n.Held + n.Broken + n.Notices + n.NotTested + n.Unproven
	judged := of - n.NotTested + n.Missing // the rest is hidden by the target's own choices
	switch {
	case of == 0 || judged == 0:
		return cell{Class: "quiet", Word: "–"}
	case n.Broken > 0:
		return cell{Class: "failed", Word: fmt.Sprintf("%d broken", n.Broken)}
	case n.Held+n.Notices == judged && r.Level == report.Complete && r.Verdict != report.Inconclusive && r.Verification.Status != Refuted:
		return cell{Class: "passed", Word: fmt.Sprintf("%d held", n.Held)}
	}
	return cell{Class: "partly", Word: fmt.Sprintf("%d of %d held", n.Held, judged)}
}

func pointRow(p *OpenPoint) pageRow {
	row := pageRow{ID: p.ID, Question: p.Question, Differs: p.Differs}
	for _, ch := range p.Targets {
		one := cell{Word: ch.Answer}
		if ch.Answer == "" {
			one = cell{Word: "–", Class: "no"}
		}
		if len(ch.Where) > 1 {
			for _, w := range ch.Where {
				one.More = append(one.More, strings.TrimSuffix(w.Answer+": "+strings.Join(w.At, ", "), ": "))
			}
		}
		if ch.Pinned {
			one.Word += " (pinned)"
		}
		row.Cells = append(row.Cells, one)
	}
	return row
}

// cells are a class and a word for each state.
var cells = map[Status]cell{
	Held: {Class: "h", Word: "held"}, Broken: {Class: "b", Word: "broken"}, Notice: {Class: "o", Word: "notice"},
	NotTested: {Class: "n", Word: "hidden"}, Missing: {Class: "m", Word: "not tested"}, Unproven: {Class: "u", Word: "unproven"},
	Unknown: {Class: "x", Word: "not in its report"},
}

func clauseRow(c *Comparison, row *Clause) pageRow {
	p := pageRow{ID: row.ID, Basis: string(row.Basis), Text: row.Text, Differs: row.Differs}
	for i, status := range row.Targets {
		one := cells[status]
		if status == Broken || status == Notice {
			one.Href = fmt.Sprintf("#t-%d", i)
			if at := slices.IndexFunc(c.Targets[i].current().Findings, func(f Finding) bool {
				return f.Clause == row.ID && (f.Operation == row.Operation || row.Operation == relating)
			}); at >= 0 {
				one.Href += fmt.Sprintf("-%d", at)
			}
		}
		p.Cells = append(p.Cells, one)
	}
	return p
}
