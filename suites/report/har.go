package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/files"
)

// harEntry is an entry with what is ours.
type harEntry struct {
	Entry
	Seq         int    `json:"_seq"` // Finding.Exchange
	Case        string `json:"_case"`
	Credential  string `json:"_credential"` // name of the key
	Attempts    int    `json:"_attempts"`
	RateLimited int    `json:"_rateLimited,omitempty"`
	Error       string `json:"_error,omitempty"` // why there is no complete response
}

// harFile is the name of the recorded exchanges in a report folder.
const harFile = "traffic.har"

const harUnknown = -1

// WriteHAR writes the exchanges of a report as an HTTP Archive, one after
// another: they are never in memory a second time. Keys stand as the names of
// their shell variables, bodies may be cut.
func WriteHAR(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	io.WriteString(b, `{"log":{"version":"1.2","creator":`)
	if err := files.WriteJSON(b, map[string]string{"name": r.Suite.Name, "version": r.Suite.Version}, ""); err != nil {
		return err
	}
	if r.Insecure {
		io.WriteString(b, `,"comment":`)
		if err := files.WriteJSON(b, Insecure, ""); err != nil {
			return err
		}
	}
	io.WriteString(b, `,"pages":[],"entries":[`)
	for i := range r.Exchanges {
		if i > 0 {
			io.WriteString(b, ",")
		}
		if err := files.WriteJSON(b, newHAREntry(&r.Exchanges[i]), ""); err != nil {
			return err
		}
	}
	io.WriteString(b, "]}}\n")
	return b.Flush()
}

var percent = regexp.MustCompile(`%[0-9A-Fa-f]{2}|%`)

// validURI encodes percent signs that encode nothing, which a URI may not hold.
func validURI(text string) string {
	return percent.ReplaceAllStringFunc(text, func(sign string) string {
		if sign == "%" {
			return "%25"
		}
		return sign
	})
}

func newHAREntry(e *Exchange) harEntry {
	milliseconds := max(0, math.Round(e.Seconds*1e6)/1e3)
	version := cmp.Or(e.Proto, "unknown")
	h := harEntry{
		Entry: Entry{
			Started: e.Started.UTC().Format(time.RFC3339Nano), Time: harKnown(milliseconds), Cache: struct{}{},
			// Only the whole is measured, and the format wants the last three to be numbers from 0.
			Timings: Timings{Blocked: harUnknown, DNS: harUnknown, Connect: harUnknown, SSL: harUnknown, Wait: milliseconds},
			Request: &Request{
				Method: e.Method, URL: e.URL, Version: version, Cookies: []Pair{}, Headers: harHeaders(e.RequestHeader),
				QueryString: harQuery(e.URL), HeadersSize: harUnknown, BodySize: harKnown(0),
			},
			Response: Response{
				Status: harKnown(e.Status), StatusText: http.StatusText(e.Status), Version: version, Cookies: []Pair{},
				Headers: harHeaders(e.ResponseHeader), RedirectURL: valueOf(e.ResponseHeader, "Location"),
				HeadersSize: harUnknown, BodySize: harKnown(0),
				Content: HARBody{Size: harKnown(0), MimeType: valueOf(e.ResponseHeader, "Content-Type")},
			},
		},
		Seq: e.Seq, Case: e.Case, Credential: e.Credential, Attempts: e.Attempts, RateLimited: e.RateLimited, Error: e.Error,
	}
	if uri := validURI(e.URL); uri != e.URL { // the format takes no other
		h.Request.URL, h.Request.QueryString, h.Request.Comment = uri, harQuery(uri), Text("sent as "+e.URL)
	}
	if body := e.RequestBody; body != nil {
		h.Request.BodySize = harKnown(body.Size)
		h.Request.PostData = &HARBody{
			MimeType: valueOf(e.RequestHeader, "Content-Type"), Text: &body.Text, TextEncoding: body.encoding(), Comment: body.comment(),
		}
	}
	if body := e.ResponseBody; body != nil {
		h.Response.BodySize = harKnown(body.Size)
		c := &h.Response.Content
		c.Size, c.Text, c.Encoding, c.Comment = harKnown(body.Size), &body.Text, body.encoding(), body.comment()
	}
	return h
}

func (b *Body) encoding() string {
	if b.Base64 {
		return "base64"
	}
	return ""
}

func (b *Body) comment() string {
	if b.Cut {
		return fmt.Sprintf("only the beginning of %d bytes", b.Size)
	}
	return ""
}

func harHeaders(header []Header) []Pair {
	pairs := []Pair{}
	for _, h := range header {
		pairs = append(pairs, Pair{Name: h.Name, Value: Text(h.Value)})
	}
	return pairs
}

func harQuery(address string) []Pair {
	pairs := []Pair{}
	_, query, _ := strings.Cut(address, "?")
	for part := range strings.SplitSeq(query, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		pairs = append(pairs, Pair{Name: unescaped(name), Value: Text(unescaped(value))})
	}
	return pairs
}

func unescaped(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// valueOf is the first value of a header, "" when it is not there.
func valueOf(header []Header, name string) string {
	for _, h := range header {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}
