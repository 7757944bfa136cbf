package mutants

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/reference/faults"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// setting is how the reference is served.
type setting struct {
	variant faults.Variant // makes other choices; the zero value makes those of the reference
	chosen  []string       // the names of these choices
	overlay string         // a file: the server speaks its names
}

func (s setting) name() string {
	if s.overlay != "" {
		return "overlay " + s.overlay
	}
	return s.variant.ID
}

// settings are the reference as it is, another dialect, and every variant that is a
// choice of the reference: those of several choices last.
func settings() []setting {
	all := []setting{{}, {overlay: "docs/dialect.yaml"}}
	var combined []setting
	for _, v := range faults.Variants() {
		if v.Choices == nil || v.Wrap != nil {
			continue
		}
		s := setting{variant: v, chosen: chosen(v)}
		if len(s.chosen) == 1 {
			all = append(all, s)
		} else {
			combined = append(combined, s)
		}
	}
	return append(all, combined...)
}

// chosen are the choices that a variant makes otherwise.
func chosen(v faults.Variant) (names []string) {
	plain, other := reference.DefaultChoices(), reference.DefaultChoices()
	v.Choices(&other)
	before, after := reflect.ValueOf(plain), reflect.ValueOf(other)
	for i := range before.NumField() {
		if !before.Field(i).Equal(after.Field(i)) {
			names = append(names, before.Type().Field(i).Name)
		}
	}
	return names
}

// choice is where a choice is looked at.
var choice = regexp.MustCompile(`\b(?:choices|c)\.([A-Z]\w+)`)

// isAbout says whether the line that a mutant changes looks at one of the choices that
// the setting makes.
func (s setting) isAbout(m *Mutant) bool {
	for _, found := range choice.FindAllStringSubmatch(m.Before, -1) {
		if slices.Contains(s.chosen, found[1]) {
			return true
		}
	}
	return false
}

// answerTime is how long an answer may take: mutants that let requests hang cost that
// much for each.
const answerTime = 4 * time.Second

// startTime is how long a server may take to start, on a machine that does much else.
const startTime = time.Minute

// serve starts a server in a process of its own. Without a url it ended before it
// answered: it does not start.
func (p *Program) serve(ctx context.Context, number int, in setting, reached string) (url string, stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	args := []string{"serve", "--quiet", "--addr", "127.0.0.1:0"}
	if in.variant.ID != "" {
		args = append(args, "--variant", in.variant.ID)
	}
	if in.overlay != "" {
		args = append(args, "--overlay", filepath.Join(p.root, filepath.FromSlash(in.overlay)))
	}
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", mutantVariable, number), reachedVariable+"="+reached)
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return "", nil, err
	}
	late := time.AfterFunc(startTime, cancel)
	line, _ := bufio.NewReader(out).ReadString('\n') // empty when it ends before
	late.Stop()
	go func() { _, _ = io.Copy(io.Discard, out) }()
	stop = func() {
		cancel()
		_ = cmd.Wait() // says that it was killed
	}
	if url = strings.TrimSpace(line); url == "" {
		stop()
	}
	return url, stop, nil
}

// run judges a server with the whole suite of standard depth; it ends at the first
// violation, unless the whole run is wanted.
func (p *Program) run(ctx context.Context, url string, in setting, whole bool) (*report.Report, error) {
	target := fixtures.DefaultWorld().Target(url)
	target.Open, target.Limits.Timeout = in.variant.Pins, answerTime
	c := suites.NewConfig(target)
	c.StopEarly = !whole
	if in.overlay != "" {
		data, err := os.ReadFile(filepath.Join(p.root, filepath.FromSlash(in.overlay)))
		if err != nil {
			return nil, err
		}
		if c.Contract, err = spec.LoadOverlaid(data, in.overlay); err != nil {
			return nil, err
		}
	}
	return suites.Execute(ctx, c)
}

// try is what the suite says of a mutant.
func (p *Program) try(ctx context.Context, m *Mutant, in setting) (o Outcome, err error) {
	o = Outcome{Mutant: m, Setting: in.name()}
	url, stop, err := p.serve(ctx, m.number, in, "")
	switch {
	case err != nil || ctx.Err() != nil:
		return o, errors.Join(err, ctx.Err())
	case url == "":
		o.Verdict = Stillborn
		return o, nil
	}
	r, err := p.run(ctx, url, in, false)
	stop()
	if err != nil || ctx.Err() != nil {
		return o, errors.Join(err, ctx.Err())
	}
	o.Requests, o.Seconds = r.Requests, r.DurationSeconds
	switch r.Verdict {
	case report.Nonconforming:
		o.Verdict = Killed
		for _, f := range r.Findings {
			if f.Severity != oracle.Notice {
				o.Finding = f.Clause + " " + f.Case + ": expected " + f.Expected + "; got " + f.Got
				break
			}
		}
	case report.Conforming:
		o.Verdict = Survived
	default:
		o.Verdict, o.Finding = Inconclusive, r.Reason
	}
	return o, nil
}
