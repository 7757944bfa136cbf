package report

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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
	if b.Cut {
		b.Text = wholeCharacters(b.Text)
	}
	if !utf8.ValidString(b.Text) {
		b.Text, b.Base64 = base64.StdEncoding.EncodeToString(p.Bytes), true
	}
	return b
}

// wholeCharacters leaves out a last one that is not whole.
func wholeCharacters(text string) string {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if utf8.ValidString(text) {
			return text
		}
		if short := text[:len(text)-n]; utf8.ValidString(short) {
			return short
		}
	}
	return text
}
