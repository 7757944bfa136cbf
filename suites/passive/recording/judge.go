package recording

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// Keys says whether the recordings show keys at all. An export that somebody has
// cleaned does not, and then nobody can say who sent none.
func Keys(recordings []*Recording, base string) bool {
	keyed, cookie, cleans := false, false, false
	for _, r := range recordings {
		cleans = cleans || r.cleans()
		for _, e := range r.entries {
			if e.base == base {
				keyed, cookie = keyed || e.keyed, cookie || e.cookie
			}
		}
	}
	return keyed && (cookie || !cleans)
}

// cleans says whether the recorder may have left out Cookie and Authorization, as
// Chromium does unless it is set otherwise.
func (r *Recording) cleans() bool { return strings.HasPrefix(r.creator, "WebInspector") }

// event is the begin or the end of an exchange.
type event struct {
	at  int64
	end bool
	of  *entry
}

// Judge has every exchange below a base URL judged, in the order of their begins
// and ends, and adds to the counts. What is in one recording is not held against
// what is in another: it is unknown what happened between them.
func (r *Recording) Judge(ctx context.Context, j *suites.Judge, base string, n *report.Recording) error {
	n.Others += r.Others
	var events []event
	origin, _, _ := split(base)
	// Where it is unknown when something else may have changed the target, no
	// exchange says anything of another.
	timeless := slices.ContainsFunc(r.entries, func(e *entry) bool { return e.other && e.base == origin && !e.when.known })
	for _, e := range r.entries {
		switch {
		case e.other && e.base != origin || !e.other && e.base != base:
			if !e.other {
				n.Others++
			}
		case e.other && timeless:
		case e.when.known && !timeless:
			events = append(events, event{e.when.start, false, e}, event{e.when.end, true, e})
		default: // alone: it is unknown what came before it
			j.Forget()
			e.end(j, j.Begin(e.method, e.target), n)
		}
	}
	j.Forget()
	slices.SortStableFunc(events, func(a, b event) int {
		if d := cmp.Compare(a.at, b.at); d != 0 || a.end == b.end {
			return d
		} else if a.end { // what ends when another begins was still under way
			return 1
		}
		return -1
	})
	flights := map[*entry]*suites.Flight{}
	for _, ev := range events {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case ev.of.other:
			j.Forget() // it may have put things back, or made others
		case !ev.end:
			flights[ev.of] = j.Begin(ev.of.method, ev.of.target)
		default:
			ev.of.end(j, flights[ev.of], n)
			delete(flights, ev.of)
		}
	}
	return nil
}

func (e *entry) end(j *suites.Judge, f *suites.Flight, n *report.Recording) {
	x := *e.exchange
	if x.Response != nil {
		response := *x.Response // the judge may change what it gets
		x.Response = &response
	}
	x.Method, x.Target = e.method, e.target
	if x.missing == "" && suites.OutOfScope(x.Recorded) != "" {
		x.missing = OutOfScope
	}
	if x.missing != "" {
		j.Abandon(f)
		n.Skipped[string(x.missing)]++
		return
	}
	j.End(f, x.Recorded)
	n.Judged++
}
