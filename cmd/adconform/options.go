package main

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// options are the flags that several commands have. They come in groups, and a
// command adds the groups that it has.
type options struct {
	selection
	connection
	target, overlay   string
	depth             judge.Depth
	seed              uint64
	readOnly          bool
	allowInconclusive bool
	dir               string // of the report
	quiet, verbose    bool
	json              bool

	rate        float64
	concurrency int
	timeout     time.Duration
	baseline    string
	bases       []spec.Basis
}

// newOptions are those before any flag is read.
func newOptions() options { return options{depth: judge.Standard, seed: suites.DefaultSeed} }

// depths of a run.
var depths = []judge.Depth{judge.Quick, judge.Standard, judge.Deep}

// bundledName is what reports call the target where none is given.
const bundledName = "the bundled reference"

// addOverlay adds the names that the target speaks.
func (o *options) addOverlay(f *pflag.FlagSet) {
	f.StringVar(&o.overlay, "overlay", "", "OpenAPI Overlay `file` with the wire names of the target")
}

// addDepth adds how much is tested.
func (o *options) addDepth(cmd *cobra.Command) {
	addChoice(cmd, &o.depth, "depth", depths, "quick, standard or deep")
}

// addPace adds how fast requests are sent.
func (o *options) addPace(f *pflag.FlagSet) {
	addFlag(f, &o.rate, "rate", "rate", readRate, "at most so many requests: 10/s, 90/m, 500/h")
	addFlag(f, &o.timeout, "timeout", "time", readTime, "of one request; default: that of the target file, else 10s")
}

// addVerdict adds what fails the run.
func (o *options) addVerdict(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.baseline, "baseline", "", "`file` of known findings, which do not fail the run")
	addFlag(f, &o.bases, "basis", "list", readBases,
		"what fails the run: stated, published, standard, and chosen, with which notices do; default: all but chosen")
	completeFlag(cmd, "basis", func() []string { return words(spec.Bases()) })
}

// addReport adds where the report goes, and what is printed.
func (o *options) addReport(f *pflag.FlagSet) {
	f.StringVar(&o.dir, "report", "", "`folder` for report.html, report.json, junit.xml, findings.sarif, traffic.har, …")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print the verdict only")
}

// addJSON adds that the result is for programs.
func (o *options) addJSON(f *pflag.FlagSet) {
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
}

// config is the configuration that the flags ask for.
func (o *options) config(target *fixtures.Target) (*suites.Config, error) {
	limits := &target.Limits
	limits.Rate, limits.Concurrency = cmp.Or(o.rate, limits.Rate), cmp.Or(o.concurrency, limits.Concurrency)
	limits.Timeout = cmp.Or(o.timeout, limits.Timeout)
	contract, err := loadContract(o.overlay)
	if err != nil {
		return nil, err
	}
	c := suites.NewConfig(target)
	c.Contract, c.Bases, c.AllowInconclusive = contract, o.bases, o.allowInconclusive
	c.Depth, c.Seed, c.ReadOnly, c.Exchanges = o.depth, o.seed, o.readOnly, o.dir != ""
	if o.baseline != "" {
		if c.Baseline, err = suites.Load(o.baseline, contract); err != nil {
			return nil, fmt.Errorf("--baseline: %w", err)
		}
	}
	if err := o.connection.apply(c); err != nil {
		return nil, err
	}
	return c, o.selection.apply(c)
}

// style is how the standard output is laid out.
func (o *options) style(a *app) report.Style {
	return report.Style{Width: columnsOf(a.Stdout), Color: a.colours(a.Stdout), Dir: o.dir, All: o.verbose}
}

// value is a flag whose text is read by a function.
type value[T any] struct {
	read func(string) (T, error)
	to   *T
	kind string // what help calls it
	text string
}

// Set implements pflag.Value.
func (v *value[T]) Set(text string) error {
	read, err := v.read(text)
	if err == nil {
		*v.to, v.text = read, text
	}
	return err
}

// String implements pflag.Value.
func (v *value[T]) String() string { return v.text }

