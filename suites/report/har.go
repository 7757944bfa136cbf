package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// An entry of HTTP Archive 1.2 (the developer tools of browsers open it). What
// begins with an underscore is ours, as the format wants it.
type (
	harEntry struct {
		Started  time.Time   `json:"startedDateTime"`
		Time     float64     `json:"time"` // milliseconds; the sum of Timings
		Request  harRequest  `json:"request"`
		Response harResponse `json:"response"`
		Cache    struct{}    `json:"cache"`
		Timings  harTimings  `json:"timings"`

		Seq         int    `json:"_seq"` // Finding.Exchange
		Case        string `json:"_case"`
		Credential  string `json:"_credential"` // name of the key
		Attempts    int    `json:"_attempts"`
		RateLimited int    `json:"_rateLimited,omitempty"`
		Error       string `json:"_error,omitempty"` // why there is no complete response
	}
	harRequest struct {
		Method      string       `json:"method"`
		URL         string       `json:"url"`
		HTTPVersion string       `json:"httpVersion"`
		Cookies     []harPair    `json:"cookies"`
		Headers     []harPair    `json:"headers"`
		QueryString []harPair    `json:"queryString"`
		PostData    *harPostData `json:"postData,omitempty"`
		HeadersSize int          `json:"headersSize"`
		BodySize    int          `json:"bodySize"`
		Comment     string       `json:"comment,omitempty"`
	}
	harPostData struct {
		MimeType string `json:"mimeType"`
		Text     string `json:"text"`
		Encoding string `json:"_encoding,omitempty"` // base64
		Comment  string `json:"comment,omitempty"`
	}
	harResponse struct {
		Status      int        `json:"status"` // 0: there is none
		StatusText  string     `json:"statusText"`
		HTTPVersion string     `json:"httpVersion"`
		Cookies     []harPair  `json:"cookies"`
		Headers     []harPair  `json:"headers"`
		Content     harContent `json:"content"`
		RedirectURL string     `json:"redirectURL"`
		HeadersSize int        `json:"headersSize"`
		BodySize    int        `json:"bodySize"`
	}
	harContent struct {
		Size     int    `json:"size"`
		MimeType string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Encoding string `json:"encoding,omitempty"` // base64
		Comment  string `json:"comment,omitempty"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	// harTimings are milliseconds; -1 is not known. Only the whole is measured,
	// and the format wants the last three to be numbers from 0.
	harTimings struct {
		Blocked float64 `json:"blocked"`
		DNS     float64 `json:"dns"`
		Connect float64 `json:"connect"`
		SSL     float64 `json:"ssl"`
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
	}
)

const harUnknown = -1

// WriteHAR writes the exchanges of a report as an HTTP Archive, one after
// another: they are never in memory a second time. Keys stand as the names of
// their shell variables, bodies may be cut.
func WriteHAR(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	io.WriteString(b, `{"log":{"version":"1.2","creator":`)
	if err := writeJSON(b, map[string]string{"name": r.Suite.Name, "version": r.Suite.Version}, ""); err != nil {
		return err
	}
	if r.Insecure {
		io.WriteString(b, `,"comment":`)
		if err := writeJSON(b, Insecure, ""); err != nil {
			return err
		}
	}
	io.WriteString(b, `,"pages":[],"entries":[`)
	for i := range r.Exchanges {
		if i > 0 {
			io.WriteString(b, ",")
		}
		if err := writeJSON(b, newHAREntry(&r.Exchanges[i]), ""); err != nil {
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
	milliseconds := max(0, e.Seconds*1000)
	version := cmp.Or(e.Proto, "unknown")
	h := harEntry{
		Started: e.Started.UTC(), Time: milliseconds,
		Timings: harTimings{harUnknown, harUnknown, harUnknown, harUnknown, 0, milliseconds, 0},
		Request: harRequest{
			Method: e.Method, URL: e.URL, HTTPVersion: version, Cookies: []harPair{}, Headers: harHeaders(e.RequestHeader),
			QueryString: harQuery(e.URL), HeadersSize: harUnknown,
		},
		Response: harResponse{
			Status: e.Status, StatusText: http.StatusText(e.Status), HTTPVersion: version, Cookies: []harPair{}, Headers: harHeaders(e.ResponseHeader),
			Content: harContent{MimeType: valueOf(e.ResponseHeader, "Content-Type")}, RedirectURL: valueOf(e.ResponseHeader, "Location"),
			HeadersSize: harUnknown,
		},
		Seq: e.Seq, Case: e.Case, Credential: e.Credential, Attempts: e.Attempts, RateLimited: e.RateLimited, Error: e.Error,
	}
	if uri := validURI(e.URL); uri != e.URL { // the format takes no other
		h.Request.URL, h.Request.QueryString, h.Request.Comment = uri, harQuery(uri), "sent as "+e.URL
	}
	if body := e.RequestBody; body != nil {
		h.Request.BodySize = body.Size
		h.Request.PostData = &harPostData{valueOf(e.RequestHeader, "Content-Type"), body.Text, body.encoding(), body.comment()}
	}
	if body := e.ResponseBody; body != nil {
		h.Response.BodySize = body.Size
		c := &h.Response.Content
		c.Size, c.Text, c.Encoding, c.Comment = body.Size, body.Text, body.encoding(), body.comment()
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

func harHeaders(header []Header) []harPair {
	pairs := []harPair{}
	for _, h := range header {
		pairs = append(pairs, harPair(h))
	}
	return pairs
}

func harQuery(address string) []harPair {
	pairs := []harPair{}
	_, query, _ := strings.Cut(address, "?")
	for part := range strings.SplitSeq(query, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		pairs = append(pairs, harPair{unescaped(name), unescaped(value)})
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
