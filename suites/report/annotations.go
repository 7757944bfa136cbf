package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/oracle"
)

// maxAnnotations is how many annotations of one level GitHub shows of a step.
const maxAnnotations = 10

// WriteAnnotations writes the findings as workflow commands of GitHub Actions,
// which show them on the page of the run. The last one of a level that has more
// says how many more there are.
func WriteAnnotations(w io.Writer, r *Report) error {
	byLevel := map[string][]string{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Known != "" {
			continue // the baseline says why
		}
		text := Told(f) + "\nfirst in case " + wording.Printable(f.Case)
		if len(f.NewCases) > 0 {
			text += "\n" + wording.Printable(newCases(f))
		}
		if f.Curl != "" {
			text += "\n" + curlLine(f)
		}
		level := annotationLevels[f.Severity]
		byLevel[level] = append(byLevel[level], Annotation(level, fmt.Sprintf("%s (%s)", f.Clause, f.Basis), text))
	}
	if r.ExitCode != ExitConforming && len(byLevel["error"]) == 0 {
		byLevel["error"] = []string{Annotation("error", r.Suite.Name, VerdictLine(r))}
	}
	var b strings.Builder
	for _, level := range []string{"error", "warning", "notice"} {
		lines := byLevel[level]
		if n := len(lines); n > maxAnnotations {
			more := fmt.Sprintf("GitHub shows %d of a kind; all of them are in the log and in %s", maxAnnotations, JSONFile)
			lines = append(lines[:maxAnnotations-1], Annotation(level, fmt.Sprintf("%d more", n-maxAnnotations+1), more))
		}
		for _, line := range lines {
			b.WriteString(line)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var annotationLevels = map[oracle.Severity]string{oracle.Violation: "error", oracle.Transport: "warning", oracle.Notice: "notice"}

// What ends a command or one of its properties is escaped as GitHub's runner
// undoes it.
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Annotation is a line that makes GitHub's runner annotate the job; level is error, warning
// or notice.
func Annotation(level, title, text string) string {
	return fmt.Sprintf("::%s title=%s::%s\n", level, commandProperty.Replace(title), commandData.Replace(text))
}
