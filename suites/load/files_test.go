package load

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A percentile file has the columns that HdrHistogram's plotter reads, and the
// percentiles of the result.
func TestPercentileFiles(t *testing.T) {
	h := newHistogram()
	for i := range 1000 {
		record(h, time.Duration(i+1)*time.Millisecond)
	}
	var file bytes.Buffer
	if err := WritePercentiles(&file, h); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^ *Value\s+Percentile\s+TotalCount\s+1/\(1-Percentile\)\n\n( +[0-9.]+ +[0-9.]+ +\d+ ` +
		`+([0-9.]+|inf)\n)+#\[Mean`).MatchString(file.String()) {
		t.Errorf("not the form of a percentile distribution:\n%s", file.String())
	}
	if p := percentiles(h); math.Abs(p.P50-500) > 1 || math.Abs(p.P999-999) > 2 || p.Count != 1000 || math.Abs(p.Mean-500.5) > 1 {
		t.Errorf("%+v", p)
	}
	if !strings.Contains(file.String(), "500.223     0.500000") {
		t.Errorf("the median is missing:\n%s", file.String())
	}
}
