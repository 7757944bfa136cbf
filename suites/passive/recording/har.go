package recording

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/har"
	"github.com/adconform/adconform/suites/wire"
)

// harHead is enough of an entry to know what it is.
type harHead struct {
	Started string     `json:"startedDateTime"`
	Time    har.Number `json:"time"` // milliseconds
	Request *struct {
		Method  string     `json:"method"`
		URL     string     `json:"url"`
		Headers []har.Pair `json:"headers"`
	} `json:"request"`
}

// readHAR lists the entries of a log.
func (r *Recording) readHAR(d *reader) error {
	if err := d.open('{'); err != nil {
		return err
	}
	listed := false
	err := d.members(func(name string) error {
		switch name {
		case "version":
			var version har.Text
			if err := d.value(&version, maxEntry); err != nil {
				return err
			}
			if version != "" && !strings.HasPrefix(string(version), "1.") {
				return fmt.Errorf("log.version is %q: want 1.2", wording.Clip(string(version), maxShown))
			}
			return nil
		case "creator":
			var creator struct {
				Name har.Text `json:"name"`
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
		measured = measured || head.Time.Value > 0
		e := r.add(head.Request.Method, head.Request.URL, header(head.Request.Headers), harSpan(head.Started, head.Time))
		if e == nil {
			continue
		}
		var err error
		if e.exchange, err = r.exchange(raw); err != nil {
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
func harSpan(started string, milliseconds har.Number) span {
	begin, err := time.Parse(time.RFC3339Nano, started)
	if err != nil || !milliseconds.Known || milliseconds.Value < 0 || milliseconds.Value > 1e9 ||
		begin.Year() < 1980 || begin.Year() > 2200 {
		return span{}
	}
	end := begin.Add(time.Duration(milliseconds.Value * float64(time.Millisecond)))
	if begin.Nanosecond()%int(time.Millisecond) == 0 {
		end = end.Add(time.Millisecond)
		if milliseconds.Value == math.Trunc(milliseconds.Value) {
			end = end.Add(time.Millisecond)
		}
	}
	return span{true, begin.UnixNano(), end.UnixNano()}
}

func header(pairs []har.Pair) http.Header {
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
func (r *Recording) exchange(raw json.RawMessage) (*exchange, error) {
	if r.kept += len(raw); r.kept > maxKept {
		return nil, fmt.Errorf("the exchanges of the operations are larger than %d MiB together: record less in one file", maxKept>>20)
	}
	var e har.Entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return nil, wrongType(err)
	}
	started, _ := time.Parse(time.RFC3339Nano, e.Started)
	x := &exchange{Recorded: wire.Recorded{
		RequestHeader: header(e.Request.Headers),
		Start:         started, Duration: time.Duration(e.Time.Value * float64(time.Millisecond)),
	}}
	// Before a connection is there, Chromium knows a part of the header only.
	isHost := func(p har.Pair) bool { return p.Name == ":authority" || strings.EqualFold(p.Name, "Host") }
	x.HeaderCut = r.cleans() && !slices.ContainsFunc(e.Request.Headers, isHost)
	if b := e.Request.PostData; b != nil {
		whole := false
		x.HasRequestBody = true
		x.RequestBody, whole = bytesOf(b)
		if !whole || len(x.RequestBody) == 0 && e.Request.BodySize.Value > 0 {
			x.missing = NoRequestBody
		}
	} else if e.Request.BodySize.Value > 0 {
		x.missing = NoRequestBody
	}
	answer(&e, x)
	return x, nil
}

// answer takes over the response, or says why it cannot be judged.
func answer(e *har.Entry, x *exchange) {
	r := &e.Response
	status := int(r.Status.Value)
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
