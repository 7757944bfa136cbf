package wire

import (
	"bufio"
	"io"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/adconform/adconform/fixtures"
)

// A Written is a request as it is on the wire.
type Written struct {
	Method, Path, Proto string // of the request line, without the path of the base URL
	Header              http.Header
	Body                []byte
}

// OnWire returns what a target reads of a request, and whether that is malformed.
func (r *Request) OnWire(target *fixtures.Target) (_ Written, malformed bool) {
	options := Options{Key: target.Credentials.Form(), Headers: target.Headers}
	keys := Client{opt: options, base: new(url.URL)}
	w := Written{r.Method, keys.target(r.Path, r.Credential), "HTTP/1.1", ownHeader(*r), r.Body}
	keys.everyHeader(w.Header)
	if name, values := keys.keyHeader(r.Credential); name != "" {
		w.Header[http.CanonicalHeaderKey(name)] = values
	}
	if r.Odd == nil {
		return w, false
	}
	return w.withEdits(r.Odd)
}

// withEdits returns what a target reads of a request that is written in an odd way.
func (w Written) withEdits(odd *Odd) (_ Written, malformed bool) {
	base := url.URL{Scheme: "http", Host: "host"}
	m := message{Client: &Client{base: &base}, header: w.Header}
	m.url = &url.URL{Scheme: base.Scheme, Host: base.Host, Opaque: w.Path}
	m.Method = w.Method
	m.Body = w.Body
	m.Odd = odd
	line, rest, _ := strings.Cut(string(m.bytes()), "\r\n")
	words := strings.Split(line, " ")
	if len(words) != 3 {
		return w, true
	}
	w.Method = words[0]
	w.Path = words[1]
	w.Proto = words[2]
	read, err := http.ReadRequest(bufio.NewReader(strings.NewReader("POST / " + w.Proto + "\r\n" + rest)))
	if err != nil {
		return w, true
	}
	w.Body, err = io.ReadAll(read.Body)
	w.Header = read.Header
	if len(read.TransferEncoding) > 0 {
		w.Header["Transfer-Encoding"] = read.TransferEncoding
	}
	isWellFormed := httpguts.ValidHeaderFieldName(w.Method) && httpguts.ValidHostHeader(read.Host)
	return w, err != nil || !isWellFormed
}
