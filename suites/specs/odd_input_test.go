package specs

import (
	"testing"

	"github.com/adconform/adconform/internal/reftest"
)

// A finding names the class of its request, so each has words and a name of its own, and each is
// for some operation.
func TestClassesOfOddInput(t *testing.T) {
	contract := reftest.Contract(t)
	for _, part := range oddParts {
		names := map[string]bool{}
		for _, class := range part.classes {
			if class.name == "" || class.words == "" || names[class.name] {
				t.Errorf("%s: %q (%s) has no words, or stands twice", part.name, class.name, class.words)
			}
			names[class.name] = true
			sent := false
			for _, op := range contract.Operations {
				sent = sent || class.of == nil || class.of(op)
			}
			if !sent {
				t.Errorf("%s/%s is for no operation", part.name, class.name)
			}
		}
	}
}
