package wire

import "context"

// Player is a client of which nothing is sent: a record answers in the target's place.
type Player struct {
	*Client
	answer func(*Exchange)
}

// Playing returns a player of a client. answer fills in what became of a request: also what a
// raw connection saw, and whether another request was answered between its halves.
func (c *Client) Playing(answer func(*Exchange)) *Player { return &Player{c, answer} }

// Do answers a request from the record.
func (p *Player) Do(_ context.Context, caseID string, r Request) *Exchange {
	ex, m := p.begin(caseID, r)
	refused := ex.Err
	p.answer(ex)
	if m == nil { // it cannot be put on the wire, whatever is recorded
		ex.Err = refused
	}
	return ex
}

// DoAll answers one request after the other.
func (p *Player) DoAll(ctx context.Context, caseID string, _ Way, requests ...Request) []*Exchange {
	exchanges := make([]*Exchange, len(requests))
	for i, r := range requests {
		exchanges[i] = p.Do(ctx, caseID, r)
	}
	return exchanges
}
