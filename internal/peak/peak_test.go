package peak

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
)

// TestMain lets this program be the child, which takes as much as it is told.
func TestMain(m *testing.M) {
	size, err := strconv.Atoi(os.Getenv("TAKE"))
	if err != nil {
		os.Exit(m.Run())
	}
	taken := make([]byte, size)
	for i := range taken {
		taken[i] = 1
	}
	runtime.KeepAlive(taken)
}

func TestWatch(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells the peak of a process")
	}
	const size = 200 << 20
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "TAKE="+strconv.Itoa(size))
	w, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := w.Wait(); err != nil || got < size || got > 2*size {
		t.Errorf("%d bytes, %v", got, err)
	}
}
