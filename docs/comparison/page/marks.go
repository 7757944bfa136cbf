package main

import (
	"fmt"
	"slices"
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
		cells := []string{"`" + s.ID + "`", strings.ReplaceAll(s.What, "|", `\|`)}
		if kind == "fault" {
			cells = append(cells, s.Clause)
		}
		for _, tool := range r.tools {
			mark := ""
			if r.hit(tool, s, 1) {
				mark = "x"
			}
			cells = append(cells, mark)
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

func families(r *results) string {
	of := map[string][]subject{}
	var names []string
	for _, s := range r.of("fault") {
		family, _, _ := strings.Cut(s.ID, "/")
		if of[family] == nil {
			names = append(names, family)
		}
		of[family] = append(of[family], s)
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString(heading("--:", append([]string{"family", "faults"}, titles(r.tools)...)...))
	for _, family := range names {
		cells := []string{"`" + family + "`", fmt.Sprint(len(of[family]))}
		for _, tool := range r.tools {
			found := 0
			for _, s := range of[family] {
				if r.hit(tool, s, 1) {
					found++
				}
			}
			cells = append(cells, fmt.Sprint(found))
		}
		b.WriteString(row(cells...))
	}
	return b.String()
}

// behind lists what adconform does worse, subject by subject.
func behind(r *results) string {
	var b strings.Builder
	for _, s := range r.Sample {
		switch {
		case s.Kind == "variant" && r.hit("adconform", s, 1):
			fmt.Fprintf(&b, "- The variant `%s` is flagged by adconform. %s\n", s.ID, s.What)
		case s.Kind != "variant" && !r.hit("adconform", s, 1):
			others := r.others(s)
			if len(others) == 0 {
				others = []string{"none of the others either"}
			}
			fmt.Fprintf(&b, "- `%s` is not found by adconform. %s Found by %s.\n", s.ID, s.What, strings.Join(others, "; "))
		}
	}
	if b.Len() == 0 {
		return "In this sample nothing.\n"
	}
	return b.String()
}

// ahead lists the faults and crashes that adconform alone finds.
func ahead(r *results) string {
	var b strings.Builder
	for _, s := range r.Sample {
		if s.Kind != "variant" && len(r.others(s)) == 0 && r.hit("adconform", s, 1) {
			fmt.Fprintf(&b, "- `%s`: %s\n", s.ID, s.What)
		}
	}
	if b.Len() == 0 {
		return "In this sample nothing.\n"
	}
	return b.String()
}

// others are the other tools that report the subject.
func (r *results) others(s subject) []string {
	var others []string
	for _, tool := range r.tools {
		if rank(tool) > 0 && r.hit(tool, s, 1) {
			others = append(others, title(tool))
		}
	}
	return others
}

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
