package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

// Pauses between two looks whether a server that is starting answers.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 500 * time.Millisecond
)

// waitFor waits until the target answers. One that does not in time ends the run as
// inconclusive.
func (a *app) waitFor(ctx context.Context, c *suites.Config, most time.Duration) error {
	if most == 0 {
		return nil
	}
	client, err := c.Client()
	if err != nil {
		return err
	}
	defer client.Close()
	url := wording.Printable(c.Target.BaseURL)
	waiting, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	last := a.awaitAnswer(waiting, client, url)
	switch {
	case last == "":
		return nil
	case ctx.Err() != nil:
		return Interrupted
	}
	a.Note("nothing was tested: waited %s for %s, and the last was: %s", most, url, last)
	return ExitCode(report.ExitInconclusive)
}

// awaitAnswer waits until the target answers or the time is over. It returns what came last;
// "" is an answer.
func (a *app) awaitAnswer(ctx context.Context, client *wire.Client, url string) (last string) {
	told := ""
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		now := answers(ctx, client)
		if ctx.Err() == nil || last == "" {
			last = now
		}
		if now == "" {
			return ""
		}
		if last != told && ctx.Err() == nil {
			a.Note("waiting for %s: %s", url, last)
			told = last
		}
		select {
		case <-ctx.Done():
			return last
		case <-time.After(pause):
		}
	}
}

// answers says why the target does not answer yet, "" when it does. A gateway whose server
// is not up yet says so by 502, 503 or 504.
func answers(ctx context.Context, client *wire.Client) (why string) {
	ex := client.Do(ctx, "wait", wire.Request{Method: http.MethodGet, Path: "/"})
	switch {
	case ex.Err != nil:
		return ex.Err.Error()
	case ex.Response.Status >= http.StatusBadGateway && ex.Response.Status <= http.StatusGatewayTimeout:
		return fmt.Sprintf("%d %s", ex.Response.Status, http.StatusText(ex.Response.Status))
	}
	return ""
}

// silence says in one line why a run judged no answer at all; "" when it did.
func silence(ctx context.Context, c *suites.Config, r *report.Report) string {
	why, ok := strings.CutPrefix(r.Reason, "the target gave no answer")
	switch {
	case !ok || r.Interrupted:
		return ""
	case r.Requests > 0:
		return doesNotAnswer(r.Target.BaseURL, strings.TrimPrefix(why, ": "))
	}
	if client, err := c.Client(); err == nil {
		defer client.Close()
		if why := answers(ctx, client); why != "" {
			return doesNotAnswer(r.Target.BaseURL, why)
		}
	}
	return "nothing was sent: no case has all that it needs; name objects in a target file (adconform init writes one)"
}

// doesNotAnswer asks what may be the matter. Its reason begins with the kind of
// a wire.TransportError.
func doesNotAnswer(baseURL, reason string) string {
	question := "is the server running?"
	switch kind, _, _ := strings.Cut(reason, ":"); wire.Kind(kind) {
	case wire.DNS:
		question = "is the host name right?"
	case wire.TLS:
		question = "is it https, is its certificate trusted here (--ca FILE), and does it want one of yours (--cert FILE)?"
	case wire.Timeout:
		question = "is it overloaded, or --timeout too short?"
	case wire.Malformed:
		question = "is it an HTTP server?"
	case wire.Proxy:
		question = "are HTTPS_PROXY, HTTP_PROXY and NO_PROXY right?"
	}
	return fmt.Sprintf("%s does not answer: %s; %s", baseURL, reason, question)
}
