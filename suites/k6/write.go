package k6

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"io"
	"math"
	"strings"
	"text/template"
	"time"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites"
)

//go:embed script.js.tmpl
var scriptTemplate string

//go:embed runtime.js
var runtimeJS string

//go:embed judge.js
var judgeJS string

var script = template.Must(template.New("script").Parse(scriptTemplate))

// The load that a script makes unless its user says otherwise, in cases a second.
const (
	defaultRate      = 10
	defaultWriteRate = 1 // on each set of objects
	defaultTimeout   = 10 * time.Second
)

// Write writes the script, one JavaScript module.
func (s *Script) Write(w io.Writer) error {
	c := s.options.Config
	loaded, err := c.LoadContract()
	if err != nil {
		return err
	}
	target := s.options.Target
	timeout := cmp.Or(target.Limits.Timeout, defaultTimeout)
	fields := map[string]any{
		"Texts": encodeAll(s.texts), "Version": suites.Version(), "Depth": c.Depth, "Seed": c.Seed, "Name": wording.Printable(target.Name),
		"Cases": len(s.Reading) + s.writes(), "Stranger": s.stranger(), "Timeout": timeout,
		"Contract": encode(newContract(loaded)), "Changed": encode(s.Changed),
		"Reading": encodeAll(s.Reading), "Writing": [][]string{},
		"KeyHeader": encode(cmp.Or(target.Credentials.Header, fixtures.DefaultKeyHeader)),
		"Runtime":   strings.TrimSpace("const strangerNeeded = " + encode(s.stranger()) + ";\n\n" + runtimeJS + "\n" + judgeJS),
	}
	for _, cases := range s.Writing {
		fields["Writing"] = append(fields["Writing"].([][]string), encodeAll(cases))
	}
	fields["Rate"], fields["WriteRate"] = s.rates()
	return script.Execute(w, fields)
}

// writes is the number of cases on the first set of objects, which has all.
func (s *Script) writes() int {
	if len(s.Writing) == 0 {
		return 0
	}
	return len(s.Writing[0])
}

// stranger says whether some request is the stranger's.
func (s *Script) stranger() bool {
	for step := range s.steps {
		if step.As == "stranger" {
			return true
		}
	}
	return false
}

// share takes bodies that several requests have out of the steps: the same is
// sent to each set of objects, and a ConfigMap holds little.
func (s *Script) share() {
	times, place := map[string]int{}, map[string]int{}
	for step := range s.steps {
		if step.Body != nil {
			times[*step.Body]++
		}
	}
	for step := range s.steps {
		if step.Body == nil || times[*step.Body] < 2 || len(*step.Body) < shared {
			continue
		}
		body := *step.Body
		if _, ok := place[body]; !ok {
			place[body] = len(s.texts)
			s.texts = append(s.texts, body)
		}
		at := place[body]
		step.Body, step.Text = nil, &at
	}
}

// shared is the length from which a body is worth being shared.
const shared = 30

// rates are the defaults in cases a second, less where the target takes less
// requests than they make.
func (s *Script) rates() (reading, writing float64) {
	perCase := func(cases []Case) float64 {
		one := Script{Reading: cases}
		return float64(one.Requests()) / float64(max(1, len(cases)))
	}
	load := defaultRate * perCase(s.Reading)
	for _, cases := range s.Writing {
		load += defaultWriteRate * perCase(cases)
	}
	share := 1.0
	if limit := s.options.Target.Limits.Rate; limit > 0 && load > limit {
		share = limit / load
	}
	rounded := func(rate float64) float64 { return max(0.01, math.Floor(rate*share*100)/100) }
	return rounded(defaultRate), rounded(defaultWriteRate)
}

func encodeAll[T any](values []T) []string {
	var all []string
	for _, v := range values {
		all = append(all, encode(v))
	}
	return all
}

// encode writes a value as a JavaScript literal: JSON, in which no line break
// and no end of a script element can stand.
func encode(v any) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	if err := enc.Encode(v); err != nil {
		panic("k6: a value that JSON cannot hold: " + err.Error())
	}
	return strings.TrimSpace(buf.String())
}
