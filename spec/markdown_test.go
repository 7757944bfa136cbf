package spec

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
	"text/template"
)

var update = flag.Bool("update", false, "write docs/contract.md again")

func TestContractPageIsFresh(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	page := contractPage(t, c)
	const file = "../docs/contract.md"
	if *update {
		if err := os.WriteFile(file, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, page) {
		t.Error("docs/contract.md is stale: run make generate")
	}
}

// contractPage is the contract as the page that a vendor reads: what is judged, on which
// basis, and what is open.
func contractPage(t *testing.T, c *Contract) []byte {
	t.Helper()
	type section struct {
		Title, Path string
		Clauses     []Clause
	}
	of := map[string][]Clause{}
	for _, cl := range c.Clauses {
		of[cl.Operation] = append(of[cl.Operation], cl)
	}
	sections := []section{{Title: "Every operation", Clauses: of["all"]}}
	for _, op := range c.Operations {
		if len(of[op.ID]) > 0 {
			sections = append(sections, section{op.Summary, op.Method + " " + op.Path, of[op.ID]})
		}
	}
	inCell := strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;")
	text, err := template.New("contract.md.tmpl").Funcs(template.FuncMap{"cell": inCell.Replace}).ParseFiles("testdata/contract.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := text.Execute(&page, map[string]any{"Sections": sections, "Open": c.Open}); err != nil {
		t.Fatal(err)
	}
	return page.Bytes()
}
