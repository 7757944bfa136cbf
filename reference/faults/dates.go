package faults

import (
	"net/http"
	"time"

	"github.com/adconform/adconform/spec"
)

// dateFaults show, as the date of an update, one at which it was not made.
func dateFaults(c *spec.Contract) []Fault {
	var all []Fault
	for _, op := range updates(c) {
		clause, also := op.Effects["updatedAt"], []string{op.Representation().Field("updatedAt").Clause}
		add := func(name, sentence string, change func(x *exchange, data map[string]any)) {
			all = append(all, showing(op, "updatedAt-"+name, clause, "updatedAt "+sentence, also, func(x *exchange, _ int64, data map[string]any) {
				change(x, data)
			}))
		}
		written := func(name, sentence string, write func(now time.Time) string) {
			add(name, sentence, func(_ *exchange, data map[string]any) { data["updatedAt"] = write(time.Now().UTC()) })
		}
		off := func(by time.Duration) func(time.Time) string {
			return func(now time.Time) string { return now.Add(by).Format(time.RFC3339) }
		}
		add("is-createdAt", "is createdAt", func(_ *exchange, data map[string]any) { data["updatedAt"] = data["createdAt"] })
		written("never-moves", "is one fixed date", func(time.Time) string { return "2025-05-01T08:00:00Z" })
		written("zone-east", "is the time two hours east of Greenwich, with Z", off(2*time.Hour))
		written("zone-west", "is the time five hours west of Greenwich, with Z", off(-5*time.Hour))
		written("zone-half-hour", "is the time of Delhi, with Z", off(5*time.Hour+30*time.Minute))
		written("offset-wrong", "is the time of Greenwich with the offset of Berlin", func(now time.Time) string {
			return now.Format("2006-01-02T15:04:05") + "+02:00"
		})
		written("gmt-wrong", "is the time of Berlin and called GMT", func(now time.Time) string {
			return now.Add(2 * time.Hour).Format(http.TimeFormat)
		})
		written("space-zone-wrong", "is the time of New York, with Z, after a space", func(now time.Time) string {
			return now.Add(-5*time.Hour).Format(time.DateTime) + "Z"
		})
		written("hour-behind", "is an hour ago", off(-time.Hour))
		written("tomorrow", "is a day ahead", off(24*time.Hour))
		written("next-year", "is a year ahead", off(365*24*time.Hour))
		written("local-days-ago", "is two days ago, without a zone", func(now time.Time) string {
			return now.AddDate(0, 0, -2).Format(time.DateTime)
		})
		written("day-before-yesterday", "is a date, that of the day before yesterday", func(now time.Time) string {
			return now.AddDate(0, 0, -2).Format(time.DateOnly)
		})
		all = append(all, sinceStart(op, clause, also))
	}
	return all
}

// sinceStart shows when the server was started, hours before the run.
func sinceStart(op *spec.Operation, clause string, also []string) Fault {
	return Fault{
		ID: "shown/updatedAt-process-start/" + op.ID, Clause: clause, Also: also,
		Sentence: op.ID + ": updatedAt is when the server was started.",
		Wrap: fresh(func() behaviour {
			started := time.Now().UTC().Add(-3 * time.Hour).Format(time.RFC3339)
			return on(op.ID, func(x *exchange) *answer {
				return x.forward().shown(func(data map[string]any) { data["updatedAt"] = started })
			})
		}),
	}
}

// dateVariants write the date of an update otherwise, or by another clock that the
// answer's Date goes by too.
func dateVariants() []Variant {
	written := func(id, sentence string, write func(at time.Time) string) Variant {
		v := answering("answer/"+id, sentence, func(a *answer) *answer {
			return a.shown(func(data map[string]any) {
				for _, name := range []string{"createdAt", "updatedAt"} {
					s, _ := data[name].(string)
					if t, err := time.Parse(time.RFC3339, s); err == nil {
						data[name] = write(t.UTC())
					}
				}
			})
		})
		v.Open = []string{"date-format"}
		return v
	}
	skewed := func(id, sentence string, by time.Duration) Variant {
		return answering("wire/"+id, sentence, func(a *answer) *answer {
			now := time.Now().UTC()
			a.header.Set("Date", now.Add(by).Format(http.TimeFormat))
			return a.shown(func(data map[string]any) {
				s, _ := data["updatedAt"].(string)
				if t, err := time.Parse(time.RFC3339, s); err == nil && t.After(now.Add(-time.Hour)) {
					data["updatedAt"] = t.Add(by).Format(time.RFC3339)
				}
			})
		})
	}
	east, west := time.FixedZone("", 14*60*60), time.FixedZone("", -12*60*60)
	dated := func(id, sentence, date string) Variant {
		return answering("wire/"+id, sentence, func(a *answer) *answer {
			a.header.Set("Date", date)
			return a
		})
	}
	return []Variant{
		skewed("clock-slow", "The server's clock is a day slow", -24*time.Hour),
		skewed("clock-fast", "The server's clock is twenty minutes fast", 20*time.Minute),
		dated("date-unreadable", "The Date of an answer is no date", "just now"),
		written("dates-local-east", "Dates are those of an island far east, without a zone", func(at time.Time) string { return at.In(east).Format("2006-01-02T15:04:05") }),
		written("dates-local-west", "Dates are those of an island far west, without a zone", func(at time.Time) string { return at.In(west).Format(time.DateTime) }),
		written("days-local-east", "Dates are days, those of an island far east", func(at time.Time) string { return at.In(east).Format(time.DateOnly) }),
		written("days-local-west", "Dates are days, those of an island far west", func(at time.Time) string { return at.In(west).Format(time.DateOnly) }),
		written("dates-to-the-minute", "Dates are cut to the minute", func(at time.Time) string { return at.Truncate(time.Minute).Format(time.RFC3339) }),
		written("dates-with-offset-west", "Dates have the offset -03:30", func(at time.Time) string {
			return at.In(time.FixedZone("", -210*60)).Format(time.RFC3339)
		}),
		written("dates-with-offset-basic", "Dates have an offset without a colon", func(at time.Time) string {
			return at.In(east).Format("2006-01-02T15:04:05.000-0700")
		}),
	}
}
