package load

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/suites/report"
)

//go:embed load.schema.json
var schemaJSON []byte

// SchemaJSON returns the JSON Schema (2020-12) of load.json.
func SchemaJSON() []byte { return bytes.Clone(schemaJSON) }

// JSONFile is the name of the result in a report folder.
const JSONFile = "load.json"

// Files are those that a load writes into a report folder.
func Files() []report.Own {
	return []report.Own{
		{Name: JSONFile, Mark: regexp.MustCompile(`"schema": *"adconform/load/`)},
		{Name: report.JSONFile, Mark: regexp.MustCompile(`"schema": *"adconform/report/`)},
		{Name: "latency-*.hgrm", Mark: regexp.MustCompile(`\A(\s*Value\s+Percentile|#\[no request)`)},
	}
}

// WriteDir writes load.json, report.json and the percentiles into a folder.
func WriteDir(dir string, r *Result, run *report.Report) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	parts := map[string]func(io.Writer) error{
		JSONFile:        func(w io.Writer) error { return WriteJSON(w, r) },
		report.JSONFile: func(w io.Writer) error { return report.WriteJSON(w, run) },
	}
	for name, h := range r.histograms {
		parts[name+".hgrm"] = func(w io.Writer) error { return WritePercentiles(w, h) }
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if err := files.Write(filepath.Join(dir, name), 0o644, parts[name]); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes a result as load.json.
func WriteJSON(w io.Writer, r *Result) error {
	return files.WriteJSON(w, r, "  ")
}

// ticks is how many lines a percentile file has for each halving of the distance
// to 100 %, as HdrHistogram's own tools have them.
const ticks = 5

// WritePercentiles writes the percentile distribution in milliseconds, in the form
// that HdrHistogram's plotter reads.
func WritePercentiles(w io.Writer, h *hdrhistogram.Histogram) error {
	if h.TotalCount() == 0 {
		_, err := fmt.Fprintln(w, "#[no request was measured]")
		return err
	}
	_, err := h.PercentilesPrint(w, ticks, float64(time.Millisecond/unit))
	return err
}
