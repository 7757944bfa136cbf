package engine

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// judgeFraming reports what only a raw connection sees.
func (t *T) judgeFraming(ex *wire.Exchange) {
	if ex.Response == nil {
		return
	}
	for _, anomaly := range ex.Response.Anomalies {
		f := Finding{Clause: "HTTP-2", Pointer: "framing", Expected: "a message framed as " + anomaly.Source + " asks", Got: anomaly.Sentence}
		switch anomaly.Kind {
		case wire.BodyOn204, wire.ContentLengthOn204, wire.ZeroContentLengthOn204:
			continue // the oracle sees them in the response itself
		case wire.TransferEncodingOn204:
			f.Clause = "DELETE-2"
		}
		t.judge(f.Clause)
		t.find("framing", f)
	}
}

// lose notes an answer that did not arrive whole. What the request did is
// unknown; whether the loss counts is decided over the whole run.
func (t *T) lose(c *Call, ex *wire.Exchange) {
	t.lost = append(t.lost, ex)
	t.inARow++
	t.hanging[c.Op.ID]++
	if o := c.Object; o != nil && c.Body != nil && ex.Attempts > 0 { // it may have arrived
		o.touched = true
		o.late = o.late || ex.Err.Kind == wire.Timeout
	}
	if t.Ctx.Err() != nil {
		t.NotTested(ByOperator, "the run was interrupted")
		return
	}
	t.find("transport", Finding{
		Clause: "HTTP-2", Severity: oracle.Transport, Expected: "one complete, readable response", Got: ex.Err.Error(), Curl: ex.Curl(),
	})
	t.judge("HTTP-2")
	if o := c.Object; o != nil {
		o.uncertain = true
		if c.Op.Deletes() {
			o.deleted = true
		}
	}
	t.NotTested(ByTarget, fmt.Sprintf("the answer was lost in transport (%s)", ex.Err.Kind))
}

// givenUp says whether nothing is sent any more to an operation, as it gives no
// answers; then the case ends.
func (t *T) givenUp(op *spec.Operation) bool {
	why, gone := t.Gone()
	switch {
	case t.restoring:
		return false
	case gone:
		t.NotTested(ByOperator, "the target does not answer: "+why)
	case t.silent(op):
		t.NotTested(ByTarget, "the operation gives no answers any more")
	default:
		return false
	}
	return true
}

// maxDecompressed bounds what a compressed body may grow to.
const maxDecompressed = 16 << 20

// decompress undoes a gzip coding, which a server may use unless it is told not
// to (RFC 9110, 12.5.3).
func (t *T) decompress(ex *wire.Exchange) {
	if !strings.EqualFold(ex.Response.Header.Get("Content-Encoding"), "gzip") || len(ex.Response.Body) == 0 {
		return
	}
	r, err := gzip.NewReader(bytes.NewReader(ex.Response.Body))
	if err == nil {
		var body []byte
		if body, err = io.ReadAll(io.LimitReader(r, maxDecompressed)); err == nil {
			ex.Response.Body = body
			return
		}
	}
	t.find("framing", Finding{
		Clause: "HTTP-2", Pointer: "header:Content-Encoding", Expected: "a body coded as Content-Encoding says: gzip", Got: err.Error(),
	})
}

// decode reads a body that is not judged.
func decode(body []byte) any {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}
