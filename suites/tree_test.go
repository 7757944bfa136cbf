package suites

import (
	"context"
	"io"
	"reflect"
	"regexp"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/adconform/adconform/suites/report"
)

// RunFiltered is RunGinkgo with Ginkgo's own filters, as its program sets them.
func RunFiltered(ctx context.Context, c *Config, filter func(*types.SuiteConfig)) (*report.Report, error) {
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.FocusStrings, suite.SkipStrings, suite.LabelFilter = nil, nil, ""
	filter(&suite)
	run, err := runTree(ctx, c, &outcome{}, suite, reporter, io.Discard)
	return run.reported(), err
}

// A filter that filters does not know would be taken for none: the run would send
// what Ginkgo skips. A new version of Ginkgo may have a new one.
func TestEveryFilterOfGinkgoIsKnown(t *testing.T) {
	isFilter := regexp.MustCompile(`Focus|Skip|Filter`)
	config := reflect.TypeFor[types.SuiteConfig]()
	for i := range config.NumField() {
		name := config.Field(i).Name
		if !isFilter.MatchString(name) {
			continue
		}
		var s types.SuiteConfig
		switch f := reflect.ValueOf(&s).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"x"}))
		}
		if filters(s) == "" {
			t.Errorf("filters does not know %s", name)
		}
	}
	if filters(types.SuiteConfig{RandomSeed: 1}) != "" {
		t.Error("a seed is no filter")
	}
}
