package judge

import (
	"bytes"
	"fmt"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// maxDecompressed bounds what a compressed body may grow to.
const maxDecompressed = 16 << 20

// decompress undoes a content coding, which a server may use unless it is told
// not to (RFC 9110, 12.5.3). The error says that the body is not coded so.
func decompress(ex *wire.Exchange) error {
	coding := ex.Response.Header.Get("Content-Encoding")
	body, err := wire.Decode(coding, ex.Response.Body, maxDecompressed+1)
	switch {
	case len(body) > maxDecompressed:
		giveUp(ex, fmt.Sprintf("the body of %d bytes is %s that unpacks to more than %d",
			len(ex.Response.Body), wording.Printable(coding), maxDecompressed))
	case err == nil:
		ex.Response.Body = body
	default:
		return err
	}
	return nil
}

// Bound gives up on a body that costs more than it can be worth: what it holds
// would be kept, compared and shown.
func Bound(ex *wire.Exchange) {
	if why := oracle.TooMuch(ex.Response.Body); ex.Err == nil && why != "" {
		giveUp(ex, why)
	}
}

// kept is how much stays of a body that is not judged, in bytes.
const kept = 64 << 10

// giveUp makes an answer that cannot be judged one that did not arrive.
func giveUp(ex *wire.Exchange, why string) {
	ex.Err = &wire.TransportError{Kind: wire.TooLarge, Detail: why}
	ex.Response.Body = bytes.Clone(ex.Response.Body[:min(len(ex.Response.Body), kept)])
	ex.Response.Truncated = true
}
