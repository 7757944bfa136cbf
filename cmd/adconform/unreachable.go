package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/wire"
)

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
