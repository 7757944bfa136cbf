package specs

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// Interface document, operation 5: the owner gets a page of a list.
func shownLists(s *Specs, op *spec.Operation) {
	s.Case("success/ordinary", "The owner gets the list of "+op.Items+", the same each time.",
		Options{Quick, Clause(op.Clause, "AUTH-4", "EFFECT-3", op.Effects["repeats"], op.Effects["members"])},
		func(c Case, o *Object) {
			for n := range 4 {
				request := Request(c, o)
				request.Raw = n == 1 // the first was sent before the run
				a := send(c, request, BeAccepted())
				if n == 2 && !(c.Target().ItemsMadeNow(a) && c.Pause(1100*time.Millisecond)) {
					return // otherwise their date of creation, in whole seconds, may be that of the read
				}
			}
		})
}

// Every user has an own list that no id names.
func ownLists(s *Specs, op *spec.Operation) {
	if len(op.Params) > 0 || op.Holds == "" {
		return
	}
	title := "Another user's list holds none of the owner's " + op.Items + ", not even right after the owner's."
	s.Case("success/of-the-stranger", title,
		Options{NeedsStranger, Clause(op.Clause, op.Effects["holds"])},
		func(c Case, o *Object) {
			answers := sendAll(c, c.SendInOrder, served(c, o), exchange{Call{Op: op, As: c.Stranger()}, BeAccepted()})
			c.Compare().JudgeOthers(o, answers[1])
		})
}

// None of the five operations reads a single object; these specs are for one of a vendor's
// document that does.
func shownObjects(s *Specs, op *spec.Operation) {
	shown := Clause(op.Effects["identity"], op.Effects["stays"])

	s.Case("success/ordinary", "The owner gets the object of the path, the same each time.",
		Options{Clause(op.Clause, "AUTH-4", "EFFECT-3", op.Effects["repeats"]), shown, Quick},
		func(c Case, o *Object) {
			first := send(c, Request(c, o), BeAccepted())
			for _, again := range []Call{Request(c, o, Raw), Request(c, o)} {
				c.Compare().JudgeRepeat(o, first, send(c, again, BeAccepted()))
			}
		})

	for _, key := range keysOf(s.Target, op)[1:] {
		s.Case("success/of-"+wording.Slug(key), "A read of "+key+" shows that object, and no other.",
			Options{Needs(judge.OwnKey(key)), Clause(op.Clause), shown},
			func(c Case, o *Object) {
				for _, o := range []*Object{c.Object(op, key), o} { // shows a cache whose key is less than the path
					send(c, Request(c, o), BeAccepted())
				}
			})
	}
}

// readsAfterUpdates: a read shows what an update of the same object set, and nothing that
// was refused.
func readsAfterUpdates(s *Specs, op *spec.Operation) {
	for _, update := range operations(s.Contract, (*spec.Operation).Updates) {
		if !update.SameObjects(op) {
			continue
		}
		title := "A read shows what " + update.ID + " set, and nothing of what it refused."
		s.Case("effects/after-"+wording.Slug(update.ID), title,
			Options{Clause(op.Effects["shows"], "EFFECT-1"), Writes},
			func(c Case, o *Object) {
				updated := c.Object(update, op.Key())
				read := func() { send(c, Request(c, o), BeAccepted()) }
				read() // the values to restore
				c.Survey(updated)
				for round := range 2 {
					c.Write(updated, c.Ordinary(updated, round))
					read()
				}
				send(c, Request(c, updated, As(anonymous)), BeRefused(401).Citing("AUTH-1"))
				read()
			})
	}
}

// RFC 9110, 13.1.2 and 13.1.3: a client requests a list only if it has changed. This applies
// to targets whose lists carry an entity tag or a date, which no server has to send.
func conditionalReads(s *Specs, op *spec.Operation) {
	s.Case("state/conditional", "A list with an entity tag or a date is answered 304 only to a request that names it.",
		Options{Clause("HTTP-4", "AUTH-1", "AUTH-2", "HTTP-2"), Observes("list-validators"), Quick},
		func(c Case, o *Object) {
			// RFC 9110, 13.1.3: an invalid date is ignored.
			first := send(c, Request(c, o, Header("If-Modified-Since", "yesterday")), BeAccepted().Citing("HTTP-4"))
			if !first.Expected {
				return
			}
			v := first.Validators()
			c.Observe("list-validators", spec.Choice(v.String()))
			if tag := v.Tag; tag != "" {
				ask(c, o, unlessTag(tag), 304)
				ask(c, o, unlessTag(fmt.Sprintf(`"adconform-%s", %s`, c.Fake().Key(8), tag)), 304)
				ask(c, o, unlessTag(fmt.Sprintf(`"adconform-%s"`, c.Fake().Key(8))))
				if other, _ := changeMiddle(tag); other != tag {
					ask(c, o, unlessTag(other))
				}
				send(c, Request(c, o, As(anonymous), unlessTag(tag)), BeRefused(401).Citing("AUTH-1"))
				if hasStranger(c, op) {
					send(c, Request(c, o, As(c.Stranger()), unlessTag(tag)), BeRefused(403).Citing("AUTH-2"))
				}
				many := strings.Repeat(`"adconform", `, 100) + tag
				for _, odd := range []string{"*", "adconform", `"adconform`, "W/", many} {
					send(c, Request(c, o, unlessTag(odd)), BeAnswered())
				}
			}
			if v.Modified.IsZero() {
				return
			}
			ask(c, o, unlessChangedSince(v.Modified), 304)
			ask(c, o, unlessChangedSince(v.Modified.AddDate(0, 0, -1)))
			future := unlessChangedSince(v.Modified.AddDate(50, 0, 0))
			for _, odd := range []Change{Header("If-Modified-Since", "0"), future} {
				send(c, Request(c, o, odd), BeAnswered())
			}
		})
}

