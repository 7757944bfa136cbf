package main

import (
	"bytes"
	"io"
	"strings"
)

// Harmless is the terminal whose output cannot command GitHub's runner, in a job of which
// the program may run. A text of the target could: it reads a line that begins with :: after blanks, and ##[ at any
// place of a line.
func (t *Terminal) Harmless() *Terminal {
	if v, _ := t.Env("GITHUB_ACTIONS"); v != "true" {
		return t
	}
	b := *t
	b.Stdout, b.Stderr = &commandless{w: t.Stdout}, &commandless{w: t.Stderr}
	return &b
}

// commandless is a writer that breaks up what GitHub's runner takes for commands.
// Each write has to end a line or be a whole one, as those of this program do.
type commandless struct{ w io.Writer }

func (c *commandless) Write(p []byte) (int, error) {
	var safe bytes.Buffer
	for line := range bytes.Lines(p) {
		text := strings.ReplaceAll(string(line), "##[", "## [")
		if body := strings.TrimSpace(text); strings.HasPrefix(body, "::") {
			text = strings.Replace(text, "::", ": :", 1)
		}
		safe.WriteString(text)
	}
	if _, err := c.w.Write(safe.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}
