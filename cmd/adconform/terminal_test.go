package main

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/adconform/adconform/suites/report"
)

func TestASecondInterruptEndsAtOnce(t *testing.T) {
	interrupts := make(chan os.Signal)
	exited := make(chan int, 1)
	term := &app{Stderr: io.Discard, Interrupts: interrupts, Exit: func(code int) { exited <- code }}
	ctx, stop := term.Interruptible(t.Context(), "once more")
	defer stop()
	interrupts <- os.Interrupt
	<-ctx.Done()
	interrupts <- os.Interrupt
	if code := <-exited; code != report.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
}

func TestNoColourWithoutATerminalOrAgainstTheWill(t *testing.T) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminal here")
	}
	defer tty.Close()
	for name, c := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"terminal":  {nil, true},
		"NO_COLOR":  {map[string]string{"NO_COLOR": "1"}, false},
		"TERM=dumb": {map[string]string{"TERM": "dumb"}, false},
	} {
		term := &app{Env: func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }}
		if got := term.colours(tty); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if term.colours(new(bytes.Buffer)) {
			t.Errorf("%s: colours into a pipe", name)
		}
	}
}
