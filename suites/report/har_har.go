package report

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Entry is a request with its answer. What is written and never read may be of any type:
// recorders differ.
type Entry struct {
	Started  string          `json:"startedDateTime"` // RFC 3339
	Time     Number          `json:"time,omitzero"`   // milliseconds; the sum of Timings
	Request  *Request        `json:"request"`
	Response Response        `json:"response"`
	Cache    any             `json:"cache"`
	Timings  any             `json:"timings"`
	Error    json.RawMessage `json:"_error,omitempty"` // ours and Safari's: why there is no complete response

	FromCache     string `json:"_fromCache,omitempty"`               // Chromium: memory or disk
	ServiceWorker bool   `json:"_fetchedViaServiceWorker,omitempty"` // Chromium
	FetchType     string `json:"_fetchType,omitempty"`               // Safari: Network Load, or what answered in its place
}

// Request is what was sent.
type Request struct {
	Method      string   `json:"method"`
	URL         string   `json:"url"`
	Version     any      `json:"httpVersion"`
	Cookies     any      `json:"cookies"`
	Headers     []Pair   `json:"headers"`
	QueryString any      `json:"queryString"`
	PostData    *HARBody `json:"postData,omitempty"`
	HeadersSize any      `json:"headersSize"`
	BodySize    Number   `json:"bodySize,omitzero"`
	Comment     Text     `json:"comment,omitempty"`
}

// Response is what came back.
type Response struct {
	Status      Number  `json:"status,omitzero"` // 0: there is none
	StatusText  string  `json:"statusText"`
	Version     string  `json:"httpVersion"`
	Cookies     any     `json:"cookies"`
	Headers     []Pair  `json:"headers"`
	Content     HARBody `json:"content"`
	RedirectURL any     `json:"redirectURL"`
	HeadersSize any     `json:"headersSize"`
	BodySize    Number  `json:"bodySize,omitzero"`
	Error       string  `json:"_error,omitempty"` // Chromium
}

// Body is the content of a request or of a response.
type HARBody struct {
	Size         Number  `json:"size,omitzero"`
	Compression  Number  `json:"compression,omitzero"` // bytes that the coding saved
	MimeType     string  `json:"mimeType"`
	Text         *string `json:"text,omitempty"`
	Encoding     string  `json:"encoding,omitempty"`  // base64
	TextEncoding string  `json:"_encoding,omitempty"` // of a request, where the format has none
	Comment      string  `json:"comment,omitempty"`
}

// Pair is a header line or a part of a query.
type Pair struct {
	Name  string `json:"name"`
	Value Text   `json:"value"`
}

// Timings are milliseconds; -1 is not known.
type Timings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	SSL     float64 `json:"ssl"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// Number is one that some recorders write as a text.
type Number struct {
	Value float64
	Known bool // it is there, and a number
}

// Known is a number that is there.
func harKnown[N int | float64](n N) Number { return Number{float64(n), true} }

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(b), `" `), 64)
	*n = Number{v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) { return json.Marshal(n.Value) }

// Text is one that some recorders write as a number.
type Text string

// UnmarshalJSON implements json.Unmarshaler.
func (t *Text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil && string(b) != "null" {
		s = string(b)
	}
	*t = Text(s)
	return nil
}
