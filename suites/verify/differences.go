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
	"started", "durationSeconds", "waitedSeconds", "run", "digests", "suite", "insecure",
	"target.given", "target.overlay", "target.subject", "results.seconds", "baseline.file",
}

// weighty are the parts of a report of which differences are told first, in their order.
var weighty = []string{"verdict", "level", "exitCode", "findings", "clauses", "results", "cases"}

// differences says where a report differs from the one that follows from the traffic.
func differences(said, follows []byte, keyHeader string) []string {
	var a, b any
	if json.Unmarshal(said, &a) != nil || json.Unmarshal(follows, &b) != nil {
		return []string{"verdict: the reports cannot be compared"}
	}
	d := &comparison{header: keyHeader, found: map[string][]string{}}
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
type comparison struct {
	header string // that carries the key
	found  map[string][]string
}

func (d *comparison) note(part, format string, args ...any) {
	top, _, _ := strings.Cut(part, ".")
	d.found[top] = append(d.found[top], top+": "+fmt.Sprintf(format, args...))
}

// compare compares values; part is the place in every report, at says which it is in this one.
func (d *comparison) compare(part, at string, said, follows any) {
	if slices.Contains(incidental, part) || strings.HasSuffix(part, ".line") || reflect.DeepEqual(said, follows) {
		return
	}
	switch s := said.(type) {
	case map[string]any:
		if f, ok := follows.(map[string]any); ok {
			d.members(part, at, s, f)
			return
		}
	case []any:
		f, ok := follows.([]any)
		switch {
		case ok && slices.ContainsFunc(append(slices.Clone(s), f...), named):
			d.items(part, at, s, f)
			return
		case ok && len(s) == len(f):
			for i := range s {
				d.compare(part, at, s[i], f[i])
			}
			return
		}
	}
	if strings.HasSuffix(part, "curl") && d.keyless(said) == d.keyless(follows) || clippedAlike(said, follows) {
		return
	}
	a, b := apart(show(said), show(follows))
	d.note(part, "%sthe report says %s, its traffic gives %s", at, a, b)
}

// clippedAlike says whether two texts are the same but for what was clipped of them: the last
// characters before that are left out where they may be the begin of a key.
func clippedAlike(said, follows any) bool {
	a, _ := said.(string)
	b, _ := follows.(string)
	as, bs := strings.Split(a, "…"), strings.Split(b, "…")
	if len(as) != len(bs) || len(as) == 1 {
		return false
	}
	for i := range as[:len(as)-1] {
		x, y := strings.TrimRight(as[i], " "), strings.TrimRight(bs[i], " ")
		if !strings.HasPrefix(x, y) && !strings.HasPrefix(y, x) {
			return false
		}
	}
	return as[len(as)-1] == bs[len(bs)-1]
}

// keyless is a curl line without the key, which may be an expression of the owner's.
func (d *comparison) keyless(line any) string {
	text, _ := line.(string)
	before, after, _ := strings.Cut(text, d.header+": ")
	_, after, _ = strings.Cut(after, " -H ")
	return before + " " + after
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
	other := map[string][]any{}
	for _, item := range follows {
		other[name(item)] = append(other[name(item)], item)
	}
	for _, item := range said {
		if f := other[name(item)]; len(f) > 0 {
			d.compare(part, at+name(item)+": ", item, f[0])
			other[name(item)] = f[1:]
		} else {
			d.note(part, "%s%s is in the report and does not follow from its traffic", at, name(item))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(other)) {
		for range other[id] {
			d.note(part, "%s%s follows from the traffic and is not in the report", at, id)
		}
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
	keys := []string{"check", "clause", "operation", "place", "object", "change", "need", "answer", "id"}
	if m["title"] != nil { // a case
		keys = []string{"id"}
	}
	var words []string
	for _, key := range keys {
		if text, ok := m[key].(string); ok && text != "" {
			words = append(words, text)
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
	return string(text)
}

// apart are two texts as far as they differ.
func apart(a, b string) (string, string) {
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	short := func(text string) string {
		if same > maxShown/2 {
			text = "…" + strings.ToValidUTF8(text[same-maxShown/4:], "")
		}
		return wording.ClipPrintable(text, maxShown)
	}
	return short(a), short(b)
}

const maxShown = 60
