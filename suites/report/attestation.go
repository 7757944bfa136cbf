package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/oracle"
)

// An in-toto Statement v1 with a test-result predicate v0.1.
type (
	statement struct {
		Type          string     `json:"_type"`
		Subject       []resource `json:"subject"`
		PredicateType string     `json:"predicateType"`
		Predicate     testResult `json:"predicate"`
	}
	// resource is in-toto's ResourceDescriptor.
	resource struct {
		Name        string            `json:"name,omitempty"`
		URI         string            `json:"uri,omitempty"`
		Digest      map[string]string `json:"digest,omitempty"`
		Annotations map[string]any    `json:"annotations,omitempty"`
	}
	testResult struct {
		Result        string     `json:"result"`
		Configuration []resource `json:"configuration"`
		Passed        []string   `json:"passedTests"`
		Warned        []string   `json:"warnedTests"`
		Failed        []string   `json:"failedTests"`
	}
)

// Subject is an artifact that a run tested, such as a container image.
type Subject struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // hexadecimal
}

// String is the form that ReadSubject reads.
func (s Subject) String() string { return s.Name + "@sha256:" + s.SHA256 }

var subjectPattern = regexp.MustCompile(`^(\S+)@sha256:([0-9a-f]{64})$`)

// ReadSubject reads NAME@sha256:DIGEST, as container tools write it.
func ReadSubject(text string) (Subject, error) {
	m := subjectPattern.FindStringSubmatch(text)
	if m == nil {
		return Subject{}, errors.New("want NAME@sha256: and 64 hexadecimal digits, such as registry.example/ads@sha256:00000000…")
	}
	return Subject{Name: m[1], SHA256: m[2]}, nil
}

// Attests says whether a report can be signed as a test of its target: one about a
// selection of cases cannot.
func Attests(r *Report) bool { return r.Level != Selected }

// WriteAttestation writes an in-toto statement that can be signed and published.
// Its tests are the clauses. Its subject is the artifact that the report names,
// if any, and report.json: a URL has no digest, and what answered there is only
// known by what the report says of it.
func WriteAttestation(w io.Writer, r *Report) error {
	hash := sha256.New()
	if err := WriteJSON(hash, r); err != nil {
		return err
	}
	target := map[string]any{"target": wording.Printable(r.Target.Name), "baseURL": wording.Printable(r.Target.BaseURL)}
	var subjects []resource
	for _, part := range r.Target.Implementation.Parts() {
		target[part[0]] = wording.Printable(part[1])
	}
	if s := r.Target.Subject; s != nil {
		subjects = append(subjects, resource{Name: wording.Printable(s.Name), Digest: map[string]string{"sha256": s.SHA256}, Annotations: target})
	}
	digest := map[string]string{"sha256": hex.EncodeToString(hash.Sum(nil))}
	subjects = append(subjects, resource{Name: JSONFile, Digest: digest, Annotations: target})
	return files.WriteJSON(w, statement{
		Type: "https://in-toto.io/Statement/v1", Subject: subjects,
		PredicateType: "https://in-toto.io/attestation/test-result/v0.1", Predicate: newTestResult(r),
	}, "  ")
}

// newTestResult lists clauses. One that was not tested is in no list, so that a
// policy which names the clauses it wants sees that it is missing.
func newTestResult(r *Report) testResult {
	p := testResult{Configuration: configuration(r), Passed: []string{}, Warned: []string{}, Failed: []string{}}
	violated := map[string]bool{}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity != oracle.Notice {
			violated[f.Clause] = true
		}
	}
	for _, c := range r.Totals() {
		switch {
		case c.Status == Held:
			p.Passed = append(p.Passed, c.ID)
		case c.Status == Broken && violated[c.ID] && r.Verdict == Nonconforming:
			p.Failed = append(p.Failed, c.ID)
		case c.Status == Broken: // what does not fail the run
			p.Warned = append(p.Warned, c.ID)
		}
	}
	switch {
	case r.ExitCode != ExitConforming: // an inconclusive run must not pass for one that passed
		p.Result = "FAILED"
	case r.Verdict != Conforming || len(p.Warned) > 0 || r.Insecure || r.Level != Complete:
		p.Result = "WARNED"
	default:
		p.Result = "PASSED"
	}
	return p
}

// configuration is what judged: the documents of the contract and the suite.
func configuration(r *Report) []resource {
	sources := r.Sources
	if sources == nil {
		sources = spec.Sources()
	}
	var all []resource
	for _, s := range sources {
		all = append(all, resource{Name: s.Name, Digest: map[string]string{"sha256": s.SHA256}})
	}
	return append(all, resource{
		Name: r.Suite.Name, URI: "pkg:golang/github.com/adconform/adconform@" + r.Suite.Version, Digest: suiteDigest(),
		Annotations: map[string]any{
			"verdict": r.Verdict, "edition": r.Edition, "outsideEdition": len(pick(r, outsideEdition)),
			"level": r.Level, "notShown": notShownTexts(r), "insecure": r.Insecure,
			"depth": r.Depth, "seed": r.Seed, "started": r.Started.Format(time.RFC3339),
			"seededFaults": r.Suite.SelfTest.Faults, "seededFaultsCaught": r.Suite.SelfTest.Caught,
			"conformingVariants": r.Suite.SelfTest.Variants, "conformingVariantsFlagged": r.Suite.SelfTest.Flagged,
		},
	})
}

// suiteDigest is what the build says of its source: the hash of the module, or
// the commit it was built from; nothing when it does not know.
func suiteDigest() map[string]string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	digest := map[string]string{}
	if sum, ok := strings.CutPrefix(info.Main.Sum, "h1:"); ok {
		if raw, err := base64.StdEncoding.DecodeString(sum); err == nil {
			digest["dirHash1"] = hex.EncodeToString(raw)
		}
	}
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			digest["gitCommit"] = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if modified {
		delete(digest, "gitCommit")
	}
	return digest
}
