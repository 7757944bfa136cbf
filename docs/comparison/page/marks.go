package main

import (
	"fmt"
	"strings"
)

// marks is a table with a line for each subject of a kind.
func marks(r *results, kind string) string {
	head := []string{"id", "what"}
	if kind == "fault" {
		head = append(head, "clause")
	}
	var b strings.Builder
	b.WriteString(heading(":-:", append(head, titles(r.tools)...)...))
	for _, s := range r.of(kind) {
		cells := []string{"`" + s.ID + "`", strings.ReplaceAll(s.text(), "|", `\|`)}
		if kind == "fault" {
			cells = append(cells, s.Clause)
		}
		for _, tool := range r.tools {
			cells = append(cells, r.mark(tool, s))
		}
		b.WriteString(row(cells...))
	}
	return b.String()
}

func titles(tools []string) []string {
	var all []string
	for _, tool := range tools {
		all = append(all, title(tool))
	}
	return all
}

// mark is an x for what the tool reports, with the number of seeds where it is not all.
func (r *results) mark(tool string, s subject) string {
	switch n := r.times(tool, s); {
	case n == 0:
		return ""
	case r.always(tool, s):
		return "x"
	default:
		return fmt.Sprintf("%d of %d", n, len(r.Tools[tool]))
	}
}

// behind lists what adconform does worse, subject by subject.
func behind(r *results) string {
	var b strings.Builder
	for _, s := range r.Sample {
		n := r.times("adconform", s)
		switch {
		case s.Kind == "variant" && n > 0:
			fmt.Fprintf(&b, "- The variant `%s` is flagged by adconform. %s\n", s.ID, s.text())
		case s.Kind != "variant" && n < len(r.Tools["adconform"]):
			missed := "is not found by adconform"
			if n > 0 {
				missed += fmt.Sprintf(" with %d of %d seeds", len(r.Tools["adconform"])-n, len(r.Tools["adconform"]))
			}
			others := r.others(s)
			if len(others) == 0 {
				others = []string{"none of the others either"}
			}
			fmt.Fprintf(&b, "- The %s `%s` %s: %s Found by %s.\n", names[s.Kind], s.ID, missed, s.text(), strings.Join(others, "; "))
		}
	}
	return orNothing(b.String())
}

// ahead lists what breaks the contract and adconform alone finds.
func ahead(r *results) string {
	var b strings.Builder
	for _, s := range r.Sample {
		if s.Kind != "variant" && len(r.others(s)) == 0 && r.always("adconform", s) {
			fmt.Fprintf(&b, "- The %s `%s`: %s\n", names[s.Kind], s.ID, s.text())
		}
	}
	return orNothing(b.String())
}

func orNothing(list string) string {
	if list == "" {
		return "In this sample nothing.\n"
	}
	return list
}

// others are the other tools that report the subject, be it with one seed.
func (r *results) others(s subject) []string {
	var others []string
	for _, tool := range r.tools {
		if rank(tool) > 0 && r.times(tool, s) > 0 {
			others = append(others, strings.TrimSuffix(title(tool)+" ("+r.mark(tool, s)+" seeds)", " (x seeds)"))
		}
	}
	return others
}

// text says what is wrong with the subject, or what it does, as a sentence in Markdown.
func (s subject) text() string {
	if s.Kind != "mutant" {
		return s.What
	}
	before, after, _ := strings.Cut(s.What, " becomes ")
	if after == "(dropped)" {
		return code(before) + " is left out."
	}
	return code(before) + " becomes " + code(after) + "."
}

func code(text string) string { return "`" + strings.ReplaceAll(text, "`", "'") + "`" }

func alarms(r *results) string {
	var b strings.Builder
	for _, tool := range r.tools {
		for _, text := range r.known[tool] {
			fmt.Fprintf(&b, "- %s: %s\n", title(tool), text)
		}
	}
	if b.Len() == 0 {
		return "None.\n"
	}
	return b.String()
}