// ask requests a list with a condition, on a raw connection, which alone shows what follows
// a 304.
func ask(c Case, o *Object, condition Change, also ...int) {
	send(c, Request(c, o, condition, Raw), BeAccepted().Or(also...).Citing("HTTP-4"))
}

func unlessTag(tags string) Change { return Header("If-None-Match", tags) }

func unlessChangedSince(date time.Time) Change {
	return Header("If-Modified-Since", date.UTC().Format(http.TimeFormat))
}

// changedSince requests a list that has changed, as a client that knows the old list:
// 304 would leave it with stale items. Whether an empty list is 404 is open.
func changedSince(c Case, o *Object, before judge.Validators) {
	if before.Tag != "" {
		ask(c, o, unlessTag(before.Tag), 404)
	}
	if before.Settled {
		ask(c, o, unlessChangedSince(before.Modified), 404)
	}
}

// Interface document, Pagination: the pages together are the collection.
func pagesTogether(s *Specs, op *spec.Operation) {
	for _, key := range keysOf(s.Target, op) {
		// All are read before anything is written: the target file may be wrong. A container without media files is
		// read first also because its 404, if something removes it later, could be taken for the one of an empty list.
		looks, quick := optionIf(key != op.Key(), Looks(key)), optionIf(key == "emptyVastCreative", Quick)
		s.Case("success/walk-"+wording.Slug(key), "The pages of "+key+" together are its "+op.Items+", each once.",
			Options{Needs(judge.OwnKey(key)), Clause(walked(op)...), looks, quick},
			func(c Case, _ *Object) { walk(c, c.Object(op, key)) })
	}
	if len(op.Params) == 0 {
		s.Case("success/walk", "The pages together are the "+op.Items+", each once.",
			Options{Clause(walked(op)...), Quick},
			func(c Case, o *Object) { walk(c, o) })
	}
}

// Interface document, operation 5, says nothing about creatives without media files and about
// pages that do not exist.
func openLists(s *Specs, op *spec.Operation) {
	if point := op.Open["missing"]; point != "" {
		s.Case("open/missing", "The list of a creative that does not exist is answered 404, 422 or empty.",
			Options{Observes(point), Clause("ERR-1"), s.orUnknown()},
			func(c Case, o *Object) {
				a := send(c, Request(c, o, Unknown(c, 0, 0), NoObject), BeRefused(403, 404, 422).OrEmpty())
				c.Observe(point, a.Choice())
			})
	}
	if point := op.Open["nonVast"]; point != "" {
		s.Case("open/non-vast",
			"The list of a creative that is not a VAST container is answered 404, 422 or with a list.",
			Options{Observes(point), Needs("objects.plainCreative"), Clause(op.Clause), Looks("plainCreative")},
			func(c Case, _ *Object) {
				a := send(c, Request(c, c.Object(op, "plainCreative")), BeAccepted().Or(404, 422))
				c.Observe(point, a.Choice())
			})
	}

	title := "A request for a page that does not exist does not fail; a list in the answer has a page number."
	judged := Clause(op.Clause, op.PageClause("page"), op.PageClause("totalCount"))
	for _, row := range [][]string{
		{"beyond", "1000"},
		{"zero", "0"},
		{"negative", "-1"},
		{"letters", "abc"},
		{"fraction", "1.5"},
		{"beyond-63-bit", "9223372036854775808"},
		{"beyond-64-bit", "100000000000000000000"},
		{"empty", ""},
		{"twice", "1", "2"},
	} {
		s.Case("open/page-"+row[0], title, Options{Observes("page-beyond"), judged},
			func(c Case, o *Object) {
				a := askBeyond(c, o, BeAccepted().Or(unknownPage...), row[1:]...)
				c.Observe("page-beyond", a.Choice().Of(row[0]))
			})
	}

	const most32, most64 = math.MaxUint32, math.MaxInt64
	title = "A page whose number or first item exceeds an integer type is refused, or as empty as a page after the " +
		"last."
	s.Case("open/page-overflow", title, Options{Clause("HTTP-1"), judged},
		func(c Case, o *Object) {
			for _, number := range []int64{1001, most32 / 2, most32/2 + 1, most32, most32 + 1, most64} {
				askBeyond(c, o, BeAccepted().Or(unknownPage...), fmt.Sprint(number))
			}
		})
}

