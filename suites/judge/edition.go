package judge

import (
	"cmp"
	"slices"

	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/testcase"
)

// weigh makes a notice of a finding that does not count: in the edition of the run its clause,
// its check or its case is provisional, or its clause is contested; or the run does not ask for
// its basis.
func (s *Model) weigh(f *Finding, c *testcase.Case) {
	if s.edition != nil {
		s.weighByEdition(f, c)
	}
	if len(s.bases) > 0 && f.Severity != oracle.Notice && !slices.Contains(s.bases, f.Basis) {
		f.Ignored = "its basis, " + string(f.Basis) + ", is not asked for"
	}
	if !f.Counts() {
		f.Severity = oracle.Notice
	}
}

func (s *Model) weighByEdition(f *Finding, c *testcase.Case) {
	if basis := s.edition.Basis(s.Contract.Clause(f.Clause)); basis != f.Basis { // it was made a requirement later
		f.Basis, f.Severity = basis, oracle.Notice
	}
	clause, check := s.edition.Standing(f.Clause), s.edition.Standing(f.Check)
	f.Standing = spec.Standing{
		Provisional: cmp.Or(
			provisional("case", c.ID, c.Standing), provisional("clause", f.Clause, clause), provisional("check", f.Check, check),
		),
		Contested: clause.Contested,
	}
}

// provisional says of what something is since when.
func provisional(kind, id string, s spec.Standing) string {
	if s.Provisional == "" {
		return ""
	}
	return s.Provisional + " (" + kind + " " + id + ")"
}
