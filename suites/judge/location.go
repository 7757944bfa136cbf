package judge

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

const specs = "suites/specs"

// location is the file and line of the spec that runs, "" outside of any.
func location() (at string) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "adconform/"+specs+".") {
			at = fmt.Sprintf("%s/%s:%d", specs, path.Base(f.File), f.Line)
		}
		if !more {
			return at
		}
	}
}