// askBeyond requests a page that does not exist, if there is paging.
func askBeyond(c Case, o *Object, to *Matcher, numbers ...string) *judge.Answer {
	parameter := c.Target().PageParameter(o.Op)
	skipUnless(c, parameter != "", judge.ByTarget, noPaging)
	request := Request(c, o, Query(parameter, numbers...).Called("a page that does not exist"))
	request.OutOfRange = true
	if n, err := strconv.ParseInt(numbers[0], 10, 64); err == nil && len(numbers) == 1 && n > 0 {
		request.Page = n
	}
	return send(c, request, to)
}

const noPaging = "the target file says that there is no paging"

// unknownPage lists the statuses of a target that does not know a page, or the parameter.
var unknownPage = []int{400, 404, 422}

// maxPages limits a walk; only a part of a container with more pages is walked.
const maxPages = 60

// walk reads every page of a list, the first one also by its number, and expects the whole. It returns
// the ids that it saw, and whether they are all.
func walk(c Case, o *Object) (ids []spec.ID, whole bool) {
	first := list(c, o, 0)
	if first == nil || first.List == nil {
		return nil, false
	}
	pages := first.List.TotalPages
	ids = first.List.IDs
	if pages > 1 {
		c.Observe("page-size", spec.Choice(fmt.Sprint(first.List.Count)))
	}
	switch {
	case c.Target().PageParameter(o.Op) == "":
		list(c, o, 0)
		if pages > 1 {
			c.Compare().InPart(o.Op,
				fmt.Sprintf("%s, and %s has %d pages; pin pageParameter as it is called", noPaging, o.Name(), pages))
		}
		return ids, pages <= 1
	case pages <= 1:
		page(c, o, 1, unknownPage...)
		if strings.HasPrefix(o.Key, "paged") {
			c.NotGiven(o.Name() + " has one page; name one with more " + o.Op.Items +
				" than a page holds, or pin pageParameter: null where there is no paging")
		}
		return ids, true
	}
	second := secondPage(c, o)
	if second == nil || second.List == nil || c.Compare().NoPaging(o, first, second) {
		return ids, false
	}
	list(c, o, 1) // page 2 was shown, so page 1 must exist by its number, too
	a := second
	for number := int64(2); number <= min(pages, maxPages); number++ {
		if number > 2 {
			a = list(c, o, number)
		}
		if a == nil || a.List == nil {
			return ids, false
		}
		ids = slices.Concat(ids, a.List.IDs)
	}
	if pages > maxPages {
		c.Compare().ReadInPart(o.Op, fmt.Sprintf("a list has %d pages, and only %d of them are read", pages, maxPages))
		return ids, false
	}
	c.Compare().JudgeHolds(o, ids)
	return ids, true
}

// secondPage requests page 2. The name of the parameter is open: a target that refuses
// it may not know it, unless it accepts page 1 or the target file names it.
func secondPage(c Case, o *Object) *judge.Answer {
	if _, pinned := c.Run().Target.Open["pageParameter"]; !pinned {
		if a := page(c, o, 2, unknownPage...); a.OK {
			return a
		}
		if !page(c, o, 1, unknownPage...).OK {
			c.Observe("page-parameter", "refused")
			c.Compare().InPart(o.Op,
				"the target refuses the query parameter "+c.Target().PageParameter(o.Op)+
					"; pin pageParameter in the target file if it has another name")
			return nil
		}
	}
	return list(c, o, 2) // the target knows the parameter, so page 2 must exist
}

// list requests a page of an object's list; 0 omits the parameter. It returns nil if
// the answer is not the expected one.
func list(c Case, o *Object, number int64) *judge.Answer {
	if a := page(c, o, number); a.Expected {
		return a
	}
	return nil
}

// page requests a page, which may be refused with the statuses given.
func page(c Case, o *Object, number int64, also ...int) *judge.Answer {
	request := Request(c, o)
	if number > 0 {
		request.Page = number
		Query(c.Target().PageParameter(o.Op), fmt.Sprint(number))(&request)
	}
	empty := c.Target().KnownEmpty(o)
	if empty {
		also = append(also, 404) // a list without items may not be found
	}
	a := send(c, request, BeAccepted().Or(also...))
	if empty && a.Expected {
		c.Observe("media-files-of-empty", a.Choice())
	}
	return a
}
