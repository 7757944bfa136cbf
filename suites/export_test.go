package suites

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/adconform/adconform/suites/report"
)

// RunFiltered runs the suite with Ginkgo's own filters, as its program sets them.
func RunFiltered(ctx context.Context, c *Config, filter func(*types.SuiteConfig)) (*report.Report, error) {
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.FocusStrings, suite.SkipStrings, suite.LabelFilter = nil, nil, ""
	filter(&suite)
	return runTree(ctx, c, new(failed), suite, reporter)
}

// failed is the test that RunSpecs fails; the report says why.
type failed bool

func (f *failed) Fail() { *f = true }
