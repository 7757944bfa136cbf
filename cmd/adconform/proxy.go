package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/adconform/adconform/cmd/adconform/internal/flags"
	"github.com/adconform/adconform/cmd/adconform/internal/serve"
	"github.com/adconform/adconform/cmd/adconform/internal/terminal"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/passive/traffic"
	"github.com/adconform/adconform/suites/report"
)

// proxyOptions are the flags of proxy.
type proxyOptions struct {
	flags.Options
	listen   string
	failFast bool
	enforce  bool
	pass     traffic.ProxyOptions
	tls      serve.TLS
}

func (a *app) proxyCommand() *cobra.Command {
	o := &proxyOptions{Options: flags.Options{Format: flags.Text}}
	cmd := &cobra.Command{
		Use:   "proxy",
		Short: "Judge the traffic between clients and a target as it passes",
		Long: `Listens, passes every request on to the target as it is and the answer back, and
judges the exchanges of the five operations on the side. Send clients to the
address that it prints, with the same paths as at the target. Findings are reported
as they come; an interrupt ends it, writes the reports and prints the verdict.

It needs no keys: those that pass are never recorded. It sends nothing of its
own. What it cannot judge passes all the same, and is counted.`,
		Example: `  adconform proxy --target http://127.0.0.1:8080/v2
  adconform proxy --target https://staging.example.com/v2 --listen 127.0.0.1:8081 --report report
  adconform proxy --target http://127.0.0.1:8080/v2 --fail-fast   # exits with 1 at the first finding
  adconform proxy --target http://127.0.0.1:8080/v2 --enforce     # answers wrong requests itself`,
		Args: flags.Arguments(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Target == "" {
				return flags.Usagef(cmd, "--target is missing: the base URL that requests are passed on to, such as http://127.0.0.1:8080/v2")
			}
			return a.proxy(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Target, "target", "", "base URL or target file (`URL|FILE`) that requests are passed on to")
	o.AddOverlay(f)
	f.StringVar(&o.listen, "listen", "127.0.0.1:8081", "`host:port` to listen on; port 0 means a free one")
	f.BoolVar(&o.failFast, "fail-fast", false, "end at the first finding that fails the run")
	f.BoolVar(&o.enforce, "enforce", false,
		"answer requests that are certainly wrong (no key, malformed body, wrong type) with the contract's error")
	f.BoolVar(&o.pass.KeepHost, "keep-host", false, "pass on the Host that the client sent in place of the target's")
	f.BoolVar(&o.pass.Forwarded, "forwarded", false, "add X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Proto")
	f.BoolVar(&o.AllowInconclusive, "allow-inconclusive", false, "exit with 0 when judged traffic leaves the run inconclusive")
	o.AddConnection(f)
	o.tls.AddFlags(f)
	o.AddVerdict(cmd)
	o.AddReport(cmd, reportFiles)
	return cmd
}

func (a *app) proxy(ctx context.Context, o *proxyOptions) (err error) {
	defer func() { err = stale(o.Dir, err) }()
	ctx, cancel := a.Interruptible(ctx, "adconform: interrupted, judging what is left; interrupt again to stop at once")
	defer cancel()
	target, err := a.passedOnTo(o.Target, o.Overlay)
	if err != nil {
		return err
	}
	c, err := o.Config(target)
	if err != nil {
		return err
	}
	if err := report.CheckDir(o.Dir); err != nil {
		return err
	}
	p := a.Progress(o.Quiet)
	p.Listing = true
	judge, observer, proxy, err := o.between(c, p, cancel)
	if err != nil {
		return fmt.Errorf("--target: %w", err)
	}
	defer observer.Close()
	listener, base, err := o.open(ctx, target)
	if err != nil {
		return err
	}
	if err := report.ClearDir(o.Dir); err != nil {
		return err
	}
	if o.Insecure {
		p.Line(report.Insecure)
	}
	o.say(p)("adconform: %s passes on to %s; interrupt to end", base, wording.Printable(target.BaseURL))
	if o.Format == flags.Text {
		fmt.Fprintln(a.Stdout, base)
	}
	if err := proxy.Serve(ctx, listener); err != nil {
		return fmt.Errorf("--listen %s: %w", o.listen, err)
	}
	observer.Close()
	p.End()
	r := judge.Report()
	observer.Complete(r, judge.Redact)
	return a.tell(&o.Options, r, "")
}

// between is the proxy between clients and target, with what looks at the traffic.
func (o *proxyOptions) between(
	c *suites.Config, p *terminal.Progress, end func(),
) (judge *suites.Judge, observer *traffic.Observer, proxy *traffic.Proxy, err error) {
	// With a certificate of the proxy every client is known to the target.
	judge, err = suites.NewJudge(c, !traffic.Certified(c.TLS))
	if err != nil {
		return nil, nil, nil, err
	}
	observer = traffic.New(judge, traffic.Options{Judged: o.judged(p, judge, end)})
	say := o.say(p)
	o.pass.Lost = func(err error) {
		say("LOST the target gave no answer: %s", wording.Printable(judge.Redact(err.Error())))
	}
	if o.enforce {
		o.pass.Refused = func(r traffic.Refusal) {
			say("REFUSED %s/%d %s: %s", r.Operation, r.Status, r.Clause, wording.Printable(r.Reason))
		}
	}
	if proxy, err = traffic.NewProxy(c, observer, judge, o.pass); err != nil {
		observer.Close()
	}
	return judge, observer, proxy, err
}

// say prints a line, unless --quiet is given.
func (o *proxyOptions) say(p *terminal.Progress) func(format string, args ...any) {
	if o.Quiet {
		return func(string, ...any) {}
	}
	return p.Line
}

// judged reports each exchange that was judged, and ends the proxy where that was
// asked for.
func (o *proxyOptions) judged(p *terminal.Progress, judge *suites.Judge, end func()) func([]oracle.Finding) {
	exchanges := 0
	return func(findings []oracle.Finding) {
		exchanges++
		if !o.Quiet {
			var found []*oracle.Finding
			for i := range findings {
				found = append(found, &findings[i])
			}
			p.Found("", found)
			p.Draw(false, "%d exchanges judged, %d findings", exchanges, p.Findings)
		}
		if o.failFast && judge.Failed() {
			end()
		}
	}
}

// passedOnTo is the target: that of a file, or one of which only the base URL is
// known, as the clients bring the keys.
func (a *app) passedOnTo(where, overlay string) (*fixtures.Target, error) {
	if !flags.IsURL(where) {
		return flags.LoadTarget(&a.Terminal, where, overlay)
	}
	owner, _ := a.Env(fixtures.OwnerVariable)
	stranger, _ := a.Env(fixtures.StrangerVariable)
	return &fixtures.Target{
		Version: 1, Name: "the traffic to the target", BaseURL: strings.TrimRight(where, "/"),
		Credentials: fixtures.Credentials{Owner: owner, Stranger: stranger, Header: fixtures.DefaultKeyHeader},
	}, nil
}

// open opens the port, with TLS if that was asked for. base is the base URL for
// clients.
func (o *proxyOptions) open(ctx context.Context, target *fixtures.Target) (l net.Listener, base string, err error) {
	to, err := url.Parse(target.BaseURL)
	if err != nil {
		return nil, "", errors.New("--target: the base URL cannot be parsed")
	}
	l, scheme, err := o.tls.Listen(ctx, "--listen", o.listen, "h2", "http/1.1")
	if err != nil {
		return nil, "", err
	}
	if own := serve.Reachable(l.Addr()); to.Host == own || to.Hostname() == "localhost" && strings.HasSuffix(own, ":"+to.Port()) {
		l.Close()
		return nil, "", fmt.Errorf(
			"--listen %s is the address of the target: the proxy would pass requests on to itself; give another port", o.listen)
	}
	return l, scheme + "://" + serve.Reachable(l.Addr()) + to.EscapedPath(), nil
}
