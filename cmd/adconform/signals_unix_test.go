//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

// The reader of the output goes after the first line, long before the end.
func TestARunWithoutAReaderGoesOnAndPutsBack(t *testing.T) {
	dir := t.TempDir()
	cmd, _, _ := program(t, briefly("--depth quick", "run", "--verbose", "--report", dir)...)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	if _, err := bufio.NewReaderSize(reader, 16).ReadByte(); err != nil {
		t.Fatal(err)
	}
	reader.Close()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != report.ExitConforming {
		t.Errorf("%s", cmd.ProcessState)
	}
	r, err := report.Read(filepath.Join(dir, report.JSONFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Changes {
		if c.Change == "updated" && !c.Restored {
			t.Errorf("%s was not put back: %s", c.Object, c.Reason)
		}
	}
}

// The interrupt comes while the report is written to a pipe that holds less.
func TestAnInterruptDoesNotCutTheReportOff(t *testing.T) {
	cmd, _, stderr := program(t, briefly("--depth quick", "run", "--quiet", "--format", "json")...)
	cmd.Stdout = nil
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(stdout, first); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(stdout)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != report.ExitConforming {
		t.Errorf("%s\n%s", cmd.ProcessState, stderr)
	}
	if !json.Valid(append(first, rest...)) {
		t.Errorf("the report breaks off after %d bytes", 1+len(rest))
	}
}
