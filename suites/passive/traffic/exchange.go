package traffic

import (
	"net/http"
	"sync"
	"time"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/wire"
)

// exchange is a request of one of the operations on its way. Its methods do
// nothing on nil and on one that is not observed; they may be called by several
// goroutines.
type exchange struct {
	observer       *Observer
	method, target string
	unseen         bool  // the judge was behind at its start
	other          bool  // of no operation, but it may change what the target holds
	gaps           int64 // how many were not observed at its start
	flight         *suites.Flight

	mu       sync.Mutex
	why      string // it is not judged
	ended    bool
	request  message
	response message
	status   int
	proto    string
	err      error
	start    time.Time
	duration time.Duration
}

// ignored says whether nothing of it is kept.
func (x *exchange) ignored() bool { return x.unseen || x.other }

// message is a request or a response as far as it was seen.
type message struct {
	header http.Header
	body   []byte
	length int64 // as announced; -1: not
	has    bool  // there is a body
	whole  bool
}

// asked notes the head of the request.
func (x *exchange) asked(header http.Header, length int64, hasBody bool) {
	if x == nil || x.ignored() {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.start = time.Now()
	x.request = message{header: header.Clone(), length: length, has: hasBody, whole: !hasBody}
}

// answered notes the head of the response. A body that is compressed on the wire
// and was decoded by the transport has no length.
func (x *exchange) answered(proto string, status int, header http.Header, length int64, hasBody bool) {
	if x == nil || x.ignored() {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.proto, x.status = proto, status
	x.response = message{header: header.Clone(), length: length, has: hasBody, whole: !hasBody}
}

// part is one of the two messages of an exchange.
type part func(*exchange) *message

func requestOf(x *exchange) *message  { return &x.request }
func responseOf(x *exchange) *message { return &x.response }

// take keeps what passed of a body, within the bounds.
func (x *exchange) take(of part, b []byte) {
	if x == nil || x.ignored() || len(b) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	m, o := of(x), x.observer
	switch {
	case x.ended || x.why != "":
	case len(m.body)+len(b) > o.options.MaxBody:
		x.dropLocked(tooLarge)
	case o.held.Add(int64(len(b))) > o.options.MaxHeld:
		o.held.Add(-int64(len(b)))
		x.dropLocked(tooMuch)
	default:
		m.body = append(m.body, b...)
		m.whole = m.whole || m.length >= 0 && int64(len(m.body)) == m.length
	}
}

// whole notes that the body has come to its end.
func (x *exchange) whole(of part) {
	if x == nil || x.ignored() {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	of(x).whole = true
}

// again forgets what was kept of a request that is sent again.
func (x *exchange) again() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.observer.held.Add(-int64(len(x.request.body)))
	x.request.body, x.request.whole = nil, false
}

// drop says why the exchange will not be judged; the first reason stays.
func (x *exchange) drop(why string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.dropLocked(why)
}

func (x *exchange) dropLocked(why string) {
	if x.why == "" {
		x.why = why
	}
	x.freeLocked()
}

func (x *exchange) freeLocked() {
	x.observer.held.Add(-int64(len(x.request.body) + len(x.response.body)))
	x.request.body, x.response.body = nil, nil
}

// end hands the exchange to the judge. why is a reason not to judge it, err what
// the target did wrong in transport. Only the first call counts.
func (x *exchange) end(why string, err error) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return
	}
	x.ended = true
	switch {
	case x.other:
		x.observer.forget.Store(true)
		return
	case x.unseen:
		x.observer.unseen.Add(-1)
		return
	}
	if x.observer.gaps.Load() != x.gaps {
		x.dropLocked(beside)
	}
	if why != "" {
		x.dropLocked(why)
	}
	x.err, x.duration = err, time.Since(x.start)
	x.observer.send(event{x, true})
}

// closed ends the exchange when the reader of the response reads no more: it is
// whole when all that was announced was read.
func (x *exchange) closed() {
	if x == nil || x.ignored() {
		x.end("", nil)
		return
	}
	x.mu.Lock()
	whole := x.response.whole
	x.mu.Unlock()
	if whole {
		x.end("", nil)
	} else {
		x.end(aborted, nil)
	}
}

// over says whether nothing is left to be seen.
func (x *exchange) over() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.ended || x.response.whole || x.why != ""
}

// recorded is what the judge gets, or why there is nothing to judge.
func (x *exchange) recorded() (wire.Recorded, string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.why != "" {
		return wire.Recorded{}, x.why
	}
	r := wire.Recorded{
		Method: x.method, Target: x.target, RequestHeader: x.request.header, RequestBody: x.request.body,
		HasRequestBody: x.request.has, RequestCut: !x.request.whole, Err: x.err, Start: x.start, Duration: x.duration,
	}
	if x.status != 0 {
		r.Response = &wire.Response{Proto: x.proto, Status: x.status, Header: x.response.header, Body: x.response.body}
	}
	return r, ""
}

// release gives the memory back.
func (x *exchange) release() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.freeLocked()
}
