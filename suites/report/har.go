package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/adconform/adconform/suites/wire"
)

// Exchange is a request and its answer as reports show them, as an entry of a HTTP Archive 1.2:
// keys stand as shell variables, long bodies are cut. Names that begin with _ are ours.
type Exchange struct {
	Seq                      int // from 1; Finding.Exchange refers to it
	Case                     string
	Request, Response, Other map[string]any // members of the entry
}

// MarshalJSON writes the entry.
func (e Exchange) MarshalJSON() ([]byte, error) {
	entry := object{"_seq": e.Seq, "_case": e.Case, "request": e.Request, "response": e.Response}
	maps.Copy(entry, e.Other)
	return json.Marshal(entry)
}

// maxShownBody is what reports show of a body, in bytes.
const maxShownBody = 16 << 10

// harUnknown stands for a number that is not known.
const harUnknown = -1

// NewExchange takes from an exchange what may be shown.
func NewExchange(ex *wire.Exchange) Exchange {
	shown, address := ex.Shown(maxShownBody), validURI(ex.URL)
	milliseconds := float64(ex.Duration.Microseconds()) / 1e3
	answer := cmp.Or(shown.Response, &wire.Response{Proto: "unknown"}) // none came
	e := Exchange{
		Seq: ex.Seq, Case: ex.Case,
		Request:  harMessage(answer.Proto, shown.RequestHeader, shown.RequestBody.Size),
		Response: harMessage(answer.Proto, answer.Header, shown.Answer.Size),
		Other: object{
			"startedDateTime": ex.Start.UTC().Truncate(time.Microsecond), "time": milliseconds, "cache": object{}, // of the last attempt
			// Only the whole is measured, and the format wants the last three to be numbers from 0.
			"timings": object{
				"blocked": harUnknown, "dns": harUnknown, "connect": harUnknown, "ssl": harUnknown, "send": 0, "wait": milliseconds, "receive": 0,
			},
			"_credential": ex.Request.Credential.Name, "_attempts": ex.Attempts, "_rateLimited": ex.RateLimited,
		},
	}
	if ex.Err != nil { // there is no complete response
		e.Other["_error"] = ex.Err.Error()
	}
	maps.Copy(e.Request, object{"method": ex.Request.Method, "url": address, "queryString": query(address)})
	if address != ex.URL { // the format takes no other
		e.Request["comment"] = "sent as " + ex.URL
	}
	if ex.Request.HasBody {
		sent := harBody(shown.RequestBody, shown.RequestHeader)
		if coding, ok := sent["encoding"]; ok { // the format has none here
			delete(sent, "encoding")
			sent["_encoding"] = coding
		}
		e.Request["postData"] = sent
	}
	maps.Copy(e.Response, object{
		"status": answer.Status, "statusText": http.StatusText(answer.Status), "redirectURL": unicodeOnly(answer.Header.Get("Location")),
		"content": harBody(shown.Answer, answer.Header),
	})
	return e
}

// harMessage is what requests and answers have in common. Cookies stand among the headers.
func harMessage(version string, header http.Header, size int) object {
	headers := []harPair{}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, v := range header[name] {
			headers = append(headers, harPair{name, unicodeOnly(v)})
		}
	}
	return object{"httpVersion": version, "cookies": []harPair{}, "headers": headers, "headersSize": harUnknown, "bodySize": size}
}

// harPair is one line of a header, or a parameter.
type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// unicodeOnly replaces bytes that are not UTF-8, which a file of JSON cannot hold.
func unicodeOnly(text string) string { return string([]rune(text)) }

// harBody is the content of a message, or its beginning; in base64 where it is not UTF-8.
func harBody(p wire.Part, header http.Header) object {
	b := object{"mimeType": unicodeOnly(header.Get("Content-Type")), "size": p.Size}
	text := p.Bytes
	if p.Cut {
		b["comment"] = fmt.Sprintf("only the beginning of %d bytes", p.Size)
		for n := 1; n < utf8.UTFMax && !utf8.Valid(text); n++ { // cut within a character
			if short := p.Bytes[:max(0, len(p.Bytes)-n)]; utf8.Valid(short) {
				text = short
			}
		}
	}
	b["text"] = string(text)
	if !utf8.Valid(text) {
		b["text"], b["encoding"] = base64.StdEncoding.EncodeToString(text), "base64"
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

func query(address string) []harPair {
	pairs := []harPair{}
	_, text, _ := strings.Cut(address, "?")
	values, _ := url.ParseQuery(text) // what it can read
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, v := range values[name] {
			pairs = append(pairs, harPair{unicodeOnly(name), unicodeOnly(v)})
		}
	}
	return pairs
}

// harFile is the name of the recorded exchanges in a report folder.
const harFile = "traffic.har"

// WriteHAR writes the exchanges of a report as an HTTP Archive, one after another: they are
// never in memory a second time.
func (r *Report) WriteHAR(w io.Writer) error {
	log := object{"version": "1.2", "creator": object{"name": r.Suite.Name, "version": r.Suite.Version}, "pages": []int{}}
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
			_ = b.WriteByte(',')
		}
		if err := WriteJSON(b, &r.Exchanges[i], ""); err != nil {
			return err
		}
	}
	_, _ = b.WriteString("]}}\n")
	return b.Flush()
}
