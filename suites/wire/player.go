package wire

import "context"

// Player is a client of which nothing is sent: a record answers in the target's place.
type Player struct {
	*Client
	answer func(*Exchange)
}

// Playing returns a player of a client. answer fills in what became of a request.
func (c *Client) Playing(answer func(*Exchange)) *Player { return &Player{c, answer} }

// Do answers a request from the record.
func (p *Player) Do(ctx context.Context, caseID string, r Request) *Exchange {
	ex, m := p.begin(caseID, r)
	refused := ex.Err
	p.answer(ex)
	if m == nil { // it cannot be put on the wire, whatever is recorded
		ex.Err = refused
	}
	for range ex.Attempts {
		if p.opt.Spend != nil {
			_ = p.opt.Spend(1) // it was sent, so there was budget for it
		}
	}
	return ex
}

// DoRaw is Do: what a raw connection saw is in the record.
func (p *Player) DoRaw(ctx context.Context, caseID string, r Request) *Exchange {
	return p.Do(ctx, caseID, r)
}

// DoInOrder answers one request after the other.
func (p *Player) DoInOrder(ctx context.Context, caseID string, requests ...Request) []*Exchange {
	exchanges := make([]*Exchange, len(requests))
	for i, r := range requests {
		exchanges[i] = p.Do(ctx, caseID, r)
	}
	return exchanges
}

// DoTogether is DoInOrder.
func (p *Player) DoTogether(ctx context.Context, caseID string, requests ...Request) []*Exchange {
	return p.DoInOrder(ctx, caseID, requests...)
}

// DoAround is DoInOrder: the record says whether one request was answered within the other.
func (p *Player) DoAround(ctx context.Context, caseID string, requests ...Request) []*Exchange {
	return p.DoInOrder(ctx, caseID, requests...)
}
