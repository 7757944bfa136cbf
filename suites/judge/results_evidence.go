package judge

import (
	"net/http"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// NoteAlive notes an operation that let a user at an object, and so at what it lies beneath.
func (b *Outcome) NoteAlive(op *spec.Operation, objects []Thing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Alive[op.ID] = true
	for _, o := range objects {
		b.Used[o] = true
	}
}

// NoteListed notes the items of a list: they are there, but who may change them
// is not said.
func (b *Outcome) NoteListed(kind string, ids []int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range ids {
		b.Listed[Thing{Kind: kind, ID: id}] = true
	}
}

// NoteKey notes what an answer shows of a key. Requests that the document does
// not declare may be answered without a look at it.
func (b *Outcome) NoteKey(c *Call, e oracle.Expect, ex *wire.Exchange) {
	if ex.Err != nil || c.Method != c.Op.Method {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	status := ex.Response.Status
	if showsKey(c, e, status) {
		b.Accepted[c.As.Name] = true
	}
	if status == http.StatusUnauthorized && c.As.Name == OwnerName {
		b.refusedBy[c.Op.ID] = true
	}
}

// showsKey says whether an answer shows that somebody took the key. What cannot be
// decoded, or is too much, is refused by many servers before anyone looks at it.
func showsKey(c *Call, e oracle.Expect, status int) bool {
	switch status {
	case http.StatusNotFound, http.StatusUnprocessableEntity:
		return !c.Encoded && !e.AnyRefusal && !e.OnlyCrash
	}
	return status/100 == 2 || status == http.StatusForbidden
}
