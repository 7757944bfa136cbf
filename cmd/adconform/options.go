package main

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/render"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/specs"
)

// options holds the flags that several commands share, and the target.
type options struct {
	engine.Config                 // as far as flags set it
	limits        fixtures.Limits // that override those of the target file
	target        string
	overlays      []string
	wait          time.Duration
	writes        bool // cases lists only what a run may change
	pairs         bool // cases lists what requests are made of

	cases, skip, clauses []string // ids; * matches any characters

	fault    string // of the bundled reference
	baseline string

	ca, cert, key string // PEM files
	insecure      bool

	flags                report.Flags // for commands that follow a run
	dir                  string       // of the report
	quiet, verbose, json bool
}

// newOptions returns the options before any flag is read.
func newOptions() options { return options{Config: *engine.NewConfig(nil)} }

var depths = []judge.Depth{judge.Quick, judge.Standard, judge.Deep}

// add adds the shared flags with these names to a command, so that each means the same
// everywhere.
func (o *options) add(cmd *cobra.Command, names string) {
	f := pflag.NewFlagSet("shared", pflag.PanicOnError)
	addList(f, &o.overlays, "overlay", asText,
		"OpenAPI Overlay `file` with the names and kinds of ids that the target uses (repeatable, applied in order)")
	addChoice(f, &o.Depth, "depth", depths, "how much to send, the `depth`: quick, standard or deep (default standard)")
	addList(f, &o.cases, "case", asText, "run only this case; * matches any text (`id`, repeatable)")
	addList(f, &o.skip, "skip", asText, "skip this case; * matches any text (`id`, repeatable)")
	addList(f, &o.clauses, "clause", asText, "run only cases that judge this clause (`id`, repeatable)")
	addFlag(f, &o.wait, "wait", readTime, "wait up to this `time` for a server that is starting")
	addFlag(f, &o.limits.Rate, "rate", readRate, "maximum `rate` of requests: 10/s, 90/m or 500/h")
	addFlag(f, &o.limits.Timeout, "timeout", readTime,
		"`time` allowed for a request; default: that of the target file, or 10s")
	f.StringVar(&o.baseline, "baseline", "", "`file` of accepted findings, which do not fail a run")
	addList(f, &o.Bases, "basis", readBasis,
		"`list` of bases whose breach fails a run: stated, published, standard (by default all three), "+
			"and chosen (notices fail it, too)")
	f.StringVar(&o.ca, "ca", "", "PEM `file` of authorities to trust besides the system's")
	f.StringVar(&o.cert, "cert", "", "PEM `file` of a client certificate, with its chain")
	f.StringVar(&o.key, "key", "", "PEM `file` of its private key; default: the file of --cert")
	f.BoolVar(&o.insecure, "insecure", false, "do not verify the server's certificate; every report says so")
	f.StringVar(&o.dir, "report", "", "`folder` for report.html, report.json, junit.xml, …")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print only the verdict")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print each exchange and the full result")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	for name := range strings.FieldsSeq(names) {
		cmd.Flags().AddFlag(f.Lookup(name))
	}
}

// config returns the configuration given by the flags.
func (o *options) config(target *fixtures.Target, contract *spec.Contract) (*engine.Config, error) {
	limits := &target.Limits
	limits.Rate = cmp.Or(o.limits.Rate, limits.Rate)
	limits.Concurrency = cmp.Or(o.limits.Concurrency, limits.Concurrency)
	limits.Timeout = cmp.Or(o.limits.Timeout, limits.Timeout)
	c := o.Config
	c.Target = target
	c.Contract = contract
	c.Exchanges = o.dir != ""
	var err error
	if o.baseline != "" {
		if c.Baseline, err = engine.Load(o.baseline); err != nil {
			return nil, fmt.Errorf("--baseline: %w", err)
		}
	}
	if c.TLS, err = o.tls(); err != nil {
		return nil, err
	}
	return &c, o.selectCases(&c)
}

