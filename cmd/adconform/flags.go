package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/suites/judge"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// Options are the flags that several commands have. They come in groups, and a
// command adds the groups that it has.
type Options struct {
	selection
	connection
	Target, Overlay   string
	Depth             judge.Depth
	Seed              uint64
	Mark              string // see suites.Config
	ReadOnly          bool
	AllowInconclusive bool
	Dir               string
	Quiet, Verbose    bool
	JSON              bool

	rate        float64
	concurrency int
	timeout     time.Duration
	baseline    string
	bases       []spec.Basis
}

// New are the options before any flag is read.
func New() Options {
	return Options{Depth: judge.Standard, Seed: suites.DefaultSeed}
}

// Depths of a run.
var Depths = []judge.Depth{judge.Quick, judge.Standard, judge.Deep}

// Bundled is what reports call the target where none is given.
const Bundled = "the bundled reference"

// AddOverlay adds the names that the target speaks.
func (o *Options) AddOverlay(f *pflag.FlagSet) {
	f.StringVar(&o.Overlay, "overlay", "", "OpenAPI Overlay `file` with the wire names of the target")
}

// AddPlan adds what the cases are made of, and which of them are wanted.
func (o *Options) AddPlan(cmd *cobra.Command) {
	f := cmd.Flags()
	o.AddDepth(cmd)
	f.Uint64Var(&o.Seed, "seed", o.Seed, "`number` that the data are made from; where it is given they are the same in each run")
	f.BoolVar(&o.ReadOnly, "read-only", false, "send nothing that could change the target; what needs that is not tested")
	o.AddSelection(cmd)
}

// AddConcurrency adds how many requests are under way at once.
func (o *Options) AddConcurrency(f *pflag.FlagSet) {
	Add(f, &o.concurrency, "concurrency", "number", ReadCount,
		"at most so many requests under way at once; default: that of the target file, else 8, or 1 where there is a rate")
}

// AddDepth adds how much is tested.
func (o *Options) AddDepth(cmd *cobra.Command) {
	AddChoice(cmd, &o.Depth, "depth", Depths, "quick, standard or deep")
}

// AddPace adds how fast requests are sent.
func (o *Options) AddPace(f *pflag.FlagSet) {
	Add(f, &o.rate, "rate", "rate", readRate, "at most so many requests: 10/s, 90/m, 500/h")
	Add(f, &o.timeout, "timeout", "time", ReadTime, "of one request; default: that of the target file, else 10s")
}

// AddVerdict adds what fails the run.
func (o *Options) AddVerdict(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.baseline, "baseline", "", "`file` of known findings, which do not fail the run")
	Add(f, &o.bases, "basis", "list", readBases,
		"what fails the run: stated, published, standard, and chosen, with which notices do; default: all but chosen")
	CompleteFlag(cmd, "basis", func() []string { return words(spec.Bases()) })
}

// AddReport adds where the report goes, and what is printed; files names those of
// the report.
func (o *Options) AddReport(cmd *cobra.Command, files string) {
	f := cmd.Flags()
	f.StringVar(&o.Dir, "report", "", "`folder` for "+files)
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "print the verdict only")
}

// AddJSON adds that the result is for programs.
func (o *Options) AddJSON(f *pflag.FlagSet) {
	f.BoolVar(&o.JSON, "json", false, "print the result as JSON")
}

// Config is the configuration that the flags ask for.
func (o *Options) Config(target *fixtures.Target) (*suites.Config, error) {
	setIf(&target.Limits.Rate, o.rate)
	setIf(&target.Limits.Concurrency, o.concurrency)
	setIf(&target.Limits.Timeout, o.timeout)
	contract, err := LoadContract(o.Overlay)
	if err != nil {
		return nil, err
	}
	c := suites.NewConfig(target)
	c.Contract, c.Bases, c.AllowInconclusive = contract, o.bases, o.AllowInconclusive
	c.Depth, c.Seed, c.Mark, c.ReadOnly, c.Exchanges = o.Depth, o.Seed, o.Mark, o.ReadOnly, o.Dir != ""
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

func setIf[T int | float64 | time.Duration](to *T, given T) {
	if given > 0 {
		*to = given
	}
}

// Style is how the standard output is laid out.
func (o *Options) Style(t *Terminal) report.Style {
	return report.Style{Width: Columns(t.Stdout), Color: t.Colours(t.Stdout), Dir: o.Dir, All: o.Verbose}
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

// Add adds a flag whose text is read by a function; help calls its value kind.
func Add[T any](f *pflag.FlagSet, to *T, name, kind string, read func(string) (T, error), usage string) {
	v := &value[T]{read: read, to: to, kind: kind}
	if !reflect.ValueOf(to).Elem().IsZero() {
		v.text = fmt.Sprint(*to)
	}
	f.Var(v, name, usage)
}

// AddChoice adds a flag whose value is one of a few words.
func AddChoice[T any](cmd *cobra.Command, to *T, name string, all []T, usage string) {
	Add(cmd.Flags(), to, name, name, func(text string) (T, error) { return ReadOneOf(text, all) }, usage)
	CompleteFlag(cmd, name, func() []string { return words(all) })
}

// AddSingle adds a flag that is given once: where a second one would put the first out
// without a word.
func AddSingle(f *pflag.FlagSet, to *string, name, kind, usage string) {
	Add(f, to, name, kind, func(text string) (string, error) {
		if *to != "" {
			return "", fmt.Errorf("--%s is given twice, and one is put on at a time", name)
		}
		return text, nil
	}, usage)
}

// ReadOneOf reads one of a few values by the word that it prints as.
func ReadOneOf[T any](text string, all []T) (value T, err error) {
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

// CompleteFlag lets the shell complete the values of a flag.
func CompleteFlag(cmd *cobra.Command, flag string, words func() []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag does not exist
	}
}

// FromContract are words of the contract, for completion.
func FromContract(list func(*spec.Contract) []string) []string {
	contract, err := spec.Load()
	if err != nil {
		return nil
	}
	return list(contract)
}
