package report

import (
	"bufio"
	"cmp"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/suites/wire"
)

// Exchange is one request and its answer as reports show them: keys stand as
// shell variables, long bodies are cut.
type Exchange struct {
	Seq            int       `json:"seq"` // from 1; Finding.Exchange refers to it
	Case           string    `json:"case"`
	Method         string    `json:"method"`
	URL            string    `json:"url"`
	Credential     string    `json:"credential"` // name of the key: owner, stranger, none, …
	RequestHeader  []Header  `json:"requestHeader"`
	RequestBody    *Body     `json:"requestBody,omitempty"`
	Proto          string    `json:"proto,omitempty"`
	Status         int       `json:"status"` // 0: no response
	ResponseHeader []Header  `json:"responseHeader"`
	ResponseBody   *Body     `json:"responseBody,omitempty"`
	Error          string    `json:"error,omitempty"` // why there is no complete response
	Started        time.Time `json:"started"`         // of the last attempt
	Seconds        float64   `json:"seconds"`         // likewise
	Attempts       int       `json:"attempts"`
	RateLimited    int       `json:"rateLimited"` // waits that the target asked for
}

// Header is one line of a header.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Body is the content of a message, or its beginning.
type Body struct {
	Text   string `json:"text"`
	Base64 bool   `json:"base64,omitempty"` // Text holds bytes that are not UTF-8
	Size   int    `json:"size"`             // bytes of the whole body
	Cut    bool   `json:"cut,omitempty"`    // Text is only the beginning
}

// maxShownBody is what reports show of a body, in bytes.
const maxShownBody = 16 << 10

// NewExchange takes from an exchange what may be shown.
func NewExchange(ex *wire.Exchange) Exchange {
	shown := ex.Shown(maxShownBody)
	e := Exchange{ // times to the microsecond: longer numbers say no more
		Seq: ex.Seq, Case: ex.Case, Method: ex.Request.Method, URL: ex.URL, Credential: ex.Request.Credential.Name,
		RequestHeader: headers(shown.RequestHeader), ResponseHeader: []Header{},
		Started: ex.Start.UTC().Truncate(time.Microsecond), Seconds: ex.Duration.Truncate(time.Microsecond).Seconds(),
		Attempts: ex.Attempts, RateLimited: ex.RateLimited,
	}
	if ex.Request.HasBody {
		e.RequestBody = body(shown.RequestBody)
	}
	if ex.Err != nil {
		e.Error = ex.Err.Error()
	}
	if r := shown.Response; r != nil {
		e.Proto, e.Status, e.ResponseHeader = r.Proto, r.Status, headers(r.Header)
		if shown.Answer.Size > 0 {
			e.ResponseBody = body(shown.Answer)
		}
	}
	return e
}

// headers lists a header by name.
func headers(h http.Header) []Header {
	lines := []Header{}
	for name, values := range h {
		for _, v := range values {
			lines = append(lines, Header{name, string([]rune(v))}) // files are of Unicode
		}
	}
	slices.SortStableFunc(lines, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	return lines
}

func body(p wire.Part) *Body {
	b := &Body{Text: string(p.Bytes), Size: p.Size, Cut: p.Cut}
	for n := 1; b.Cut && n < utf8.UTFMax && n <= len(p.Bytes) && !utf8.ValidString(b.Text); n++ { // cut within a character
		if short := string(p.Bytes[:len(p.Bytes)-n]); utf8.ValidString(short) {
			b.Text = short
		}
	}
	if !utf8.ValidString(b.Text) {
		b.Text, b.Base64 = base64.StdEncoding.EncodeToString(p.Bytes), true
	}
	return b
}

// harFile is the name of the recorded exchanges in a report folder.
const harFile = "traffic.har"

const harUnknown = -1

// object is an object of an HTTP Archive 1.2. Names that begin with _ are ours.
type object = map[string]any

// WriteHAR writes the exchanges of a report as an HTTP Archive, one after
// another: they are never in memory a second time. Keys stand as the names of
// their shell variables, bodies may be cut.
func (r *Report) WriteHAR(w io.Writer) error {
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

func newHAREntry(e *Exchange) object {
	milliseconds := max(0, math.Round(e.Seconds*1e6)/1e3)
	version := cmp.Or(e.Proto, "unknown")
	uri := validURI(e.URL)
	request := object{
		"method": e.Method, "url": uri, "httpVersion": version, "cookies": []Header{}, "headers": list(e.RequestHeader),
		"queryString": harQuery(uri), "headersSize": harUnknown, "bodySize": 0,
	}
	if uri != e.URL { // the format takes no other
		request["comment"] = "sent as " + e.URL
	}
	if e.RequestBody != nil {
		sent := e.RequestBody.har(valueOf(e.RequestHeader, "Content-Type"), "_encoding") // the format has none
		delete(sent, "size")
		request["postData"], request["bodySize"] = sent, e.RequestBody.Size
	}
	mime := valueOf(e.ResponseHeader, "Content-Type")
	response := object{
		"status": e.Status, "statusText": http.StatusText(e.Status), "httpVersion": version, "cookies": []Header{},
		"headers": list(e.ResponseHeader), "redirectURL": valueOf(e.ResponseHeader, "Location"), "headersSize": harUnknown,
		"content": object{"size": 0, "mimeType": mime}, "bodySize": 0,
	}
	if e.ResponseBody != nil {
		response["content"], response["bodySize"] = e.ResponseBody.har(mime, "encoding"), e.ResponseBody.Size
	}
	entry := object{
		"startedDateTime": e.Started.UTC().Format(time.RFC3339Nano), "time": milliseconds, "request": request, "response": response,
		"cache": object{},
		// Only the whole is measured, and the format wants the last three to be numbers from 0.
		"timings": object{
			"blocked": harUnknown, "dns": harUnknown, "connect": harUnknown, "ssl": harUnknown, "send": 0, "wait": milliseconds, "receive": 0,
		},
		"_seq": e.Seq, "_case": e.Case, "_credential": e.Credential, "_attempts": e.Attempts,
	}
	if e.RateLimited > 0 {
		entry["_rateLimited"] = e.RateLimited
	}
	if e.Error != "" {
		entry["_error"] = e.Error // why there is no complete response
	}
	return entry
}

// har is a body as an archive has it; encoding is the member that says that it is in base64.
func (b *Body) har(mime, encoding string) object {
	h := object{"text": b.Text, "mimeType": mime, "size": b.Size}
	if b.Cut {
		h["comment"] = fmt.Sprintf("only the beginning of %d bytes", b.Size)
	}
	if b.Base64 {
		h[encoding] = "base64"
	}
	return h
}

func harQuery(address string) []Header {
	pairs := []Header{}
	_, query, _ := strings.Cut(address, "?")
	for part := range strings.SplitSeq(query, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		for _, text := range []*string{&name, &value} {
			if plain, err := url.QueryUnescape(*text); err == nil {
				*text = plain
			}
		}
		pairs = append(pairs, Header{name, value})
	}
	return pairs
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
