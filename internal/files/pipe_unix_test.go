//go:build unix

package files

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A device or pipe is written to and stays what it is.
func TestWritesIntoWhatIsNoRegularFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() {
		data, _ := os.ReadFile(pipe)
		got <- string(data)
	}()
	err := Write(pipe, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, "a report")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe || info.Mode().Perm() != 0o600 {
		t.Fatalf("the pipe is now %v (%v)", info.Mode(), err)
	}
	if text := <-got; text != "a report" {
		t.Errorf("%q came through the pipe", text)
	}
}
