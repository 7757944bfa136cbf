// Package verify trusts no word of a report: it looks whether its files are those that were
// written, judges the recorded traffic again, makes the run again with the recorded answers in
// the target's place, and says whether the report follows.
package verify

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/report"
)

// Schema names the form of a result as JSON.
const Schema = "adconform/verification/v1"

// Status is what is known of a report.
type Status string

// The three outcomes. What is wrong wins over what cannot be said.
const (
	Verified Status = "verified" // the verdict follows from the evidence
	Refuted  Status = "refuted"  // it does not, or the files are not those that were written
	Unknown  Status = "unknown"  // there is not enough to say
)

// Result is what was found of a report.
type Result struct {
	Schema string  `json:"schema"`
	Status Status  `json:"status"`
	File   string  `json:"file"`   // report.json
	SHA256 string  `json:"sha256"` // of that file, in hexadecimal
	Claims Claims  `json:"claims"`
	Checks []Check `json:"checks"`
	// Reasons are what is wrong, or why nothing can be said; what weighs most comes first.
	Reasons []string `json:"reasons"`
	// Underived is what the evidence does not show.
	Underived []string `json:"underived"`

	report *report.Report
	unsaid []string
}

// Claims are what a report says of itself.
type Claims struct {
	Target   string         `json:"target"`
	BaseURL  string         `json:"baseURL"`
	Verdict  report.Verdict `json:"verdict"`
	Level    report.Level   `json:"level"`
	ExitCode int            `json:"exitCode"`
	Suite    string         `json:"suite"` // version
	Depth    string         `json:"depth"`
	Started  time.Time      `json:"started"`
	AgeDays  int            `json:"ageDays"`
}

// Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Text   string `json:"text"`
}

// Options say what is asked of a report.
type Options struct {
	MaxAge time.Duration // an older one is refuted; 0: of any age
	Now    time.Time     // zero: by the clock
}

// Report verifies a report folder, or its report.json, whatever its age. It is an error when
// there is no report to look at.
func Report(path string) (*Result, error) { return With(context.Background(), path, Options{}) }

// With is Report with options.
func With(ctx context.Context, path string, o Options) (*Result, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, report.JSONFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; name a %s or the folder that holds one", path, files.WithoutPath(err), report.JSONFile)
	}
	v := &verification{Result: Result{
		Schema: Schema, File: path, SHA256: digest(data), Checks: []Check{}, Reasons: []string{}, Underived: []string{},
	}, dir: filepath.Dir(path), data: data, options: o}
	if err := v.form(); err != nil {
		return nil, err
	}
	if v.report != nil {
		v.age()
		v.files()
		v.evidence(ctx)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	v.conclude()
	return &v.Result, nil
}

// verification is a result that is being found.
type verification struct {
	Result
	dir     string
	data    []byte // report.json
	options Options
	har     []report.Exchange
}

// check adds what was looked at. Each of wrong is a reason to refute the report.
func (v *verification) check(name, fine string, wrong []string) {
	c := Check{name, Verified, fine}
	if len(wrong) > 0 {
		c.Status, c.Text = Refuted, wrong[0]
		if more := len(wrong) - 1; more > 0 {
			c.Text += fmt.Sprintf("; and %d more", more)
		}
		v.Reasons = append(v.Reasons, wrong...)
	}
	v.Checks = append(v.Checks, c)
}

// judged is check where this version judges what another may have judged otherwise: then
// nothing can be said.
func (v *verification) judged(name, fine string, wrong []string) {
	made, ours := v.report.Suite.Version, suites.Version()
	switch {
	case len(wrong) == 0 || made == ours:
		v.check(name, fine, wrong)
	default:
		v.unknown(name, fmt.Sprintf("adconform %s made the report, this is %s and judges otherwise: use that version (%s)",
			made, ours, wrong[0]))
	}
}

// unknown adds what could not be looked at, so that the report cannot be verified.
func (v *verification) unknown(name, why string) {
	v.Checks = append(v.Checks, Check{name, Unknown, why})
	v.unsaid = append(v.unsaid, why)
}

// underived adds what the evidence does not show, as it is with every report of this kind.
func (v *verification) underived(format string, args ...any) {
	v.Underived = append(v.Underived, fmt.Sprintf(format, args...))
}

func (v *verification) conclude() {
	switch {
	case len(v.Reasons) > 0:
		v.Status = Refuted
	case len(v.unsaid) > 0:
		v.Status, v.Reasons = Unknown, v.unsaid
	default:
		v.Status = Verified
	}
}

// age tells how old the report says it is.
func (v *verification) age() {
	r, now := v.report, v.options.Now
	if now.IsZero() {
		now = time.Now()
	}
	age := now.Sub(r.Started)
	v.Claims = Claims{
		Target: r.Target.Name, BaseURL: r.Target.BaseURL, Verdict: r.Verdict, Level: r.Level, ExitCode: r.ExitCode,
		Suite: r.Suite.Version, Depth: r.Depth, Started: r.Started, AgeDays: int(age / day),
	}
	var wrong []string
	switch {
	case age < -day:
		wrong = append(wrong, fmt.Sprintf("age: it says that it was made on %s, which is to come", r.Started.Format(time.DateOnly)))
	case v.options.MaxAge > 0 && age > v.options.MaxAge:
		wrong = append(wrong, fmt.Sprintf("age: it was made on %s, %s ago; at most %s are allowed",
			r.Started.Format(time.DateOnly), days(age), days(v.options.MaxAge)))
	}
	v.check("age", fmt.Sprintf("made on %s, %s ago", r.Started.Format(time.DateOnly), days(age)), wrong)
}

const day = 24 * time.Hour

func days(d time.Duration) string { return wording.Count(max(0, int(d/day)), "day") }

// Exit is the exit code for a status.
func (r *Result) Exit() int {
	return cmp.Or(map[Status]int{Refuted: report.ExitNonconforming, Unknown: report.ExitInconclusive}[r.Status], report.ExitConforming)
}
