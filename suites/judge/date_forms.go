package judge

import (
	"cmp"
	"maps"
	"slices"
)

// DateForm is where a form of dates was seen first.
type DateForm struct {
	Seen    string // the date and the operation, in words
	Pointer string
	Result  *Result
	Told    bool
	turn    int // among those of one case
}

// NoteForm notes where a form of dates was seen.
func (b *Outcome) NoteForm(form string, f *DateForm) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f.turn = f.Result.Dates
	if first := b.forms[form]; first == nil || f.Result.Case.Place < first.Result.Case.Place {
		b.forms[form] = f
	}
}

// Forms are the forms of dates, in the order of the plan.
func (b *Outcome) Forms() []*DateForm {
	var all []*DateForm
	for _, form := range slices.Sorted(maps.Keys(b.forms)) {
		all = append(all, b.forms[form])
	}
	slices.SortFunc(all, func(x, y *DateForm) int {
		return cmp.Or(x.Result.Case.Place-y.Result.Case.Place, x.turn-y.turn)
	})
	return all
}
