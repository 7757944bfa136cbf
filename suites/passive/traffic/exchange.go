package traffic

import (
	"net/http"
	"sync"
	"time"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/wire"
)

// exchange is a request on its way. Its methods may be called by several goroutines,
// and keep nothing once it is known that it will not be judged.
type exchange struct {
	observer *Observer
	flight   *suites.Flight
	unseen   bool  // the judge was behind at its start
	other    bool  // of no operation, but it may change what the target holds
	gaps     int64 // how many were not observed at its start

	mu       sync.Mutex
	why      string // it is not judged
	ended    bool
	seen     wire.Recorded // without the bodies
	answer   wire.Response // likewise; status 0: none came
	request  content
	response content
}

// content is the body of a message as far as it was seen.
type content struct {
	bytes  []byte
	length int64 // as announced; -1: not
	whole  bool
}

// asked notes the head of the request.
func (x *exchange) asked(header http.Header, length int64, hasBody bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.why != "" {
		return
	}
	x.seen.RequestHeader, x.seen.HasRequestBody, x.seen.Start = header.Clone(), hasBody, time.Now()
	x.request = content{length: length, whole: !hasBody}
}

// answered notes the head of the response. A body that is compressed on the wire
// and was decoded by the transport has no length.
func (x *exchange) answered(proto string, status int, header http.Header, length int64, hasBody bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.why != "" {
		return
	}
	x.answer = wire.Response{Proto: proto, Status: status, Header: header.Clone()}
	x.response = content{length: length, whole: !hasBody}
}

// take keeps what passed of a body of the exchange, within the bounds.
func (x *exchange) take(of *content, b []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	o := x.observer
	switch {
	case x.ended || x.why != "" || len(b) == 0:
	case len(of.bytes)+len(b) > o.options.MaxBody:
		x.dropLocked(tooLarge)
	case o.held.Add(int64(len(b))) > o.options.MaxHeld:
		o.held.Add(-int64(len(b)))
		x.dropLocked(tooMuch)
	default:
		of.bytes = append(of.bytes, b...)
		of.whole = of.whole || of.length >= 0 && int64(len(of.bytes)) == of.length
	}
}

// whole notes that a body of the exchange has come to its end.
func (x *exchange) whole(of *content) {
	x.mu.Lock()
	defer x.mu.Unlock()
	of.whole = true
}

// again forgets what was kept of a request that is sent again.
func (x *exchange) again() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.observer.held.Add(-int64(len(x.request.bytes)))
	x.request.bytes, x.request.whole = nil, false
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
	x.observer.held.Add(-int64(len(x.request.bytes) + len(x.response.bytes)))
	x.request.bytes, x.response.bytes = nil, nil
}

// end hands the exchange to the judge. why is a reason not to judge it, err what
// the target did wrong in transport. Only the first call counts.
func (x *exchange) end(why string, err error) {
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
	x.seen.Err, x.seen.Duration = err, time.Since(x.seen.Start)
	x.observer.send(event{x, true})
}

// closed ends the exchange when the reader of the response reads no more: it is
// whole when all that was announced was read.
func (x *exchange) closed() {
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
	r := x.seen
	r.RequestBody, r.RequestCut = x.request.bytes, !x.request.whole
	if answer := x.answer; answer.Status != 0 {
		answer.Body = x.response.bytes
		r.Response = &answer
	}
	return r, x.why
}

// release gives the memory back.
func (x *exchange) release() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.freeLocked()
}
