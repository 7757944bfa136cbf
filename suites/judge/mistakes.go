package judge

import (
	"fmt"
	"slices"
	"strings"
)

// What the target file says and no answer ever showed is the operator's to correct:
// it is told with the verdict, and makes no finding.

// NoteMistake notes a mistake of the operator, in words that say what to do.
func (b *Outcome) NoteMistake(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Contains(b.mistakes, text) {
		b.mistakes = append(b.mistakes, text)
	}
}

// Misnamed says of a value of the target file that it is not what the target shows.
func Misnamed(object, words string) string {
	return fmt.Sprintf("%s: the target file says %s; correct it, or leave it out", object, words)
}

// Mistakes are the operator's mistakes that the run came upon, the first first.
func (b *Outcome) Mistakes() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clone(b.mistakes)
	if len(b.deletedBefore) > 0 {
		slices.Sort(b.deletedBefore)
		gone := slices.Compact(slices.Clone(b.deletedBefore))
		all = append(all, strings.Join(gone, ", ")+": not there (404), as if an earlier run had deleted what it may; "+
			"name others, or say under provision how to bring them back")
	}
	return all
}

// NoteAbsent notes an object that its user gets 403 or 404 for.
func (b *Outcome) NoteAbsent(o *Object, reason string) {
	if !strings.HasPrefix(o.Key, "disposable") || o.Forbidden {
		b.NoteMistake(reason)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.deletedBefore = append(b.deletedBefore, fmt.Sprintf("%s (%d)", o.Name(), o.ID()))
}
