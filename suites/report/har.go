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

// percent is an escape of a URI, or a percent sign that encodes nothing, which no URI may hold.
var percent = regexp.MustCompile(`%[0-9A-Fa-f]{2}|%`)

// NewExchange takes from an exchange what may be shown.
func NewExchange(ex *wire.Exchange) Exchange {
	shown, milliseconds := ex.Shown(maxShownBody), float64(ex.Duration.Microseconds())/1e3
	answer := cmp.Or(shown.Response, &wire.Response{Proto: "unknown"}) // none came
	e := Exchange{
		Seq: ex.Seq, Case: ex.Case,
		Request:  harMessage(answer.Proto, shown.RequestHeader, shown.RequestBody.Size),
		Response: harMessage(answer.Proto, answer.Header, shown.Answer.Size),
		Other: object{
			"startedDateTime": ex.Start.UTC().Truncate(time.Microsecond), "time": milliseconds, "cache": object{}, // of the last attempt
			"timings":     object{"send": 0, "wait": milliseconds, "receive": 0}, // only the whole is measured
			"_credential": ex.Request.Credential.Name, "_attempts": ex.Attempts, "_rateLimited": ex.RateLimited,
		},
	}
	if ex.Err != nil { // there is no complete response
		e.Other["_error"] = ex.Err.Error()
	}
	address := percent.ReplaceAllStringFunc(ex.URL, func(sign string) string {
		return map[bool]string{true: "%25", false: sign}[sign == "%"]
	})
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
	return object{"httpVersion": version, "cookies": []harPair{}, "headers": pairs(header), "headersSize": -1, "bodySize": size}
}

// harPair is one line of a header, or a parameter.
type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func pairs(values map[string][]string) []harPair {
	list := []harPair{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, v := range values[name] {
			list = append(list, harPair{unicodeOnly(name), unicodeOnly(v)})
		}
	}
	return list
}

func query(address string) []harPair {
	_, text, _ := strings.Cut(address, "?")
	values, _ := url.ParseQuery(text) // what it can read
	return pairs(values)
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
