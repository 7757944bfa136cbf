package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/spec"
)

// frontOptions are the flags of what is in front of the contract.
type frontOptions struct {
	control   bool
	latency   reference.Latency
	rateLimit reference.RateLimit
	origins   []string
}

func (o *frontOptions) flags(f *pflag.FlagSet) {
	f.BoolVar(&o.control, "control", false, "let POST /_adconform/reset, which needs no key, put the world back")
	Add(f, &o.latency, "latency", "time", readLatency, "hold every answer back: a `time` such as 50ms, or a range such as 20ms-80ms")
	Add(f, &o.rateLimit, "rate-limit", "burst,rate", readRateLimit,
		"`requests,refill`: how many an address may send at once, and how many more each second, such as 15,1")
	Add(f, &o.origins, "cors", "origin", readOrigins,
		"let browsers call from this `origin` (several with commas), such as http://localhost:3000, or from any with *")
}

func readLatency(text string) (l reference.Latency, err error) {
	low, high, isRange := strings.Cut(text, "-")
	if !isRange {
		high = low
	}
	var errLow, errHigh error
	l.Min, errLow = time.ParseDuration(low)
	l.Max, errHigh = time.ParseDuration(high)
	if errLow != nil || errHigh != nil || l.Min < 0 || l.Max < l.Min || l.Max > longestLatency {
		return reference.Latency{}, fmt.Errorf("want a time such as 50ms or a range such as 20ms-80ms, at most %v", longestLatency)
	}
	return l, nil
}

// longestLatency is below what the server allows for an exchange.
const longestLatency = 30 * time.Second

func readRateLimit(text string) (l reference.RateLimit, err error) {
	burst, refill, _ := strings.Cut(text, ",")
	var errBurst, errRefill error
	l.Burst, errBurst = strconv.Atoi(strings.TrimSpace(burst))
	l.PerSecond, errRefill = strconv.ParseFloat(strings.TrimSpace(refill), 64)
	if errBurst != nil || errRefill != nil || l.Burst < 1 || l.Burst > 1e6 || !(l.PerSecond >= 0.001 && l.PerSecond <= 1e6) {
		return reference.RateLimit{}, errors.New(
			"want two numbers such as 15,1: requests at once, 1 to 1000000, and more of them each second, 0.001 to 1000000")
	}
	return l, nil
}

func readOrigins(text string) ([]string, error) {
	var origins []string
	for origin := range strings.SplitSeq(text, ",") {
		origin = strings.TrimSpace(origin)
		u, err := url.Parse(origin)
		if origin != "*" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || origin != u.Scheme+"://"+u.Host) {
			return nil, errors.New("want origins such as http://localhost:3000, without a path, or *")
		}
		origins = append(origins, origin)
	}
	return origins, nil
}

// inFront is the server with its faults, variants and dialect, and all that is
// in front of it.
func (o *options) inFront(server *reference.Server, world fixtures.World, on *Disguised) (http.Handler, error) {
	document, err := o.document()
	if err != nil {
		return nil, err
	}
	start, err := o.startPage(world.Target(BasePath), on)
	if err != nil {
		return nil, err
	}
	contract := &resettable{wrap: func() http.Handler { return on.Wrap(server) }}
	contract.renew()
	front := reference.Front{
		OpenAPI: document, Start: start,
		Latency: o.front.latency, RateLimit: o.front.rateLimit, Origins: o.front.origins,
	}
	if o.front.control {
		front.Reset = func() error {
			if err := server.Reset(world); err != nil {
				return err
			}
			contract.renew()
			return nil
		}
	}
	return front.Before(contract)
}

// document is what the documentation shows: the names that are spoken.
func (o *options) document() ([]byte, error) {
	if o.Overlay == "" {
		return spec.OpenAPI(), nil
	}
	overlay, err := os.ReadFile(o.Overlay)
	if err != nil {
		return nil, fmt.Errorf("--overlay %s: %w", o.Overlay, files.WithoutPath(err))
	}
	return spec.Overlay(spec.OpenAPI(), overlay)
}

// resettable is a handler that a reset replaces: faults and variants remember
// what passed, which then is no longer so.
type resettable struct {
	wrap func() http.Handler
	now  atomic.Pointer[http.Handler]
}

func (h *resettable) renew() {
	fresh := h.wrap()
	h.now.Store(&fresh)
}

// ServeHTTP implements http.Handler.
func (h *resettable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*h.now.Load()).ServeHTTP(w, r)
}

// describe adds to a target file what the front means for the suite.
func (o *frontOptions) describe(t *fixtures.Target, origin string) {
	if o.control {
		t.Provision = &fixtures.Provision{Post: origin + reference.ResetPath}
	}
	t.Limits.Rate = o.rateLimit.PerSecond
}
