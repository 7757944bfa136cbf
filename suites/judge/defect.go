package judge

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Guard runs a part of the run in which a panic, a defect of ours, ends only
// that part. It returns what there is to say of the defect, or "".
func (s *Model) Guard(what string, part func()) (defect string) {
	defer func() {
		if p := recover(); p != nil {
			defect = fmt.Sprintf("a defect of adconform, please report it: %v at %s", p, where())
			defect = s.redact(defect)
			s.Outcome.NoteDefect(what + ": " + defect)
		}
	}()
	part()
	return ""
}

// where is the line of ours that panicked.
func where() string {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs)])
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "adconform/suites") {
			return fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
