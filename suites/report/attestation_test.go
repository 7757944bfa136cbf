package report_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/report"
)

// attested reads a statement with in-toto's own types, which refuse an unknown
// member.
func attested(t *testing.T, text string) (*intoto.Statement, *testresult.TestResult) {
	t.Helper()
	statement, predicate := &intoto.Statement{}, &testresult.TestResult{}
	if err := protojson.Unmarshal([]byte(text), statement); err != nil {
		t.Fatal(err)
	}
	if err := statement.Validate(); err != nil {
		t.Fatal(err)
	}
	if statement.PredicateType != "https://in-toto.io/attestation/test-result/v0.1" {
		t.Errorf("predicate %s", statement.PredicateType)
	}
	data, err := protojson.Marshal(statement.Predicate)
	if err != nil {
		t.Fatal(err)
	}
	if err := protojson.Unmarshal(data, predicate); err != nil {
		t.Fatal(err)
	}
	for _, c := range predicate.Configuration {
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	return statement, predicate
}

func attestation(t *testing.T, r *report.Report) (*intoto.Statement, *testresult.TestResult) {
	t.Helper()
	return attested(t, written(t, r, func(b *strings.Builder) error { return report.WriteAttestation(b, r) }))
}

// The digest that is signed is that of the report beside it.
func TestAttestationIsAboutTheReport(t *testing.T) {
	for name, r := range map[string]*report.Report{"made": made(), "hostile": hostile(), "real": realReport(t)} {
		dir := t.TempDir()
		if err := report.WriteDir(dir, r); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, report.JSONFile))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "attestation.intoto.json"))
		if err != nil {
			t.Fatal(err)
		}
		statement, _ := attested(t, string(text))
		sum := sha256.Sum256(data)
		s := statement.Subject
		if last := s[len(s)-1]; last.Name != report.JSONFile || last.Digest["sha256"] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: subject %v, want the digest %x", name, s, sum)
		}
	}
}

func TestAttestationNamesTheArtifact(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	s, err := report.ReadSubject("registry.example/ads:1.2@sha256:" + digest)
	if err != nil {
		t.Fatal(err)
	}
	r := made()
	r.Target.Subject = &s
	r.Target.Implementation = fixtures.Implementation{Organisation: "Acme", Product: "Acme Ads", Version: "1.2"}
	if err := schema(t).Validate(asJSON(t, r)); err != nil {
		t.Error(err)
	}
	statement, _ := attestation(t, r)
	if got := statement.Subject; len(got) != 2 || got[0].Name != "registry.example/ads:1.2" || got[0].Digest["sha256"] != digest ||
		got[0].Annotations.Fields["baseURL"].GetStringValue() != r.Target.BaseURL ||
		got[1].Annotations.Fields["product"].GetStringValue() != "Acme Ads" {
		t.Errorf("subject %v", got)
	}
	for _, bad := range []string{
		"", "image", "image@sha256:", "image@sha256:" + digest[1:], "image@sha256:" + strings.Repeat("zz", 32), "@sha256:" + digest,
		"a b@sha256:" + digest, "image@sha512:" + digest,
	} {
		if _, err := report.ReadSubject(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestAttestedResults(t *testing.T) {
	clause := func(id string, basis spec.Basis, status report.ClauseStatus) report.Clause {
		return report.Clause{ID: id, Basis: basis, Text: "T.", Status: status}
	}
	violation := finding("updateCampaign")
	notice := violation
	notice.Severity, notice.Clause = oracle.Notice, "OPEN-1"
	lost := violation
	lost.Severity, lost.Clause = oracle.Transport, "HTTP-2"
	for name, c := range map[string]struct {
		verdict                report.Verdict
		exit                   int
		findings               []oracle.Finding
		result                 string
		passed, warned, failed []string
	}{
		"conforming": {report.Conforming, 0, nil, "PASSED", []string{"AUTH-1", "OPEN-1", "HTTP-2"}, nil, nil},
		"conforming with a notice": {
			report.Conforming, 0, []oracle.Finding{notice}, "WARNED", []string{"AUTH-1", "HTTP-2"}, []string{"OPEN-1"}, nil,
		},
		"a lost answer": {
			report.Conforming, 0, []oracle.Finding{lost}, "WARNED", []string{"AUTH-1", "OPEN-1"}, []string{"HTTP-2"}, nil,
		},
		"nonconforming": {
			report.Nonconforming, 1,
			[]oracle.Finding{violation, notice},
			"FAILED",
			[]string{"HTTP-2"},
			[]string{"OPEN-1"},
			[]string{"AUTH-1"},
		},
		"inconclusive":          {report.Inconclusive, 3, nil, "FAILED", []string{"AUTH-1", "OPEN-1", "HTTP-2"}, nil, nil},
		"inconclusive, allowed": {report.Inconclusive, 0, nil, "WARNED", []string{"AUTH-1", "OPEN-1", "HTTP-2"}, nil, nil},
		"interrupted":           {report.Conforming, 130, nil, "FAILED", []string{"AUTH-1", "OPEN-1", "HTTP-2"}, nil, nil},
		"a basis that does not fail runs": {
			report.Conforming, 0, []oracle.Finding{violation}, "WARNED", []string{"OPEN-1", "HTTP-2"}, []string{"AUTH-1"}, nil,
		},
	} {
		r := made()
		r.Verdict, r.ExitCode, r.Findings = c.verdict, c.exit, c.findings
		r.Clauses = []report.Clause{
			clause("AUTH-1", spec.Stated, report.Held), clause("OPEN-1", spec.Chosen, report.Held),
			clause("HTTP-2", spec.Standard, report.Held), clause("AUTH-2", spec.Stated, report.NotTested),
		}
		for _, f := range c.findings {
			for i := range r.Clauses {
				if r.Clauses[i].ID == f.Clause {
					r.Clauses[i].Status = report.Broken
				}
			}
		}
		_, p := attestation(t, r)
		if p.Result != c.result || !slices.Equal(p.PassedTests, c.passed) || !slices.Equal(p.WarnedTests, c.warned) ||
			!slices.Equal(p.FailedTests, c.failed) {
			t.Errorf("%s: %s, passed %v, warned %v, failed %v", name, p.Result, p.PassedTests, p.WarnedTests, p.FailedTests)
		}
	}
}

func TestAttestedConfiguration(t *testing.T) {
	r := made()
	_, p := attestation(t, r)
	sum := sha256.Sum256(spec.OpenAPI())
	if c := p.Configuration; len(c) != 4 || c[0].Name != "spec/openapi.yaml" || c[0].Digest["sha256"] != hex.EncodeToString(sum[:]) ||
		c[3].Uri != "pkg:golang/github.com/adconform/adconform@devel" || c[3].Annotations.Fields["depth"].GetStringValue() != "standard" {
		t.Errorf("%v", c)
	}
	r.Sources = append(spec.Sources(), spec.Source{Name: "dialect.yaml", SHA256: strings.Repeat("ab", 32)})
	if _, p := attestation(t, r); len(p.Configuration) != 5 || p.Configuration[3].Name != "dialect.yaml" {
		t.Errorf("%v", p.Configuration)
	}
}
