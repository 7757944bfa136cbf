package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/baseline"
	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/testcase"
)

// options are the flags that several commands have. They come in groups, and a
// command adds the groups that it has.
type options struct {
	selection
	connection
	target, overlay           string
	depth                     testcase.Depth
	seed                      uint64
	mark                      string // see suites.Config
	readOnly, own             bool
	rate                      float64
	concurrency               int
	timeout                   time.Duration
	baseline                  string
	bases                     []spec.Basis
	edition                   *spec.Edition // nil: the newest
	strict, allowInconclusive bool
	dir, format               string
	subject                   *report.Subject
	quiet, verbose, noColor   bool
}

func newOptions() options {
	return options{depth: testcase.Standard, seed: suites.DefaultSeed, format: textFormat}
}

const (
	textFormat = "text"
	jsonFormat = "json"
)

var depths = []testcase.Depth{testcase.Quick, testcase.Standard, testcase.Deep}

// addTarget adds what is tested.
func (o *options) addTarget(f *pflag.FlagSet) {
	f.StringVar(&o.target, "target", "", "base URL or target file (`URL|FILE`); default: the bundled reference")
	o.addOverlay(f)
}

func (o *options) addOverlay(f *pflag.FlagSet) {
	f.StringVar(&o.overlay, "overlay", "", "OpenAPI Overlay `file` with the wire names of the target")
}

// addPlan adds what the cases are made of, and which of them are wanted.
func (o *options) addPlan(cmd *cobra.Command) {
	f := cmd.Flags()
	o.addDepth(cmd)
	f.Uint64Var(&o.seed, "seed", o.seed, "`number` that the data are made from; where it is given they are the same in each run")
	f.BoolVar(&o.readOnly, "read-only", false, "send nothing that could change the target; what needs that is not tested")
	o.selection.addFlags(cmd)
}

func (o *options) addConcurrency(f *pflag.FlagSet) {
	add(f, &o.concurrency, "concurrency", "number", readCount,
		"at most so many requests under way at once; default: that of the target file, else 8, or 1 where there is a rate")
}

func (o *options) addOwn(f *pflag.FlagSet) {
	f.BoolVar(&o.own, "i-own-this-target", false, "allow a target that is not on this machine")
}

func (o *options) addDepth(cmd *cobra.Command) {
	addChoice(cmd, &o.depth, "depth", depths, "quick, standard or deep")
}

// addPace adds how fast requests are sent.
func (o *options) addPace(f *pflag.FlagSet) {
	add(f, &o.rate, "rate", "rate", readRate, "at most so many requests: 10/s, 90/m, 500/h")
	o.addTimeout(f)
}

func (o *options) addTimeout(f *pflag.FlagSet) {
	add(f, &o.timeout, "timeout", "time", readTime, "of one request; default: that of the target file, else 10s")
}

// addVerdict adds what fails the run.
func (o *options) addVerdict(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.baseline, "baseline", "", "`file` of known findings, which do not fail the run")
	add(f, &o.bases, "basis", "list", readBases, "what fails the run: stated, published, standard, chosen; default: all but chosen")
	f.BoolVar(&o.strict, "strict", false, "let notices fail the run too, but for those that hang on timing")
	completeFlag(cmd, "basis", func() []string { return words(spec.Bases()) })
}

// addReport adds where the report goes, and what is printed; files names those of
// the report.
func (o *options) addReport(cmd *cobra.Command, files string) {
	f := cmd.Flags()
	f.StringVar(&o.dir, "report", "", "`folder` for "+files)
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print the verdict only")
	o.addFormat(cmd)
}

func (o *options) addFormat(cmd *cobra.Command) {
	addChoice(cmd, &o.format, "format", []string{textFormat, jsonFormat}, "of the standard output: text or json")
	o.addColor(cmd.Flags())
}

func (o *options) addColor(f *pflag.FlagSet) {
	f.BoolVar(&o.noColor, "no-color", false, "no colours")
}

// config is the configuration that the flags ask for.
func (o *options) config(target *fixtures.Target) (*suites.Config, error) {
	setIf(&target.Limits.Rate, o.rate)
	setIf(&target.Limits.Concurrency, o.concurrency)
	setIf(&target.Limits.Timeout, o.timeout)
	contract, err := loadContract(o.overlay)
	if err != nil {
		return nil, err
	}
	c := suites.NewConfig(target)
	c.Contract, c.Bases, c.Strict, c.AllowInconclusive = contract, o.bases, o.strict, o.allowInconclusive
	if o.edition != nil {
		c.Edition = o.edition
	}
	c.Depth, c.Seed, c.Mark, c.ReadOnly, c.Exchanges = o.depth, o.seed, o.mark, o.readOnly, o.dir != ""
	if o.baseline != "" {
		if c.Baseline, err = baseline.Load(o.baseline, contract); err != nil {
			return nil, fmt.Errorf("--baseline: %w", err)
		}
	}
	if err := o.connection.apply(c); err != nil {
		return nil, err
	}
	return c, o.selection.apply(c)
}

func setIf[T int | float64 | time.Duration](to *T, given T) {
	if given > 0 {
		*to = given
	}
}

// style is how the standard output is laid out.
func (a *app) style(o *options) report.Style {
	return report.Style{Width: columns(a.stdout), Color: a.colours(a.stdout, o.noColor), Dir: o.dir, All: o.verbose}
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

// add adds a flag whose text is read by a function; help calls its value kind.
func add[T any](f *pflag.FlagSet, to *T, name, kind string, read func(string) (T, error), usage string) {
	v := &value[T]{read: read, to: to, kind: kind}
	if !reflect.ValueOf(to).Elem().IsZero() {
		v.text = fmt.Sprint(*to)
	}
	f.Var(v, name, usage)
}

// addChoice adds a flag whose value is one of a few words.
func addChoice[T any](cmd *cobra.Command, to *T, name string, all []T, usage string) {
	add(cmd.Flags(), to, name, name, func(text string) (T, error) { return readOneOf(text, all) }, usage)
	completeFlag(cmd, name, func() []string { return words(all) })
}

// addSingle adds a flag that is given once: where a second one would put the first out
// without a word.
func addSingle(f *pflag.FlagSet, to *string, name, kind, usage string) {
	add(f, to, name, kind, func(text string) (string, error) {
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
