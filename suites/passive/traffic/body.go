package traffic

import (
	"errors"
	"io"
	"time"
)

// body is a body on its way: what is read of it is kept, too.
type body struct {
	io.ReadCloser
	x  *exchange
	of *content
	// ended is called once when nothing more comes, with nil at a proper end.
	ended func(error)
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.x.take(b.of, p[:n])
	if errors.Is(err, io.EOF) {
		b.x.whole(b.of)
		b.end(nil)
	} else if err != nil {
		b.end(err)
	}
	return n, err
}

func (b *body) end(err error) {
	if b.ended != nil {
		b.ended(err)
	}
}

// answer is the body of a response, whose end ends the exchange.
type answer struct {
	body
	rest bool // read what the reader left
}

// What is read of a body that its reader left, at most.
const (
	restBytes = 64 << 10
	restTime  = time.Second
)

// Close implements io.Closer.
func (a *answer) Close() error {
	if a.rest && !a.x.over() {
		stop := time.AfterFunc(restTime, func() { a.ReadCloser.Close() })
		_, _ = io.CopyN(io.Discard, a, restBytes) // an end ends the exchange, any other error leaves it unjudged
		stop.Stop()
	}
	a.x.closed()
	return a.ReadCloser.Close()
}
