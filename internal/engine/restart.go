package engine

import (
	"cmp"
	"net/http"

	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/model"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
)

// mostRead is the length of the longest answer that is read once more at the end of a run.
const mostRead = 64 << 10

// explanation returns what explains that objects are as they were before the run, if not the target's own loss of
// changes.
func (e *execution) explanation() string {
	c := e.config
	users := map[string]model.User{}
	asOf := map[string]model.User{judge.OwnerName: model.Owner, judge.StrangerName: model.Stranger}
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []*model.Exchange
	for _, ex := range e.sent {
		if user, isKnown := asOf[ex.Request.Credential.Name]; isKnown { // a key may be renewed
			users[ex.Request.Credential.Value] = user
		}
		all = append(all, c.read(ex))
	}
	w := model.World{Contract: c.contract(), Target: c.Target, Users: users, Undeclared: true}
	s := model.NewState(w, cmp.Or(c.ReadDelay, judge.DefaultReadDelay))
	s.Follow(all)
	return model.Explanation(s)
}

// read reads an exchange as the model does.
func (c *Config) read(ex *wire.Exchange) *model.Exchange {
	written, isMalformed := ex.Request.OnWire(c.Target)
	x := &model.Exchange{
		Seq: ex.Seq, Start: ex.Start, Unread: isMalformed || ex.Around, Again: ex.Unsure,
		Request: model.Request{
			Method: written.Method, Path: written.Path, Proto: written.Proto, Header: written.Header, Body: written.Body,
			Malformed: isMalformed,
		},
	}
	if ex.Response == nil {
		return x
	}
	x.Status, x.End = ex.Response.Status, ex.Start.Add(ex.Duration)
	x.Date, _ = http.ParseTime(ex.Response.Header.Get("Date")) // zero if it cannot be read
	if isShort := len(ex.Response.Body) <= mostRead; isShort && !x.Unread {
		x.Answer = oracle.Decode(ex.Response.Body)
	}
	return x
}
