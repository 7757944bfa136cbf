//go:build unix

package report_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

func TestWriteFileKeepsTheOldFileWhenWritingFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	noError(t, os.WriteFile(path, []byte("old"), 0o600))
	broken := errors.New("disk full")
	err := report.WriteFile(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, "half")
		return errors.Join(err, broken)
	})
	if data, _ := os.ReadFile(path); !errors.Is(err, broken) || string(data) != "old" {
		t.Errorf("error %v and a file that holds %q, want %v and what it held before", err, data, broken)
	}
	if got, err := os.ReadDir(dir); err != nil || len(got) != 1 {
		t.Errorf("files %v (%v), want no temporary one", got, err)
	}
}

// A device or pipe is written to, not replaced.
func TestWriteFileWritesIntoWhatIsNoRegularFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	noError(t, syscall.Mkfifo(pipe, 0o600))
	got := make(chan string, 1)
	go func() {
		data, _ := os.ReadFile(pipe)
		got <- string(data)
	}()
	err := report.WriteFile(pipe, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, "a report")
		return err
	})
	noError(t, err)
	if info, err := os.Stat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe || info.Mode().Perm() != 0o600 {
		t.Fatalf("the pipe is now %v (%v)", info.Mode(), err)
	}
	if text := <-got; text != "a report" {
		t.Errorf("%q came through the pipe", text)
	}
}
