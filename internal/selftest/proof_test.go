package selftest

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/template"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/doctor"
	"github.com/adconform/adconform/suites/report"
)

var update = flag.Bool("update", false, "write docs/proof.md and the figures of README.md again")

//go:embed proof.md.tmpl
var proofText string

// proofPage is what docs/proof.md is made of.
type proofPage struct {
	*report.Proof
	Clauses []clauseShare
	Lost    []lostKey
	Free    string // keys, that cost nothing
}

type clauseShare struct {
	*spec.Clause
	Of, Good int
}

// lostKey is what a run goes without where a target file lacks a key.
type lostKey struct {
	Key      string
	NotShown string
	report.Cost
}

var proofTemplate = template.Must(template.New("proof").Funcs(template.FuncMap{
	"sub":     func(a, b int) int { return a - b },
	"percent": func(part, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(of)) },
	"dict": func(pairs ...any) map[string]any {
		m := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = pairs[i+1]
		}
		return m
	},
}).Parse(proofText))

// docs/proof.md is what the figures say.
func TestProofPageIsFresh(t *testing.T) {
	g := NewWithT(t)
	page := &proofPage{Proof: report.Proved()}
	contract := reftest.Contract(t)
	for _, of := range page.Faults.By["clause"] {
		page.Clauses = append(page.Clauses, clauseShare{contract.Clause(of.ID), of.Of, of.Good})
	}
	page.Lost, page.Free = lostKeys(t)
	var text bytes.Buffer
	g.Expect(proofTemplate.Execute(&text, page)).To(Succeed())
	const file = "../../docs/proof.md"
	if *update {
		g.Expect(os.WriteFile(file, text.Bytes(), 0o644)).To(Succeed())
	}
	written, err := os.ReadFile(file)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(bytes.Equal(written, text.Bytes())).To(BeTrue(), "docs/proof.md is not what the figures say: run make generate")
}

// lostKeys are the keys of a complete target file, with what each is
// worth, and those that cost nothing.
func lostKeys(t *testing.T) (lost []lostKey, free string) {
	t.Helper()
	g := NewWithT(t)
	target := fixtures.DefaultWorld().Target("http://127.0.0.1:8080/v2")
	keys, err := Keys(target)
	g.Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, key := range keys {
		if strings.HasSuffix(key, "]") { // an item of a list is no key
			continue
		}
		less, err := Without(target, key)
		g.Expect(err).NotTo(HaveOccurred())
		lacks, cost, err := suites.NewConfig(less).Lacks(nil)
		g.Expect(err).NotTo(HaveOccurred())
		if len(lacks) == 0 {
			names = append(names, "`"+key+"`")
			continue
		}
		var texts []string
		for _, l := range lacks {
			if !slices.Contains(texts, l.NotShown) {
				texts = append(texts, l.NotShown)
			}
		}
		if cost.Unseen == nil {
			cost.Unseen = &doctor.Unseen{}
		}
		lost = append(lost, lostKey{key, wording.Some(texts, 4), cost})
	}
	return lost, strings.Join(names, ", ")
}
