package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/adconform/adconform/suites/har"
	"github.com/adconform/adconform/suites/wire"
)

// What is read of a report of Newman's JSON reporter, and of a Postman collection.
type (
	postmanRequest struct {
		Method string        `json:"method"`
		URL    postmanURL    `json:"url"`
		Header postmanHeader `json:"header"`
		Body   *postmanBody  `json:"body"`
	}
	postmanPair struct {
		Key      string   `json:"key"`
		Value    har.Text `json:"value"`
		Disabled bool     `json:"disabled"`
	}
	postmanHeader []postmanPair
	postmanBody   struct {
		Mode     string `json:"mode"`
		Raw      string `json:"raw"`
		Disabled bool   `json:"disabled"`
	}
	newmanRun struct {
		Executions []struct {
			Request  *postmanRequest `json:"request"`
			Response *struct {
				Code   har.Number    `json:"code"`
				Header postmanHeader `json:"header"`
				Stream *struct {
					Data json.RawMessage `json:"data"`
				} `json:"stream"`
				Time har.Number `json:"responseTime"`
			} `json:"response"`
		} `json:"executions"`
	}
)

// UnmarshalJSON implements json.Unmarshaler: a header is a list, null, or a text.
func (h *postmanHeader) UnmarshalJSON(b []byte) error {
	var pairs []postmanPair
	if len(b) > 0 && b[0] == '[' {
		if err := json.Unmarshal(b, &pairs); err != nil {
			return err
		}
	}
	*h = pairs
	return nil
}

func (h postmanHeader) http() http.Header {
	header := http.Header{}
	for _, p := range h {
		if !p.Disabled {
			header.Add(p.Key, string(p.Value))
		}
	}
	return header
}

// postmanURL is an address in parts, or a text.
type postmanURL struct {
	Raw      string        `json:"raw"`
	Protocol string        `json:"protocol"`
	Host     parts         `json:"host"`
	Port     har.Text      `json:"port"`
	Path     parts         `json:"path"`
	Query    []postmanPair `json:"query"`
	Variable []postmanPair `json:"variable"`
}

// parts are those of a host or path, or all of it as a text.
type parts []string

// UnmarshalJSON implements json.Unmarshaler.
func (p *parts) UnmarshalJSON(b []byte) error {
	var all []har.Text
	var one har.Text
	if json.Unmarshal(b, &all) != nil {
		if err := json.Unmarshal(b, &one); err != nil {
			return err
		}
		all = []har.Text{one}
	}
	for _, t := range all {
		*p = append(*p, string(t))
	}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (u *postmanURL) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &u.Raw)
	}
	type plain postmanURL
	return json.Unmarshal(b, (*plain)(u))
}

// String puts the address together.
func (u *postmanURL) String() string {
	if len(u.Host) == 0 {
		return u.Raw
	}
	address := strings.Join(u.Host, ".")
	if u.Port != "" {
		address += ":" + string(u.Port)
	}
	if len(u.Path) > 0 {
		address += "/" + strings.TrimPrefix(strings.Join(u.Path, "/"), "/")
	}
	mark := "?"
	for _, q := range u.Query {
		if !q.Disabled {
			address += mark + url.QueryEscape(q.Key) + "=" + url.QueryEscape(string(q.Value))
			mark = "&"
		}
	}
	if u.Protocol != "" {
		return strings.TrimSuffix(u.Protocol, "://") + "://" + address
	}
	return address
}

// readNewman lists the executions of a report. They came one after another, but
// nobody wrote when.
func (r *Recording) readNewman(run json.RawMessage) error {
	var report newmanRun
	if err := json.Unmarshal(run, &report); err != nil {
		return notOfForm("a report of Newman's JSON reporter", err)
	}
	for i := range report.Executions {
		run := &report.Executions[i]
		switch {
		case run.Request == nil:
			return &entryError{i + 1, errors.New("request is missing")}
		case run.Request.URL.String() == "":
			return &entryError{i + 1, errors.New("request.url is missing")}
		}
		at := 2 * int64(i)
		x := run.Request.exchange()
		if a := run.Response; a == nil || a.Code.Value < 100 || a.Code.Value > 999 {
			x.missing = NoResponse
		} else {
			body := har.Body{}
			if a.Stream != nil {
				decoded := streamed(a.Stream.Data)
				body.Text = &decoded
			}
			x.Duration = time.Duration(a.Time.Value * float64(time.Millisecond))
			x.Response, x.missing = response(int(a.Code.Value), "HTTP/1.1", a.Header.http(), &body, har.Known(0))
		}
		if e := r.add(run.Request.Method, run.Request.URL.String(), x.RequestHeader, span{true, at, at + 1}); e != nil {
			e.exchange = x
		}
	}
	return nil
}

// streamed are the bytes of a Node.js buffer: a list of numbers, or base64.
func streamed(data json.RawMessage) string {
	var numbers []uint16
	if json.Unmarshal(data, &numbers) == nil {
		b := make([]byte, len(numbers))
		for i, n := range numbers {
			b[i] = byte(n)
		}
		return string(b)
	}
	var inBase64 []byte
	_ = json.Unmarshal(data, &inBase64) // no body where it is neither
	return string(inBase64)
}

// exchange is the half of it that was asked.
func (q *postmanRequest) exchange() *exchange {
	x := &exchange{Recorded: wire.Recorded{RequestHeader: q.Header.http()}}
	if b := q.Body; b != nil && !b.Disabled && b.Mode == "raw" {
		x.RequestBody, x.HasRequestBody = []byte(b.Raw), b.Raw != ""
		if commented.MatchString(b.Raw) && !json.Valid(x.RequestBody) {
			x.RequestCut = true // Postman sends JSON without its comments
		}
	}
	return x
}

var commented = regexp.MustCompile(`(?m)(^|\s|[,{}\[\]])(//|/\*)`)

func notOfForm(form string, err error) error {
	return fmt.Errorf("it is not %s: %w", form, wrongType(err))
}