// Type implements pflag.Value.
func (v *value[T]) Type() string { return v.kind }

// addFlag adds a flag whose text is read by a function; help calls its value kind.
func addFlag[T any](f *pflag.FlagSet, to *T, name, kind string, read func(string) (T, error), usage string) {
	v := &value[T]{read: read, to: to, kind: kind}
	if !reflect.ValueOf(to).Elem().IsZero() {
		v.text = fmt.Sprint(*to)
	}
	f.Var(v, name, usage)
}

// addChoice adds a flag whose value is one of a few words.
func addChoice[T any](cmd *cobra.Command, to *T, name string, all []T, usage string) {
	addFlag(cmd.Flags(), to, name, name, func(text string) (T, error) { return readOneOf(text, all) }, usage)
	completeFlag(cmd, name, func() []string { return words(all) })
}

// addSingle adds a flag that is given once: where a second one would put the first out
// without a word.
func addSingle(f *pflag.FlagSet, to *string, name, kind, usage string) {
	addFlag(f, to, name, kind, func(text string) (string, error) {
		if *to != "" {
			return "", fmt.Errorf("--%s is given twice, and one is put on at a time", name)
		}
		return text, nil
	}, usage)
}

// readOneOf reads one of a few values by the word that it prints as.
func readOneOf[T any](text string, all []T) (value T, err error) {
	known := words(all)
	i := slices.Index(known, text)
	if i < 0 {
		return value, fmt.Errorf("want one of %s%s", strings.Join(known, ", "), wording.DidYouMean(text, known))
	}
	return all[i], nil
}

func words[T any](all []T) []string {
	words := make([]string, len(all))
	for i, v := range all {
		words[i] = fmt.Sprint(v)
	}
	return words
}

// completeFlag lets the shell complete the values of a flag.
func completeFlag(cmd *cobra.Command, flag string, words func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag does not exist
	}
}

// fromContract are words of the contract, for completion.
func fromContract(list func(*spec.Contract) []string) []string {
	contract, err := spec.Load()
	if err != nil {
		return nil
	}
	return list(contract)
}

// connection are the flags that say whom to trust and who to be at the target.
// Proxies come from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
type connection struct {
	ca, cert, key string // PEM files
	insecure      bool
}

// addConnection adds whom to trust and who to be at the target.
func (o *connection) addConnection(f *pflag.FlagSet) {
	f.StringVar(&o.ca, "ca", "", "PEM `file` of certificate authorities to trust beside the system's")
	f.StringVar(&o.cert, "cert", "", "PEM `file` of the client certificate, with its chain")
	f.StringVar(&o.key, "key", "", "PEM `file` of its private key; default: the file of --cert")
	f.BoolVar(&o.insecure, "insecure", false, "do not check the target's certificate; every report says so")
}

// apply reads the files. An error is one line with flag and file.
func (o *connection) apply(c *suites.Config) error {
	switch {
	case o.key != "" && o.cert == "":
		return errors.New("--key needs --cert: the certificate that the private key belongs to")
	case o.insecure && o.ca != "":
		return errors.New("--insecure checks no certificate, so --ca has no effect: leave one of them out")
	case *o == connection{}:
		return nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.insecure}
	if o.ca != "" {
		data, err := readFlagFile("--ca", o.ca)
		if err != nil {
			return err
		}
		if config.RootCAs, err = x509.SystemCertPool(); err != nil { // there is none
			config.RootCAs = x509.NewCertPool()
		}
		if !config.RootCAs.AppendCertsFromPEM(data) {
			return fmt.Errorf("--ca %s: has no certificate in PEM form (-----BEGIN CERTIFICATE-----)", o.ca)
		}
	}
	if o.cert != "" {
		pair, err := tls.LoadX509KeyPair(o.cert, cmp.Or(o.key, o.cert))
		if err != nil {
			return fmt.Errorf("--cert %s: %w; it wants a certificate and its private key, not encrypted, in PEM form", o.cert, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	c.TLS = config
	return nil
}

func readFlagFile(flag, file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, file, files.WithoutPath(err))
	}
	return data, nil
}
