package suites

import (
	"context"
	"io"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/adconform/adconform/suites/report"
)

// RunFiltered is RunGinkgo with Ginkgo's own filters, as its program sets them.
func RunFiltered(ctx context.Context, c *Config, filter func(*types.SuiteConfig)) (*report.Report, error) {
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.FocusStrings, suite.SkipStrings, suite.LabelFilter = nil, nil, ""
	filter(&suite)
	return runTree(ctx, c, &outcome{}, suite, reporter, io.Discard)
}
