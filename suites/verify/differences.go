package verify

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
)

// incidental are the parts of a report that do not follow from the traffic: times, and what
// is looked at otherwise.
var incidental = []string{
	"started", "durationSeconds", "waitedSeconds", "run", "digests", "suite", "insecure", "target.given", "target.overlay", "target.subject",
	"results.seconds", "baseline.file", "baseline.line",
}

// weighty are the parts of a report of which differences are told first, in their order.
var weighty = []string{"verdict", "level", "exitCode", "findings", "clauses", "results", "cases"}

// differences says where a report differs from the one that follows from the traffic.
func differences(said, follows []byte) []string {
	var a, b any
	if json.Unmarshal(said, &a) != nil || json.Unmarshal(follows, &b) != nil {
		return []string{"verdict: the reports cannot be compared"}
	}
	d := &comparison{found: map[string][]string{}}
	d.compare("", "", a, b)
	var all []string
	for _, part := range weighty {
		all = append(all, d.found[part]...)
		delete(d.found, part)
	}
	for _, part := range slices.Sorted(maps.Keys(d.found)) {
		all = append(all, d.found[part]...)
	}
	return all
}

// comparison is what differs, by part of a report.
type comparison struct{ found map[string][]string }

func (d *comparison) note(part, format string, args ...any) {
	top, _, _ := strings.Cut(part, ".")
	d.found[top] = append(d.found[top], top+": "+fmt.Sprintf(format, args...))
}

// compare compares values; part is the place in every report, at says which it is in this one.
func (d *comparison) compare(part, at string, said, follows any) {
	if slices.Contains(incidental, part) || reflect.DeepEqual(said, follows) {
		return
	}
	switch s := said.(type) {
	case map[string]any:
		if f, ok := follows.(map[string]any); ok {
			d.members(part, at, s, f)
			return
		}
	case []any:
		if f, ok := follows.([]any); ok && slices.ContainsFunc(append(slices.Clone(s), f...), named) {
			d.items(part, at, s, f)
			return
		}
	}
	d.note(part, "%sthe report says %s, its traffic gives %s", at, show(said), show(follows))
}

func (d *comparison) members(part, at string, said, follows map[string]any) {
	all := maps.Clone(said)
	maps.Copy(all, follows)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		within, below := name, at
		if part != "" {
			within, below = part+"."+name, at+name+" "
		}
		d.compare(within, below, said[name], follows[name])
	}
}

// items compares lists whose items have names, in whatever order.
func (d *comparison) items(part, at string, said, follows []any) {
	other := map[string]any{}
	for _, item := range follows {
		other[name(item)] = item
	}
	for _, item := range said {
		if f, ok := other[name(item)]; ok {
			d.compare(part, at+name(item)+": ", item, f)
			delete(other, name(item))
		} else {
			d.note(part, "%s%s is in the report and does not follow from its traffic", at, name(item))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(other)) {
		d.note(part, "%s%s follows from the traffic and is not in the report", at, id)
	}
}

func named(item any) bool { return name(item) != "" }

// name is what an item of a list is known by: a finding, a clause on its operation, a case, an
// object; "" where it has none.
func name(item any) string {
	m, ok := item.(map[string]any)
	if !ok {
		return ""
	}
	var words []string
	for _, key := range []string{"id", "operation", "object", "change", "title", "need", "clause", "check", "place", "answer"} {
		if text, ok := m[key]; ok && fmt.Sprint(text) != "" {
			words = append(words, fmt.Sprint(text))
		}
	}
	return strings.Join(words, " ")
}

// show is a value on part of a line.
func show(v any) string {
	if v == nil {
		return "nothing"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return wording.ClipPrintable(string(text), maxShown)
}

const maxShown = 60
