// Command browser writes the sample pages that the tests beside it open:
//
//	go run ./suites/page/browser DIR
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/adconform/adconform/suites/page/browser/samples"
	"github.com/adconform/adconform/suites/report"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./suites/page/browser DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string) error {
	broken, err := samples.Broken(context.Background())
	if err != nil {
		return err
	}
	for name, r := range map[string]*report.Report{"broken": broken, "large": samples.Large(5_000, 10_000), "hostile": samples.Hostile()} {
		if err := report.WriteDir(filepath.Join(dir, name), r); err != nil {
			return err
		}
	}
	return nil
}