// tls returns the authorities to trust and the client certificate; nil without a flag for either.
func (o *options) tls() (*tls.Config, error) {
	switch {
	case o.key != "" && o.cert == "":
		return nil, errors.New("--key needs --cert: the certificate that the private key belongs to")
	case o.ca+o.cert == "" && !o.insecure:
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.insecure}
	if o.ca != "" {
		pem, err := wording.ReadFile(o.ca, 1)
		if err != nil {
			return nil, fmt.Errorf("--ca %s: %w", o.ca, err)
		}
		system, _ := x509.SystemCertPool() // nil if the system has none
		config.RootCAs = cmp.Or(system, x509.NewCertPool())
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--ca %s: has no certificate in PEM form (-----BEGIN CERTIFICATE-----)", o.ca)
		}
	}
	if o.cert != "" {
		pair, err := tls.LoadX509KeyPair(o.cert, cmp.Or(o.key, o.cert))
		if err != nil {
			return nil, fmt.Errorf(
				"--cert %s: %w; want a certificate and its unencrypted private key, in PEM form", o.cert, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// style returns the layout of the standard output: with colours only on a terminal that has them.
func (o *options) style(a *app) render.Style {
	s := render.Style{Width: columnsOf(a.Stdout), Dir: o.dir, All: o.verbose}
	noColor, _ := a.Env("NO_COLOR") // no-color.org
	kind, _ := a.Env("TERM")
	isColourful := noColor == "" && kind != "dumb"
	if s.Width > 0 && isColourful {
		s.Paint = func(m render.Mark, row string) string { return looks[m].Render(row) }
	}
	return s
}

// addFlag adds a flag with a function that parses its text.
func addFlag[T any](f *pflag.FlagSet, to *T, name string, read func(string) (T, error), usage string) {
	f.Func(name, usage, func(text string) (err error) {
		*to, err = read(text)
		return err
	})
}

// listFlag is a flag that may be given several times, each time with several values between commas or line breaks.
type listFlag[T any] struct {
	to    *[]T
	read  func(string) (T, error)
	given []string
}

// addList adds a flag for a list, with a function that parses the text of an item.
func addList[T any](f *pflag.FlagSet, to *[]T, name string, read func(string) (T, error), usage string) {
	f.Var(&listFlag[T]{to: to, read: read}, name, usage)
}

func (l *listFlag[T]) String() string     { return strings.Join(l.given, ",") }
func (l *listFlag[T]) Type() string       { return "list" }
func (l *listFlag[T]) GetSlice() []string { return l.given }

func (l *listFlag[T]) Set(text string) error {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), isBlank)
	if len(lines) == 0 {
		return l.Append("")
	}
	for i, line := range lines {
		if line = strings.TrimSpace(line); i < len(lines)-1 {
			line = strings.TrimSuffix(line, ",")
		}
		for item := range strings.SplitSeq(line, ",") {
			if err := l.Append(strings.TrimSpace(item)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Append adds an item. A blank one is kept for the message that the flag is empty.
func (l *listFlag[T]) Append(item string) error {
	l.given = append(l.given, item)
	if isBlank(item) {
		return nil
	}
	value, err := l.read(item)
	*l.to = append(*l.to, value)
	return err
}

func (l *listFlag[T]) Replace(items []string) error {
	l.given = nil
	*l.to = nil
	return l.Set(strings.Join(items, ","))
}

// addChoice adds a flag whose value is one of a few words.
func addChoice[T any](f *pflag.FlagSet, to *T, name string, all []T, usage string) {
	addFlag(f, to, name, func(text string) (T, error) { return readOneOf(text, all) }, usage)
}

// readOneOf reads one of a few values by the word that it prints as.
func readOneOf[T any](text string, all []T) (value T, err error) {
	known := idsOf(all, func(v T) string { return fmt.Sprint(v) })
	i := slices.Index(known, text)
	if i < 0 {
		return value, fmt.Errorf("want one of %s%s", strings.Join(known, ", "), wording.DidYouMean(text, known))
	}
	return all[i], nil
}

func readBasis(text string) (spec.Basis, error) { return readOneOf(text, spec.Bases()) }

func asText(text string) (string, error) { return text, nil }

func readCount(text string) (int, error) {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil && n > 0 {
		return int(n), nil
	}
	return 0, errors.New("want a whole number, 1 or more")
}

// readSeed reads a seed.
func readSeed(text string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, errors.New("want the whole number that an earlier run printed as its seed")
	}
	return seed, nil
}

// readRate reads a rate with its unit, without which people mean requests per second or per minute.
func readRate(text string) (float64, error) {
	rate, err := fixtures.ReadRate(text)
	if err == nil && !strings.Contains(text, "/") {
		err = fmt.Errorf("want a rate with its unit: %[1]s/s, %[1]s/m or %[1]s/h", text)
	}
	return rate, err
}

func readTime(text string) (time.Duration, error) {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, errors.New("want a time such as 10s, 500ms or 1m30s, more than 0")
}

// selectCases sets the filter of a configuration: cases that match any of cases, none of skip, and any of clauses. It
// fails if one of these matches no case of this target at this depth; a case to skip may be of another depth.
func (o *options) selectCases(c *engine.Config) error {
	byID := func(cs *judge.Case) []string { return []string{cs.ID} }
	byClause := func(cs *judge.Case) []string { return cs.Clauses }
	for _, f := range []caseFilter{
		{"case", o.cases, c.Depth, byID}, {"skip", o.skip, judge.Deep, byID}, {"clause", o.clauses, c.Depth, byClause},
	} {
		if len(f.given) == 0 {
			continue
		}
		if err := f.check(c); err != nil {
			return err
		}
		for _, given := range f.given {
			c.Filters = append(c.Filters, fmt.Sprintf("--%s %s", f.flag, given))
		}
		earlier := c.Select
		ids := pattern(f.given...)
		c.Select = func(cs *judge.Case) bool {
			if earlier != nil && !earlier(cs) {
				return false
			}
			isMatch := slices.ContainsFunc(f.idsOf(cs), ids.MatchString)
			return isMatch != (f.flag == "skip")
		}
	}
	return nil
}

// A caseFilter is a flag that selects cases.
type caseFilter struct {
	flag  string
	given []string
	depth judge.Depth
	idsOf func(*judge.Case) []string
}

// check returns an error for a text that no case matches.
func (f *caseFilter) check(c *engine.Config) error {
	var known []string
	for _, cs := range specs.Plan(c.Contract, c.Target, f.depth) {
		for _, id := range f.idsOf(cs) {
			if !slices.Contains(known, id) {
				known = append(known, id)
			}
		}
	}
	for _, given := range f.given {
		if !slices.ContainsFunc(known, pattern(given).MatchString) {
			return fmt.Errorf("--%s %s: no case of depth %s matches it%s", f.flag, given, f.depth,
				wording.Alike(strings.TrimSuffix(given, "*"), known))
		}
	}
	return nil
}

// pattern returns an expression that matches the ids that one of the texts matches, in which * is any text.
func pattern(texts ...string) *regexp.Regexp {
	var all []string
	for _, text := range texts {
		all = append(all, strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, ".*"))
	}
	return regexp.MustCompile("^(?:" + strings.Join(all, "|") + ")$")
}

// idsOf returns the id of each item.
func idsOf[T any](items []T, id func(T) string) []string {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = id(item)
	}
	return ids
}
