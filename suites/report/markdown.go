package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/session"
)

// How much a summary in Markdown shows. GitHub shows at most 1 MiB of it.
const (
	markdownFindings = 50  // rows of the table
	markdownCurls    = 10  // requests to send again
	markdownCell     = 300 // characters
	markdownRows     = 20  // of each other table
)

// WriteMarkdown writes a report for a pull request or a job's page. Whatever has
// a text of the target in it is a code span: no HTML, link or mention of it acts.
func WriteMarkdown(w io.Writer, r *Report) error {
	m := &markdown{}
	m.head(r)
	m.findings(r)
	m.others(r)
	m.clauses(r)
	m.openPoints(r)
	m.line("")
	m.line("*%s %s %s.*", words(r.Suite.Name), words(r.Suite.Version), words(r.Suite.SelfTest.String()))
	_, err := io.WriteString(w, m.String())
	return err
}

type markdown struct{ strings.Builder }

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(m, format+"\n", args...) }

func (m *markdown) table(title string, columns ...string) {
	m.line("\n## %s\n", title)
	m.row(columns...)
	m.line("|%s", strings.Repeat("---|", len(columns)))
}

func (m *markdown) row(cells ...string) { m.line("| %s |", strings.Join(cells, " | ")) }

// more says how much a table leaves out.
func (m *markdown) more(n int, word string) {
	if n > 0 {
		m.line("\n… and %s more, see `%s`.", wording.Count(n, word), JSONFile)
	}
}

// tableOf is a table with a row for each of some items, if there are any; word is what one is
// called where there is no room for all.
func tableOf[T any](m *markdown, items []T, word, title string, columns []string, row func(T) []string) {
	if len(items) == 0 {
		return
	}
	m.table(title, columns...)
	for _, item := range items[:min(len(items), markdownRows)] {
		m.row(row(item)...)
	}
	m.more(len(items)-markdownRows, word)
}

