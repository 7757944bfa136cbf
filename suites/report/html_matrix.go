package report

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"

	"github.com/adconform/adconform/suites/engine"
)

// htmlMatrix is the picture of a run: operations × classes of cases.
type htmlMatrix struct {
	Columns []htmlColumn
	Rows    []htmlRow
}

type htmlColumn struct{ Class, Hint string }

type htmlRow struct {
	Operation string
	Cells     []htmlCell // one for each column
}

// htmlCell counts the cases of an operation and a class.
type htmlCell struct {
	Operation, Class          string
	Passed, Failed, NotTested int
}

// htmlColumns are the known classes in the order in which they are shown.
var htmlColumns = []htmlColumn{
	{engine.ClassSuccess, "valid requests"},
	{engine.Class401, "not authenticated"},
	{engine.Class403, "no permission"},
	{engine.Class404, "not found"},
	{engine.Class422, "wrong fields"},
	{engine.ClassText, "odd texts"},
	{engine.ClassOpen, "left open"},
	{engine.ClassEffects, "what requests do"},
	{engine.ClassState, "what requests leave"},
	{engine.ClassRandom, "random sequences"},
}

func newHTMLMatrix(r *Report) htmlMatrix {
	var m htmlMatrix
	cells := map[[2]string]*htmlCell{}
	var operations, classes []string
	for _, c := range r.Results {
		key := [2]string{c.Operation, c.Class}
		if cells[key] == nil {
			cells[key] = &htmlCell{Operation: c.Operation, Class: c.Class}
			operations, classes = append(operations, c.Operation), append(classes, c.Class)
		}
		cells[key].add(c.Status)
	}
	for _, column := range htmlColumns {
		if slices.Contains(classes, column.Class) {
			m.Columns = append(m.Columns, column)
		}
	}
	for _, class := range classes {
		if !slices.ContainsFunc(m.Columns, func(c htmlColumn) bool { return c.Class == class }) {
			m.Columns = append(m.Columns, htmlColumn{Class: class})
		}
	}
	for _, operation := range operations {
		if slices.ContainsFunc(m.Rows, func(r htmlRow) bool { return r.Operation == operation }) {
			continue
		}
		row := htmlRow{Operation: operation}
		for _, column := range m.Columns {
			cell := htmlCell{Operation: operation, Class: column.Class}
			if c := cells[[2]string{operation, column.Class}]; c != nil {
				cell = *c
			}
			row.Cells = append(row.Cells, cell)
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

func (c *htmlCell) add(s engine.Status) {
	switch s {
	case engine.Passed:
		c.Passed++
	case engine.Failed:
		c.Failed++
	default:
		c.NotTested++
	}
}

// Total is the number of cases.
func (c htmlCell) Total() int { return c.Passed + c.Failed + c.NotTested }

// State is the worst that is in the cell; partly: some cases were not tested,
// the others passed.
func (c htmlCell) State() string {
	switch {
	case c.Total() == 0:
		return "none"
	case c.Failed > 0:
		return "failed"
	case c.Passed == 0:
		return "notTested"
	case c.NotTested > 0:
		return "partly"
	}
	return "passed"
}

// Number is how many cases are in that state.
func (c htmlCell) Number() string {
	switch c.State() {
	case "failed":
		return fmt.Sprintf("%d/%d", c.Failed, c.Total())
	case "partly":
		return fmt.Sprintf("%d/%d", c.Passed, c.Total())
	}
	return fmt.Sprint(c.Total())
}

// Words say what the cell shows.
func (c htmlCell) Words() string {
	return fmt.Sprintf("%s, %s: %d passed, %d failed, %d not tested", c.Operation, c.Class, c.Passed, c.Failed, c.NotTested)
}

// Bar is the share of each state.
func (c htmlCell) Bar() htmlBar {
	return newHTMLBar(htmlPart{"passed", "passed", c.Passed}, htmlPart{"failed", "failed", c.Failed}, htmlPart{"notTested", "not tested", c.NotTested})
}

// Filter is the address, within the page, of the cases of the cell.
func (c htmlCell) Filter() template.URL {
	return htmlAddress("operation", c.Operation, "class", c.Class)
}

// htmlAddress is a fragment that the script of the page understands. It is safe
// as a URL: all that is not ours is percent-encoded.
func htmlAddress(pairs ...string) template.URL {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Set(pairs[i], pairs[i+1])
	}
	return template.URL("#" + q.Encode())
}

// htmlBar is a bar of parts, 100 wide.
type htmlBar struct {
	Parts    []htmlPart
	Segments []htmlSegment
}

type htmlPart struct {
	State, Label string
	Count        int
}

type htmlSegment struct {
	State    string
	X, Width float64
}

func newHTMLBar(parts ...htmlPart) htmlBar {
	b := htmlBar{Parts: parts}
	total := 0
	for _, p := range parts {
		total += p.Count
	}
	x := 0.0
	for _, p := range parts {
		if p.Count > 0 {
			width := 100 * float64(p.Count) / float64(total)
			b.Segments = append(b.Segments, htmlSegment{p.State, x, width})
			x += width
		}
	}
	return b
}
