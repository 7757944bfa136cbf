package main

import (
	"bytes"
	"context"
	"os"
	"runtime/pprof"
	"strings"

	"github.com/google/pprof/profile"
)

// cost is one thing that the time of a run goes into.
type cost struct {
	id, what string
	remark   string // why it remains
	prefixes []string
}

// A sample of the profile belongs to the first of its frames, from the innermost
// one out, that one of the prefixes matches; what matches none is the rest.
var costs = []cost{
	{
		"gc", "Go's garbage collector", "the heap is small, so that it runs often; to let it grow costs the memory that is bounded.",
		[]string{"runtime.gcBgMarkWorker", "runtime.gcAssist", "runtime.bgsweep", "runtime.bgscavenge"},
	},
	{
		"scheduler", "Go's scheduler", "goroutines wait for one another and for the network; net/http has two for each connection.",
		[]string{"runtime.mcall", "runtime.mstart", "runtime.park_m", "runtime.schedule", "runtime.findRunnable"},
	},
	{
		"ginkgo", "Ginkgo: the tree and its specs", "a spec costs what it costs, see above; the tree is what users select by.",
		[]string{"github.com/onsi/ginkgo", "github.com/onsi/gomega", suitesPackage + ".describe", suitesPackage + ".labels"},
	},
	{
		"schema", "kin-openapi: bodies against their schemas", "it walks every value of every body.",
		[]string{"github.com/getkin/kin-openapi"},
	},
	{
		"oracle", "the other checks of one response", "dates, numbers, URLs, duplicate keys: each looks at every value.",
		[]string{suitesPackage + "/oracle"},
	},
	{
		"http", "net/http: connections, requests, answers", "the bare loop has it as well.",
		[]string{"net/http."},
	},
	{
		"wire", "the suite's client around net/http", "what is sent and what came is kept for the report, and keys are kept out of it.",
		[]string{suitesPackage + "/wire"},
	},
	{
		"engine", "what is remembered between exchanges", "the model of what the target holds, and what follows from it.",
		[]string{suitesPackage + "/engine"},
	},
	{
		"cases", "planning, and making bodies", "every name of a run is a new one.",
		[]string{suitesPackage + "/cases", "github.com/adconform/adconform/fixtures", "github.com/adconform/adconform/spec"},
	},
	{
		"run", "the run around the cases", "settling results, and the report as it is put together.",
		[]string{suitesPackage + "."},
	},
	{"rest", "all else", "what belongs to none of these.", nil},
}

const suitesPackage = "github.com/adconform/adconform/suites"

// profileFile keeps the profile for `go tool pprof`; "" keeps none.
var profileFile string

// measureCosts profiles runs against a reference in another process, and shares
// the samples out.
func measureCosts(ctx context.Context, rounds int) (Figures, error) {
	s, err := openApart(ctx)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	if _, err := runSuite(ctx, s, 0); err != nil {
		return nil, err
	}
	var raw bytes.Buffer
	if err := pprof.StartCPUProfile(&raw); err != nil {
		return nil, err
	}
	for range 4 * rounds {
		if err := s.reset(ctx); err != nil {
			return nil, err
		}
		if _, err := runSuite(ctx, s, 0); err != nil {
			return nil, err
		}
	}
	pprof.StopCPUProfile()
	if profileFile != "" {
		if err := os.WriteFile(profileFile, raw.Bytes(), 0o666); err != nil {
			return nil, err
		}
	}
	p, err := profile.Parse(&raw)
	if err != nil {
		return nil, err
	}
	return shares(p), nil
}

// shares are the parts of all samples that each cost has.
func shares(p *profile.Profile) Figures {
	total, by := 0.0, map[string]float64{}
	for _, s := range p.Sample {
		n := float64(s.Value[0])
		total += n
		by[costOf(s)] += n
	}
	f := Figures{}
	for id, n := range by {
		f["costs/"+id] = newFigure([]float64{n / total})
	}
	return f
}

func costOf(s *profile.Sample) string {
	for _, location := range s.Location { // from the innermost
		for _, line := range location.Line { // with what was inlined first
			for _, c := range costs {
				for _, prefix := range c.prefixes {
					if strings.HasPrefix(line.Function.Name, prefix) {
						return c.id
					}
				}
			}
		}
	}
	return costs[len(costs)-1].id
}
