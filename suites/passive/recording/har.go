package recording

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/wire"
)

// What is read of an entry of a HTTP Archive, http://www.softwareishard.com/blog/har-12-spec.
type (
	harHead struct { // enough to know what it is
		Started string      `json:"startedDateTime"`
		Time    number      `json:"time"` // milliseconds
		Request *harRequest `json:"request"`
	}
	harRequest struct {
		Method  string    `json:"method"`
		URL     string    `json:"url"`
		Headers []harPair `json:"headers"`
	}
	harEntry struct {
		Request struct {
			Headers  []harPair `json:"headers"`
			PostData *harBody  `json:"postData"`
			BodySize number    `json:"bodySize"`
		} `json:"request"`
		Response struct {
			Status     number    `json:"status"`
			StatusText string    `json:"statusText"`
			Version    string    `json:"httpVersion"`
			Headers    []harPair `json:"headers"`
			Content    harBody   `json:"content"`
			BodySize   number    `json:"bodySize"`
			Error      string    `json:"_error"` // Chromium
		} `json:"response"`
		Error         json.RawMessage `json:"_error"`     // ours
		FromCache     string          `json:"_fromCache"` // Chromium: memory or disk
		ServiceWorker bool            `json:"_fetchedViaServiceWorker"`
		FetchType     string          `json:"_fetchType"` // Safari: Network Load, or what answered in its place
	}
	harBody struct {
		Text         *string `json:"text"`
		MimeType     string  `json:"mimeType"`
		Size         number  `json:"size"`
		Compression  number  `json:"compression"` // bytes that the coding saved
		Encoding     string  `json:"encoding"`
		TextEncoding string  `json:"_encoding"` // of postData, where the format has none
		Comment      string  `json:"comment"`
	}
	harPair struct {
		Name  string `json:"name"`
		Value text   `json:"value"`
	}
)

// readHAR lists the entries of a log.
func (r *Recording) readHAR(d *reader) error {
	if err := d.open('{'); err != nil {
		return err
	}
	listed := false
	err := d.members(func(name string) error {
		switch name {
		case "version":
			var version text
			if err := d.value(&version, maxEntry); err != nil {
				return err
			}
			if version != "" && !strings.HasPrefix(string(version), "1.") {
				return fmt.Errorf("log.version is %q: want 1.2", wording.Clip(string(version), maxShown))
			}
			return nil
		case "creator":
			var creator struct {
				Name text `json:"name"`
			}
			var raw json.RawMessage
			err := d.value(&raw, maxEntry)
			_ = json.Unmarshal(raw, &creator) // of another form: an unknown recorder
			r.creator = string(creator.Name)
			return err
		case "entries":
			if listed {
				return errors.New("log.entries is there twice")
			}
			listed = true
			return r.readEntries(d)
		}
		return d.value(new(json.RawMessage), maxEntry)
	})
	if err == nil && !listed {
		return errors.New("log.entries is missing: it is no HTTP Archive")
	}
	return err
}

func (r *Recording) readEntries(d *reader) error {
	if err := d.open('['); err != nil {
		return fmt.Errorf("log.entries: %w", err)
	}
	var raw json.RawMessage
	measured := false // some recorders write 0 for every time
	for n := 1; d.More(); n++ {
		raw = raw[:0]
		if err := d.value(&raw, maxEntry); err != nil {
			return &entryError{n, err}
		}
		var head harHead
		switch err := json.Unmarshal(raw, &head); {
		case err != nil:
			return &entryError{n, wrongType(err)}
		case head.Request == nil:
			return &entryError{n, errors.New("request is missing")}
		case head.Request.Method == "":
			return &entryError{n, errors.New("request.method is missing")}
		case head.Request.URL == "":
			return &entryError{n, errors.New("request.url is missing")}
		}
		measured = measured || head.Time.float64 > 0
		e := r.add(head.Request.Method, head.Request.URL, header(head.Request.Headers), harSpan(head.Started, head.Time))
		if e == nil {
			continue
		}
		var err error
		if e.exchange, err = r.exchange(&head, raw); err != nil {
			return &entryError{n, err}
		}
	}
	for i := range r.entries {
		r.entries[i].when.known = r.entries[i].when.known && measured
	}
	_, err := d.Token()
	return err
}

