package judge

import (
	"github.com/adconform/adconform/suites/wire"
)

// note counts an exchange that no case judges.
func (b *Outcome) Note(ex *wire.Exchange) {
	b.count(ex)
	if ex.Err == nil {
		b.answer(ex, "")
	}
}
