package spec

import "testing"

// What was observed at an open point is an answer to its question.
func TestChoicesAnswerTheQuestion(t *testing.T) {
	contract, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ point, choice, want string }{
		{"trimming", "trimmed, folded or normalised", "yes"},
		{"trimming", "accepted", "no"},
		{"trimming", "refused (422)", "refused (422)"},
		{"unknown-fields", "refused (422)", "yes"},
		{"empty-object", "refused (422)", "no"},
		{"regex-syntax", "huge-quantifier refused (422)", "yes"},
		{"delete-container", "204 No Content", "yes"},
		{"date-format", "rfc3339", "rfc3339"},
		{"www-authenticate", "Bearer", "Bearer"},
	} {
		if got := contract.OpenPoint(c.point).Answer(c.choice); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.point, c.choice, got, c.want)
		}
	}
}