// wrongType says which member has a value of a type that the format does not have.
func wrongType(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf("%s is of the wrong type (%s)", cmp.Or(wrong.Field, "it"), wrong.Value)
}

// harSpan is when an entry was under way. Most recorders cut the begin to a
// millisecond, some the duration, too: then it may have ended so much later.
func harSpan(started string, milliseconds number) span {
	begin, err := time.Parse(time.RFC3339Nano, started)
	if err != nil || !milliseconds.known || milliseconds.float64 < 0 || milliseconds.float64 > 1e9 ||
		begin.Year() < 1980 || begin.Year() > 2200 {
		return span{}
	}
	end := begin.Add(time.Duration(milliseconds.float64 * float64(time.Millisecond)))
	if begin.Nanosecond()%int(time.Millisecond) == 0 {
		end = end.Add(time.Millisecond)
		if milliseconds.float64 == math.Trunc(milliseconds.float64) {
			end = end.Add(time.Millisecond)
		}
	}
	return span{true, begin.UnixNano(), end.UnixNano()}
}

func header(pairs []harPair) http.Header {
	h := http.Header{}
	for _, p := range pairs {
		if p.Name == "" || strings.HasPrefix(p.Name, ":") { // HTTP/2 has :path and others
			continue
		}
		for value := range strings.SplitSeq(string(p.Value), "\n") { // Chromium joins what came in several lines
			h.Add(p.Name, strings.TrimSpace(value))
		}
	}
	return h
}

// exchange is an entry with its bodies.
func (r *Recording) exchange(h *harHead, raw json.RawMessage) (*exchange, error) {
	if r.kept += len(raw); r.kept > maxKept {
		return nil, fmt.Errorf("the exchanges of the operations are larger than %d MiB together: record less in one file", maxKept>>20)
	}
	var e harEntry
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, wrongType(err)
	}
	started, _ := time.Parse(time.RFC3339Nano, h.Started)
	x := &exchange{Recorded: wire.Recorded{
		RequestHeader: header(e.Request.Headers),
		Start:         started, Duration: time.Duration(h.Time.float64 * float64(time.Millisecond)),
	}}
	// Before a connection is there, Chromium knows a part of the header only.
	x.HeaderCut = r.cleans() && x.RequestHeader.Get("Host") == "" && !named(e.Request.Headers, ":authority")
	if b := e.Request.PostData; b != nil {
		whole := false
		x.HasRequestBody = true
		x.RequestBody, whole = b.bytes()
		if !whole || len(x.RequestBody) == 0 && e.Request.BodySize.float64 > 0 {
			x.missing = NoRequestBody
		}
	} else if e.Request.BodySize.float64 > 0 {
		x.missing = NoRequestBody
	}
	e.answer(x)
	return x, nil
}

func named(pairs []harPair, name string) bool {
	for _, p := range pairs {
		if p.Name == name {
			return true
		}
	}
	return false
}

// answer takes over the response, or says why it cannot be judged.
func (e *harEntry) answer(x *exchange) {
	r := &e.Response
	status := int(r.Status.float64)
	failed := len(e.Error) > 0 && string(e.Error) != "null" && string(e.Error) != `""` || r.Error != ""
	switch {
	case status < 100 || status > 999 || failed:
		x.missing = NoResponse
	case e.FromCache != "" || e.ServiceWorker || e.FetchType != "" && e.FetchType != "Network Load" || r.StatusText == "Internal Redirect":
		x.missing = FromCache
	case status == http.StatusNotModified && x.HeaderCut: // the condition is among the lines that are not known
		x.missing = FromCache
	}
	if x.missing != "" {
		return
	}
	h := header(r.Headers)
	if len(h) == 0 && strings.Contains(r.Content.MimeType, "/") {
		h.Set("Content-Type", r.Content.MimeType)
	}
	x.Response, x.missing = response(status, version(r.Version), h, &r.Content, r.BodySize)
}

// version is the HTTP version in Go's words; recorders have many.
func version(text string) string {
	switch text = strings.ToUpper(text); text {
	case "H2", "HTTP/2":
		return "HTTP/2.0"
	case "H3", "HTTP/3":
		return "HTTP/3.0"
	}
	return text
}
