package wording

import (
	"io"
	"regexp"
	"strings"
	"sync"
)

// Inert escapes what the runner of a pipeline would obey in its log: ::command of GitHub at the beginning of a
// line, ##[command] and ##vso[command] of Azure and older runners of GitHub, and section_start: and section_end: of
// GitLab. JSON remains the same JSON, as the escapes are those of JSON (\u0023 for #).
func Inert(text string) string {
	if strings.Contains(text, "::") {
		text = lineCommand.ReplaceAllString(text, `$1\u003a:`)
	}
	return inertWithin(text)
}

// inertWithin escapes what is obeyed anywhere in a line.
func inertWithin(text string) string {
	if strings.Contains(text, "##") {
		text = bracketCommand.ReplaceAllString(text, `#\u0023$1`)
	}
	return sectionCommand.ReplaceAllString(text, `$1\u003a`)
}

var (
	// Colours may stand before a command; runners end a line at a carriage return, too.
	lineCommand    = regexp.MustCompile(`((?:^|[\r\n])(?:[\s\v\x{85}\p{Z}]|\x1b\[[0-9;]*[A-Za-z])*)::`)
	bracketCommand = regexp.MustCompile(`##(\w*\[)`)
	sectionCommand = regexp.MustCompile(`(section_(?:start|end)):`)
	lineBreak      = "\r\n"
)

// InertWriter returns a writer that passes texts on to w as [Inert] makes them. Only a command that is split between
// two texts is not recognised.
func InertWriter(w io.Writer) io.Writer { return &inertWriter{to: w} }

type inertWriter struct {
	to     io.Writer
	mu     sync.Mutex
	inLine bool // the last text did not end its line
}

// Unwrap returns the underlying writer.
func (w *inertWriter) Unwrap() io.Writer { return w.to }

func (w *inertWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := string(p)
	end := 0 // of a line that has begun
	if w.inLine {
		if end = strings.IndexAny(text, lineBreak); end < 0 {
			end = len(text)
		}
	}
	if _, err := io.WriteString(w.to, inertWithin(text[:end])+Inert(text[end:])); err != nil {
		return 0, err
	}
	last := text[strings.LastIndexAny(text, lineBreak)+1:]
	switch {
	case strings.TrimSpace(last) != "":
		w.inLine = true
	case len(last) < len(text):
		w.inLine = false
	}
	return len(p), nil
}
