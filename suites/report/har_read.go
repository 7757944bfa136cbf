package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/adconform/adconform/suites/har"
)

// HARFile is the name of the recorded exchanges in a report folder.
const HARFile = "traffic.har"

// ReadHAR reads the exchanges of a traffic.har as WriteHAR wrote them, in the order of
// the file.
func ReadHAR(data []byte) ([]Exchange, error) {
	var file struct {
		Log struct {
			Creator struct{ Name string }
			Entries []harEntry
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s%s: %w", HARFile, lineOf(data, err), err)
	}
	if name := file.Log.Creator.Name; name != "adconform" {
		return nil, fmt.Errorf("%s: %q recorded it, not adconform", HARFile, name)
	}
	all := make([]Exchange, len(file.Log.Entries))
	for i := range file.Log.Entries {
		if file.Log.Entries[i].Request == nil {
			return nil, fmt.Errorf("%s: entry %d has no request", HARFile, i+1)
		}
		all[i] = file.Log.Entries[i].exchange()
	}
	return all, nil
}

// exchange is the reverse of newHAREntry.
func (h *harEntry) exchange() Exchange {
	e := Exchange{
		Seq: h.Seq, Case: h.Case, Method: h.Request.Method, URL: h.Request.URL, Credential: h.Credential,
		RequestHeader: readHeaders(h.Request.Headers), RequestBody: readBody(h.Request.PostData, h.Request.BodySize),
		Proto: h.Response.Version, Status: int(h.Response.Status.Value), ResponseHeader: readHeaders(h.Response.Headers),
		Seconds: math.Round(h.Time.Value*1e3) / 1e6, Attempts: h.Attempts, RateLimited: h.RateLimited, Unavailable: h.Unavailable,
		Resent: h.Resent, Raw: h.Raw, Around: h.Around, Error: h.Error, Anomalies: h.Anomalies,
	}
	e.Started, _ = time.Parse(time.RFC3339Nano, h.Started)
	if sent, ok := strings.CutPrefix(string(h.Request.Comment), sentAs); ok {
		e.URL = sent
	}
	if e.Status == 0 {
		e.Proto = ""
	}
	if h.Response.Content.Text != nil {
		e.ResponseBody = readBody(&h.Response.Content, h.Response.BodySize)
	}
	return e
}

func readHeaders(pairs []har.Pair) []Header {
	lines := []Header{}
	for _, p := range pairs {
		lines = append(lines, Header{p.Name, string(p.Value)})
	}
	return lines
}

func readBody(b *har.Body, size har.Number) *Body {
	if b == nil || b.Text == nil {
		return nil
	}
	return &Body{
		Text: *b.Text, Base64: b.Encoding == "base64" || b.TextEncoding == "base64", Size: int(size.Value), Cut: b.Comment != "",
	}
}
