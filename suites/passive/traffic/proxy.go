package traffic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"github.com/adconform/adconform/suites"
)

// Proxy passes requests on to one target, as they are, and the answers back.
type Proxy struct {
	origin   *url.URL
	keepHost bool
	forward  bool
	reverse  *httputil.ReverseProxy
	enforce  *enforcer // nil: everything passes
	lost     func(error)
}

// ProxyOptions say how a proxy passes requests on.
type ProxyOptions struct {
	KeepHost  bool // send the Host that the client sent, not the target's
	Forwarded bool // add X-Forwarded-For, -Host and -Proto
	// Lost gets why a target gave no answer; may be nil.
	Lost func(error)
	// Refused gets each request that the proxy answers itself; nil: it
	// answers none.
	Refused func(Refusal)
}

// NewProxy returns a proxy to the target of a configuration. A request keeps its
// path, so the base path is the same before and behind.
func NewProxy(c *suites.Config, observer *Observer, judge *suites.Judge, o ProxyOptions) (*Proxy, error) {
	target, err := url.Parse(c.Target.BaseURL)
	if err != nil || target.Scheme != "http" && target.Scheme != "https" {
		return nil, fmt.Errorf("the proxy needs a target with http:// or https://, not %s", c.Target.BaseURL)
	}
	p := &Proxy{origin: &url.URL{Scheme: target.Scheme, Host: target.Host}, keepHost: o.KeepHost, forward: o.Forwarded, lost: o.Lost}
	if o.Refused != nil {
		contract, err := c.LoadContract()
		if err != nil {
			return nil, err
		}
		p.enforce = &enforcer{judge: judge, contract: contract, refused: o.Refused, limit: observer.options.MaxBody}
	}
	p.reverse = &httputil.ReverseProxy{
		Rewrite:       p.rewrite,
		Transport:     &transport{observer: observer, next: onward(c), target: func(r *http.Request) string { return r.URL.RequestURI() }},
		FlushInterval: time.Millisecond, // what the target sends in parts passes in parts
		ErrorHandler:  p.failed,
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	return p, nil
}

// onward is the way to the target. It adds nothing, keeps connections, and
// speaks HTTP/2 where the target does.
func onward(c *suites.Config) http.RoundTripper {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		TLSClientConfig:       c.TLS.Clone(),
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       90 * time.Second,
		DisableCompression:    true,
		ForceAttemptHTTP2:     true,
	}
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		const why = "adconform proxy: CONNECT is for forward proxies; send requests to this address as to the target"
		http.Error(w, why, http.StatusMethodNotAllowed)
		return
	}
	if p.enforce != nil {
		var passes bool
		if r, passes = p.enforce.let(w, r); !passes {
			return
		}
	}
	_ = http.NewResponseController(w).EnableFullDuplex() // a target may answer before it has read the request
	as := &asItComes{ResponseWriter: w}
	defer func() {
		if broken := recover(); broken != nil {
			if as.begun { // what came of a broken answer passes before it breaks
				_ = http.NewResponseController(w).Flush()
			}
			panic(broken)
		}
	}()
	p.reverse.ServeHTTP(as, r)
}

// rewrite undoes what httputil.ReverseProxy does to a request beyond what HTTP
// asks of a proxy.
func (p *Proxy) rewrite(r *httputil.ProxyRequest) {
	out := r.Out
	out.URL.Scheme, out.URL.Host = p.origin.Scheme, p.origin.Host
	out.URL.RawQuery, out.URL.ForceQuery = r.In.URL.RawQuery, r.In.URL.ForceQuery
	if path, _, _ := strings.Cut(r.In.RequestURI, "?"); strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") || path == "*" {
		out.URL.Opaque = path // as its bytes came; net/http would take // for a host
	}
	if out.Host = ""; p.keepHost {
		out.Host = r.In.Host
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values, given := r.In.Header[name]; given {
			out.Header[name] = values
		}
	}
	if p.forward {
		r.SetXForwarded()
	}
	out.Trailer = r.In.Trailer // filled while the body is read
}

// failed answers for a target that cannot be reached. Where it ended a
// connection, so does the proxy.
func (p *Proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	if gaveUp(r.Context(), err) != "" {
		panic(http.ErrAbortHandler)
	}
	if p.lost != nil {
		p.lost(err)
	}
	if unreached(err) {
		http.Error(w, "adconform proxy: the target cannot be reached", http.StatusBadGateway)
		return
	}
	panic(http.ErrAbortHandler)
}

// asItComes keeps net/http from adding a date or a guessed media type to a
// response that has none.
type asItComes struct {
	http.ResponseWriter
	begun bool
}

// Unwrap lets http.ResponseController reach flushing and hijacking.
func (w *asItComes) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *asItComes) WriteHeader(status int) {
	if status >= 200 {
		w.begun = true
		for _, name := range []string{"Date", "Content-Type"} {
			if h := w.Header(); len(h[name]) == 0 {
				h[name] = nil
			}
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Serve answers on the listener until ctx ends; requests under way then have
// a while to end. HTTP/2 is spoken without TLS, too.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: p, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute, Protocols: new(http.Protocols),
		DisableGeneralOptionsHandler: true,
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		if server.Shutdown(grace) != nil {
			server.Close()
		}
	})
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		stop()
		return err
	}
	<-ended
	return nil
}

// grace is how long requests under way may take to end.
const grace = 3 * time.Second
