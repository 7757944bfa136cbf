package report

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/adconform/adconform/suites/wire"
)

// Exchange is a request and its answer as reports show them, in the form of an entry of an
// HTTP Archive 1.2: keys stand as shell variables, long bodies are cut. Names that begin with _
// are ours.
type Exchange struct {
	Started     time.Time      `json:"startedDateTime"` // of the last attempt
	Time        float64        `json:"time"`            // of it, in milliseconds
	Request     Request        `json:"request"`
	Response    Response       `json:"response"`
	Cache       struct{}       `json:"cache"`
	Timings     map[string]any `json:"timings"`
	Seq         int            `json:"_seq"` // from 1; Finding.Exchange refers to it
	Case        string         `json:"_case"`
	Credential  string         `json:"_credential"` // name of the key: owner, stranger, none, …
	Attempts    int            `json:"_attempts"`
	RateLimited int            `json:"_rateLimited,omitempty"` // waits that the target asked for
	Error       string         `json:"_error,omitempty"`       // why there is no complete response
}

// Message is what requests and answers have in common.
type Message struct {
	HTTPVersion string   `json:"httpVersion"`
	Cookies     []Header `json:"cookies"` // empty: they stand among the headers
	Headers     []Header `json:"headers"`
	HeadersSize int      `json:"headersSize"` // not known
	BodySize    int      `json:"bodySize"`    // of the whole body
}

// Request is a request in an archive.
type Request struct {
	Message
	Method      string   `json:"method"`
	URL         string   `json:"url"`
	QueryString []Header `json:"queryString"`
	PostData    *Body    `json:"postData,omitempty"`
	Comment     string   `json:"comment,omitempty"`
}

// Response is an answer in an archive.
type Response struct {
	Message
	Status      int     `json:"status"` // 0: there is none
	StatusText  string  `json:"statusText"`
	RedirectURL string  `json:"redirectURL"`
	Content     Content `json:"content"`
}

// Header is one line of a header, or a parameter.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Body is the content of a message, or its beginning.
type Body struct {
	MimeType     string `json:"mimeType"`
	Text         string `json:"text"`
	Encoding     string `json:"encoding,omitempty"`  // of an answer: base64 where it is not UTF-8
	SentEncoding string `json:"_encoding,omitempty"` // of a request, for which the format has none
	Comment      string `json:"comment,omitempty"`   // that it is only the beginning
}

// Content is the body of an answer.
type Content struct {
	Body
	Size int `json:"size"`
}

// maxShownBody is what reports show of a body, in bytes.
const maxShownBody = 16 << 10

// harUnknown stands for a number that is not known.
const harUnknown = -1

// NewExchange takes from an exchange what may be shown.
func NewExchange(ex *wire.Exchange) Exchange {
	shown, address := ex.Shown(maxShownBody), validURI(ex.URL)
	milliseconds := float64(ex.Duration.Microseconds()) / 1e3
	e := Exchange{
		Started: ex.Start.UTC().Truncate(time.Microsecond), Time: milliseconds,
		Request:  Request{Message: message("unknown", shown.RequestHeader), Method: ex.Request.Method, URL: address, QueryString: query(address)},
		Response: Response{Message: message("unknown", nil)},
		// Only the whole is measured, and the format wants the last three to be numbers from 0.
		Timings: map[string]any{
			"blocked": harUnknown, "dns": harUnknown, "connect": harUnknown, "ssl": harUnknown, "send": 0, "wait": milliseconds, "receive": 0,
		},
		Seq: ex.Seq, Case: ex.Case, Credential: ex.Request.Credential.Name, Attempts: ex.Attempts, RateLimited: ex.RateLimited,
	}
	if address != ex.URL { // the format takes no other
		e.Request.Comment = "sent as " + ex.URL
	}
	if ex.Request.HasBody {
		sent := body(shown.RequestBody, shown.RequestHeader)
		sent.Encoding, sent.SentEncoding = "", sent.Encoding
		e.Request.PostData, e.Request.BodySize = &sent, shown.RequestBody.Size
	}
	if ex.Err != nil {
		e.Error = ex.Err.Error()
	}
	if r := shown.Response; r != nil {
		e.Request.HTTPVersion = r.Proto
		e.Response = Response{
			Message: message(r.Proto, r.Header), Status: r.Status, StatusText: http.StatusText(r.Status),
			RedirectURL: unicodeOnly(r.Header.Get("Location")), Content: Content{body(shown.Answer, r.Header), shown.Answer.Size},
		}
		e.Response.BodySize = shown.Answer.Size
	}
	return e
}

func message(version string, header http.Header) Message {
	m := Message{HTTPVersion: version, Cookies: []Header{}, Headers: []Header{}, HeadersSize: harUnknown}
	for name, values := range header {
		for _, v := range values {
			m.Headers = append(m.Headers, Header{name, unicodeOnly(v)})
		}
	}
	slices.SortStableFunc(m.Headers, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	return m
}

// unicodeOnly replaces bytes that are not UTF-8, which a file of JSON cannot hold.
func unicodeOnly(text string) string { return string([]rune(text)) }

func body(p wire.Part, header http.Header) Body {
	b := Body{MimeType: unicodeOnly(header.Get("Content-Type")), Text: string(p.Bytes)}
	if p.Cut {
		b.Comment = fmt.Sprintf("only the beginning of %d bytes", p.Size)
		for n := 1; n < utf8.UTFMax && !utf8.ValidString(b.Text); n++ { // cut within a character
			if short := p.Bytes[:max(0, len(p.Bytes)-n)]; utf8.Valid(short) {
				b.Text = string(short)
			}
		}
	}
	if !utf8.ValidString(b.Text) {
		b.Text, b.Encoding = base64.StdEncoding.EncodeToString(p.Bytes), "base64"
	}
	return b
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

func query(address string) []Header {
	pairs := []Header{}
	_, query, _ := strings.Cut(address, "?")
	for part := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(part, "="); part != "" {
			pairs = append(pairs, Header{unescaped(name), unescaped(value)})
		}
	}
	return pairs
}

func unescaped(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// harFile is the name of the recorded exchanges in a report folder.
const harFile = "traffic.har"

// WriteHAR writes the exchanges of a report as an HTTP Archive, one after another: they are
// never in memory a second time.
func (r *Report) WriteHAR(w io.Writer) error {
	log := map[string]any{"version": "1.2", "creator": map[string]string{"name": r.Suite.Name, "version": r.Suite.Version}, "pages": []int{}}
	if r.Insecure {
		log["comment"] = Insecure
	}
	var head bytes.Buffer
	if err := WriteJSON(&head, log, ""); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `{"log":%s,"entries":[`, bytes.TrimSuffix(head.Bytes(), []byte("}\n")))
	for i := range r.Exchanges {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := WriteJSON(b, &r.Exchanges[i], ""); err != nil {
			return err
		}
	}
	b.WriteString("]}}\n")
	return b.Flush()
}
