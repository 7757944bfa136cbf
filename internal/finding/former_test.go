package finding_test

import (
	"testing"

	"github.com/adconform/adconform/internal/finding"
)

// What an earlier version wrote into a baseline names the same cause as today, and today's sentences stay as they are.
func TestSentencesOfEarlierVersions(t *testing.T) {
	for written, now := range map[string]string{
		"a request that has to be refused is accepted":                                    "a request that must be refused is accepted",
		"the server fails now and then with 500, and not each time that the same is sent": "the server fails intermittently with 500",
		"a request, also an ordinary one, is answered 418, which the operation does not have": "any request, even an ordinary one, " +
			"is answered 418, a status that the operation does not declare",
		"an update was answered with success and is not kept": "an update was answered with success, but not kept",
		"the answer has a number where number must be at least 1 belongs": "the answer has a number that breaks the schema: " +
			"number must be at least 1",
		"the answer has a string where an integer belongs": "the answer has a string where an integer belongs",
	} {
		if got := finding.PresentWords(written); got != now {
			t.Errorf("%q is read as %q, want %q", written, got, now)
		}
		if again := finding.PresentWords(now); again != now {
			t.Errorf("%q is read as %q", now, again)
		}
	}
}
