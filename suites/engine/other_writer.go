package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// A text that this run never sent and the target never showed may come from somebody
// else who writes to the same object, and may be the doing of a faulty target. So what
// is found by it is tentative until the end of the run. Then the object is looked at
// while nothing is sent to it, and the case is run again: a target does what it did
// before, and does it in answer to requests.

// unknownText is a text that appeared in a field of an object.
type unknownText struct {
	object *Object
	field  string
	text   string
}

// sharedPart is the length of a piece that a made-up text and a shown one can only
// have in common when one was made of the other.
const sharedPart = 5

// isUnknown says whether an answer shows a plain text that nobody of this run sent,
// whole, in part or in another form, and that the target was not seen to hold.
func (t *T) isUnknown(f *spec.Field, got any) bool {
	text, ok := got.(string)
	if !ok || strings.TrimSpace(text) == "" || len(f.Enum) > 0 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		return false
	}
	for sent := range t.sent {
		if derived(sent, text) {
			return false
		}
	}
	for _, other := range t.order {
		if other.heldEver(text) {
			return false
		}
	}
	return true
}

// derived says whether a text may have been made of one that was sent.
func derived(sent, shown string) bool {
	a, b := asciiLower(sent), asciiLower(shown)
	if strings.Contains(a, b) || strings.Contains(b, a) {
		return true
	}
	for i := 0; i+sharedPart <= len(b); i++ {
		if strings.Contains(a, b[i:i+sharedPart]) {
			return true
		}
	}
	return false
}

// heldEver says whether the target file or an answer gave the text as a value of the
// object.
func (o *Object) heldEver(text string) bool {
	for _, values := range []map[string]any{o.Given, o.original, o.constant, o.last, o.previous, o.firstShown} {
		for _, v := range values {
			if v == any(text) {
				return true
			}
		}
	}
	for _, values := range o.earlier {
		if contains(values, nil, text) {
			return true
		}
	}
	return false
}

// noteUnknown notes an unknown text at its first sight; later the object is known to
// have held it.
func (t *T) noteUnknown(o *Object, f *spec.Field, got any) {
	if t.flight == nil && t.isUnknown(f, got) {
		o.unknown[got.(string)] = true
	}
}

// mayBeAnothers makes a finding about an unknown text tentative.
func (t *T) mayBeAnothers(f *Finding, r *Result, o *Object, field *spec.Field, got any) {
	text, _ := got.(string)
	if f == nil || !o.unknown[text] {
		return
	}
	r.Doubtful = true
	t.book.doubt(doubt{finding: f, result: r, object: o, unknown: &unknownText{o, field.Name, text}})
}

// writtenByAnother decides whether what was found on an object is another writer's
// doing. All of it is, or nothing.
func (t *T) writtenByAnother(d doubt) bool {
	o := d.unknown.object
	if known, decided := t.written[o]; decided {
		return known
	}
	t.written[o] = true // nor is it asked again meanwhile
	t.written[o] = !t.recurs(d)
	return t.written[o]
}

// recurs says whether the same text appears each time that the case is run once more,
// and nothing unknown while nothing is sent.
func (t *T) recurs(d doubt) bool {
	if d.result.Case.Once {
		return false
	}
	o := d.unknown.object
	again := func(part func(t *T)) (texts []string) {
		trial := &T{Session: d.result.session, Ctx: t.Ctx, Case: d.result.Case, Result: &Result{Case: d.result.Case, Status: Passed}}
		trial.Fake = fixtures.NewFake(t.Seed+uint64(len(t.doubts)), d.result.Case.ID).Marked(t.mark)
		o.unknown = map[string]bool{}
		t.guard(d.result.Case.ID, func() { part(trial) })
		return sortedKeys(o.unknown)
	}
	for range max(1, len(d.result.Exchanges)) {
		if len(again(func(t *T) { t.Read(o) })) > 0 || t.Ctx.Err() != nil {
			return false
		}
	}
	for range repeats {
		if !slices.Equal(again(func(t *T) {
			t.Case.Run(t)
			t.Read(o)
		}), []string{d.unknown.text}) {
			return false
		}
	}
	return true
}

// anothers says what the operator has to know of another writer.
func (s *unknownText) anothers() string {
	return fmt.Sprintf("somebody else writes to %s (%d) during the run: its %s was %s, which this run did not send and the target had not shown before; run while nobody else uses it, or name another",
		s.object.Name(), s.object.ID(), s.field, Show(s.text))
}
