package specs

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/judge"
	. "github.com/adconform/adconform/suites/match"
)

// RFC 9110, 13.1.2 and 13.1.3: a client requests a list only if it has changed. This applies
// to targets whose lists carry an entity tag or a date, which no server has to send.
func conditionalReads(s *Specs, op *spec.Operation) {
	s.Case("state/conditional", "A list with an entity tag or a date is answered 304 only to a request that names it.",
		Options{Clause("HTTP-4", "AUTH-1", "AUTH-2", "HTTP-2"), Observes("list-validators"), Quick},
		func(c *Case, o *Object) {
			first := list(c, o, 0)
			if first == nil {
				return
			}
			v := first.Validators()
			c.Observe("list-validators", spec.Choice(v.String()))
			if tag := v.Tag; tag != "" {
				ask(c, o, unlessTag(tag), 304)
				ask(c, o, unlessTag(fmt.Sprintf(`"adconform-%s", %s`, c.Fake.Key(8), tag)), 304)
				ask(c, o, unlessTag(fmt.Sprintf(`"adconform-%s"`, c.Fake.Key(8))))
				if other, _ := changeMiddle(tag); other != tag {
					ask(c, o, unlessTag(other))
				}
				c.Expect(c.Send(Wrong(c, o, As(anonymous), unlessTag(tag)))).To(BeRefused(401).Citing("AUTH-1"))
				if c.Target.Credentials.Stranger != "" && len(o.IDs) > 0 {
					c.Expect(c.Send(Wrong(c, o, As(c.Stranger()), unlessTag(tag)))).To(BeRefused(403).Citing("AUTH-2"))
				}
				for _, odd := range []string{"*", "adconform", `"adconform`, "W/", strings.Repeat(`"adconform", `, 100) + tag} {
					c.Expect(c.Send(Valid(c, o, unlessTag(odd)))).To(BeAnswered())
				}
			}
			if v.Modified.IsZero() {
				return
			}
			ask(c, o, unlessChangedSince(v.Modified), 304)
			ask(c, o, unlessChangedSince(v.Modified.AddDate(0, 0, -1)))
			future := unlessChangedSince(v.Modified.AddDate(50, 0, 0))
			for _, odd := range []Change{Header("If-Modified-Since", "yesterday"), Header("If-Modified-Since", "0"), future} {
				c.Expect(c.Send(Valid(c, o, odd))).To(BeAnswered())
			}
		})
}

// ask requests a list with a condition, on a raw connection, which alone shows what follows
// a 304.
func ask(c *Case, o *Object, condition Change, also ...int) {
	c.Expect(c.Send(Valid(c, o, condition, Raw))).To(BeAccepted().Or(also...).Citing("HTTP-4"))
}

func unlessTag(tags string) Change { return Header("If-None-Match", tags) }

func unlessChangedSince(date time.Time) Change {
	return Header("If-Modified-Since", date.UTC().Format(http.TimeFormat))
}

// changedSince requests a list that has changed, as a client that knows the old list:
// 304 would leave it with stale items. Whether an empty list is 404 is open.
func changedSince(c *Case, o *Object, before judge.Validators) {
	if before.Tag != "" {
		ask(c, o, unlessTag(before.Tag), 404)
	}
	if before.Settled() {
		ask(c, o, unlessChangedSince(before.Modified), 404)
	}
}
