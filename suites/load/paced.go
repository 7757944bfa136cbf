package load

import (
	"context"
	"time"

	"github.com/adconform/adconform/suites/session"
	"github.com/adconform/adconform/suites/wire"
)

// paced is the client of one virtual user: each request takes the next slot of the
// schedule, waits until it is due, and is measured from then on.
type paced struct {
	session.Client
	run *run
	// free sends at once and measures nothing: before and after the load.
	free bool
	// restoring does so when the load is over, and keeps to the schedule before.
	restoring bool
}

type send func(ctx context.Context, caseID string, r wire.Request) *wire.Exchange

type sendAll func(ctx context.Context, caseID string, reqs ...wire.Request) []*wire.Exchange

// Do implements session.Client.
func (p *paced) Do(ctx context.Context, caseID string, r wire.Request) *wire.Exchange {
	return p.one(ctx, caseID, r, p.Client.Do)
}

// DoRaw implements session.Client.
func (p *paced) DoRaw(ctx context.Context, caseID string, r wire.Request) *wire.Exchange {
	return p.one(ctx, caseID, r, p.Client.DoRaw)
}

// DoInOrder implements session.Client. The requests take a slot each and are sent
// when the first is due: what is sent before its own slot counts from its start.
func (p *paced) DoInOrder(ctx context.Context, caseID string, reqs ...wire.Request) []*wire.Exchange {
	return p.many(ctx, caseID, reqs, p.Client.DoInOrder)
}

// DoTogether implements session.Client, likewise.
func (p *paced) DoTogether(ctx context.Context, caseID string, reqs ...wire.Request) []*wire.Exchange {
	return p.many(ctx, caseID, reqs, p.Client.DoTogether)
}

// DoAround implements session.Client, likewise.
func (p *paced) DoAround(ctx context.Context, caseID string, reqs ...wire.Request) []*wire.Exchange {
	return p.many(ctx, caseID, reqs, p.Client.DoAround)
}

func (p *paced) one(ctx context.Context, caseID string, r wire.Request, do send) *wire.Exchange {
	return p.many(ctx, caseID, []wire.Request{r}, func(ctx context.Context, caseID string, reqs ...wire.Request) []*wire.Exchange {
		return []*wire.Exchange{do(ctx, caseID, reqs[0])}
	})[0]
}

func (p *paced) many(ctx context.Context, caseID string, reqs []wire.Request, do sendAll) []*wire.Exchange {
	if p.free {
		return do(ctx, caseID, reqs...)
	}
	slots, ok := p.run.schedule.take(ctx, len(reqs))
	switch {
	case !ok && p.restoring:
		return do(ctx, caseID, reqs...)
	case !ok:
		return unsent(caseID, reqs)
	}
	began := time.Now()
	exchanges := do(ctx, caseID, reqs...)
	for i, ex := range exchanges {
		p.run.meter.note(p.run.operation(reqs[i]), slots[i], ex, began)
	}
	return exchanges
}

// unsent are exchanges that did not take place as the load is over. They are
// nobody's fault.
func unsent(caseID string, reqs []wire.Request) []*wire.Exchange {
	var all []*wire.Exchange
	for _, r := range reqs {
		all = append(all, &wire.Exchange{
			Case: caseID, Request: r, Err: &wire.TransportError{Kind: wire.Canceled, Detail: "not sent: the load is over"},
		})
	}
	return all
}
