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

// Do implements session.Client.
func (p *paced) Do(ctx context.Context, caseID string, r wire.Request) *wire.Exchange {
	return p.send(ctx, caseID, []wire.Request{r}, func() []*wire.Exchange {
		return []*wire.Exchange{p.Client.Do(ctx, caseID, r)}
	})[0]
}

// DoAll implements session.Client. The requests take a slot each and are sent when the
// first is due: what is sent before its own slot counts from its start.
func (p *paced) DoAll(ctx context.Context, caseID string, way wire.Way, reqs ...wire.Request) []*wire.Exchange {
	return p.send(ctx, caseID, reqs, func() []*wire.Exchange { return p.Client.DoAll(ctx, caseID, way, reqs...) })
}

func (p *paced) send(ctx context.Context, caseID string, reqs []wire.Request, do func() []*wire.Exchange) []*wire.Exchange {
	if p.free {
		return do()
	}
	slots, ok := p.run.schedule.take(ctx, len(reqs))
	switch {
	case !ok && p.restoring:
		return do()
	case !ok:
		return unsent(caseID, reqs)
	}
	began := time.Now()
	exchanges := do()
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
