package main

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/extensions/globals"
	"github.com/onsi/ginkgo/v2/formatter"

	"github.com/adconform/adconform/suites/engine"
)

// emptyGinkgo runs a Ginkgo suite of as many specs, in the same containers, that
// do nothing: what Ginkgo costs whatever a suite does.
func emptyGinkgo(plan []*engine.Case) error {
	suite, reporter := ginkgo.GinkgoConfiguration()
	reporter.NoColor, reporter.Succinct = true, true
	defer signal.Reset(os.Interrupt, syscall.SIGTERM) // Ginkgo leaves its own handlers behind
	stdout := formatter.ColorableStdOut
	formatter.ColorableStdOut = io.Discard
	defer func() { formatter.ColorableStdOut = stdout }()
	globals.Reset()
	ginkgo.Describe("empty", ginkgo.Ordered, func() {
		for first, rest := 0, 0; first < len(plan); first = rest {
			for rest = first; rest < len(plan) && plan[rest].Operation == plan[first].Operation && plan[rest].Class == plan[first].Class; rest++ {
			}
			ginkgo.Describe(plan[first].Operation.ID+" "+plan[first].Class, func() {
				for _, cs := range plan[first:rest] {
					ginkgo.It(cs.ID, func() {})
				}
			})
		}
	})
	var t outcome
	if ginkgo.RunSpecs(&t, "empty", suite, reporter); t.failed {
		return errors.New("an empty suite failed")
	}
	return nil
}

// outcome is the test that RunSpecs fails.
type outcome struct{ failed bool }

func (o *outcome) Fail() { o.failed = true }