// words escapes a text of ours: no character of it is markup.
func words(text string) string {
	var b strings.Builder
	for _, c := range wording.Printable(text) {
		if strings.ContainsRune("\\`*_{}[]<>#|~&!@$", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// code is a text as a code span, whatever is in it; "" for no text.
func code(text string, length int) string {
	text = wording.ClipWords(wording.Printable(text), length)
	if text == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + " " + text + " " + fence
}

// codeCell is a text of a target as a code span within a table: no HTML, link or mention of it
// acts, and no pipe ends the cell. "" for no text.
func codeCell(text string) string { return strings.ReplaceAll(code(text, markdownCell), "|", `\|`) }

func (m *markdown) head(r *Report) {
	sign := verdictSign[r.Verdict]
	if r.Verdict == Conforming && r.Level.Below(Complete) {
		sign = verdictSign[Inconclusive]
	}
	m.line("# %s %s: %s%s", sign, words(r.Suite.Name), r.VerdictWords(), words(scope(r)))
	m.line("\n%s at %s", code(r.Reason, markdownCell), code(strings.TrimPrefix(r.Target.Name+" "+r.Target.BaseURL, " "), markdownCell))
	if hidden := HiddenLine(r); hidden != "" {
		m.line("\n%s", code(hidden, markdownCell))
	}
	m.line("\n%s.", words(extent(r)))
	if r.Insecure {
		m.line("\n**%s.**", words(Insecure))
	}
	if len(r.Unused) > 0 {
		m.line("\nStated by the document, and not used: %s.", words(strings.Join(r.Unused, "; ")))
	}
}

var verdictSign = map[Verdict]string{Conforming: "✅", Nonconforming: "❌", Inconclusive: "⚠️"}

func (m *markdown) findings(r *Report) {
	found, causes := pick(r, fresh), Causes(r, fresh)
	if len(found) == 0 {
		return
	}
	m.table("Findings", "cause", "clause", "sent", "expected", "got", "seen")
	for _, c := range causes[:min(len(causes), markdownFindings)] {
		f, got := c.example, c.example.Got
		if says := serverSays(f); says != "" {
			got += "; the server says: " + says
		}
		clause := fmt.Sprintf("%s (%s)", words(strings.Join(c.Clauses, ", ")), f.Basis)
		m.row(codeCell(c.Title), clause, codeCell(sentOf(f)), codeCell(f.Expected), codeCell(got), words(c.often(r)))
	}
	m.more(len(causes)-markdownFindings, "cause")
	m.hints(causes)
	m.cases(causes)
	m.newCases(found)
	m.what(r, found)
	m.again(causes)
}

// hints are the usual causes of what was found, each once.
func (m *markdown) hints(causes []*Cause) {
	said := map[*Hint]bool{}
	for _, c := range causes[:min(len(causes), markdownFindings)] {
		if c.Hint == nil || said[c.Hint] {
			continue
		}
		if said[c.Hint] = true; len(said) == 1 {
			m.line("")
		}
		m.line("- Hint for %s: %s", code(c.Words, markdownCell), words(c.Hint.String()))
	}
}

// cases are all in which each cause was seen.
func (m *markdown) cases(causes []*Cause) {
	m.line("\n## Cases\n")
	for _, c := range causes[:min(len(causes), markdownFindings)] {
		m.line("- %s: %s", code(c.Words, markdownCell), code(strings.Join(c.Cases, ", "), len(strings.Join(c.Cases, ", "))+1))
	}
}

// newCases names the cases in which a finding is not accepted, though it is in others.
func (m *markdown) newCases(found []*oracle.Finding) {
	shown := 0
	for _, f := range found {
		if len(f.NewCases) == 0 || shown == markdownRows {
			continue
		}
		if shown++; shown == 1 {
			m.line("")
		}
		m.line("- %s %s: %s", words(f.Clause), words(f.Operation), code(newCases(f), 3*markdownCell))
	}
}

// what says once what the broken clauses ask for.
func (m *markdown) what(r *Report, found []*oracle.Finding) {
	broken := map[string]bool{}
	for _, f := range found {
		broken[f.Clause] = true
	}
	m.line("")
	for _, c := range r.Totals() {
		if broken[c.ID] {
			m.line("- **%s** (%s): %s", words(c.ID), c.Basis, words(c.Text))
		}
	}
}

// again gives the requests that show the first findings.
func (m *markdown) again(causes []*Cause) {
	var b strings.Builder
	n := 0
	for _, c := range causes {
		f := c.example
		if f.Curl == "" || n == markdownCurls {
			continue
		}
		n++
		fmt.Fprintf(&b, "# %s in %s\n", f.Clause, wording.Printable(f.Case))
		lines := []oracle.Finding{*f}
		if len(f.Requests) > 0 {
			lines = nil
		}
		for _, q := range f.Requests {
			lines = append(lines, oracle.Finding{Curl: q.Curl})
		}
		for i := range lines {
			fmt.Fprintln(&b, strings.TrimLeft(curlLine(&lines[i]), " `~"))
		}
	}
	if n == 0 {
		return
	}
	// No line of it begins with what would end the block.
	m.line("\n## To see it again\n\nKeys are shell variables.\n\n```sh\n%s```", b.String())
}

// others are what does not fail the run, what was not tested and what was not put back.
func (m *markdown) others(r *Report) {
	seen := func(f *oracle.Finding) string { return codeCell(Sentence(f)) }
	tableOf(m, pick(r, isAccepted), "finding", "Known findings", []string{"clause", "what was seen", "why it is let pass"},
		func(f *oracle.Finding) []string { return []string{words(f.Clause), seen(f), codeCell(f.Known)} })
	out := pick(r, isIgnored)
	tableOf(m, out, "finding", ignoredTitle(len(out)), []string{"clause", "what was seen", "why it does not count"},
		func(f *oracle.Finding) []string { return []string{words(f.Clause), seen(f), codeCell(f.Ignored)} })
	notices := pick(r, func(f *oracle.Finding) bool { return f.Severity == oracle.Notice && f.Counts() })
	tableOf(m, notices, "notice", "Notices: no source requires it", []string{"clause", "what was seen"},
		func(f *oracle.Finding) []string { return []string{words(f.Clause), seen(f)} })
	tableOf(m, untestedGroups(r), "reason", "Not tested", []string{"reason", "cases", "clauses left open"},
		func(g *untestedGroup) []string {
			return []string{codeCell(g.reason), fmt.Sprint(g.cases), words(wording.Some(g.clauses, 8))}
		})
	tableOf(m, notRestored(r), "object", "Not put back", []string{"object", "id", "why"},
		func(c session.Change) []string {
			return []string{codeCell(c.Object), fmt.Sprint(c.ID), codeCell(c.Reason)}
		})
}

func (m *markdown) clauses(r *Report) {
	m.table("Clauses", "basis", "held", "broken", "not tested")
	for _, b := range spec.Bases() {
		n := map[ClauseStatus]int{}
		for _, c := range r.Totals() {
			if c.Basis == b {
				n[c.Status]++
			}
		}
		m.row(string(b), fmt.Sprint(n[Held]), fmt.Sprint(n[Broken]), fmt.Sprint(n[NotTested]))
	}
}

func (m *markdown) openPoints(r *Report) {
	if len(r.OpenPoints) == 0 {
		return
	}
	m.table("What the target chose where the contract is silent", "open point", "question", "answer")
	for _, o := range r.OpenPoints {
		m.row(words(o.ID), codeCell(o.Question), codeCell(strings.Join(o.answered(), "; ")))
	}
	if block := PinBlock(r); block != "" {
		m.line("\n%s\n\n```yaml\n%s```", pinIntro, block)
	}
}
