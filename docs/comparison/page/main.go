// Command page puts the figures of docs/comparison/results.json into
// docs/comparison.md, between its markers. It runs in the root of the repository.
package main

import (
	"fmt"
	"os"
	"regexp"
)

const (
	resultsFile = "docs/comparison/results.json"
	pageFile    = "docs/comparison.md"
)

var section = regexp.MustCompile(`(?s)<!-- ([a-z]+), by docs/comparison/run -->\n.*?<!-- end -->\n`)

// fill gives the page with each section as the results have it.
func fill(page string, r *results) (string, error) {
	written := 0
	var unknown error
	page = section.ReplaceAllStringFunc(page, func(old string) string {
		name := section.FindStringSubmatch(old)[1]
		write, ok := sections[name]
		if !ok {
			unknown = fmt.Errorf("%s has a section %q, which is none of those in tables.go", pageFile, name)
			return old
		}
		written++
		return fmt.Sprintf("<!-- %s, by docs/comparison/run -->\n%s<!-- end -->\n", name, write(r))
	})
	if unknown == nil && written != len(sections) {
		unknown = fmt.Errorf("%s has %d of %d sections", pageFile, written, len(sections))
	}
	return page, unknown
}

func write() error {
	r, err := readResults(resultsFile)
	if err != nil {
		return err
	}
	page, err := os.ReadFile(pageFile)
	if err != nil {
		return err
	}
	filled, err := fill(string(page), r)
	if err != nil {
		return err
	}
	return os.WriteFile(pageFile, []byte(filled), 0o644) //nolint:gosec // a page to read
}

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}
