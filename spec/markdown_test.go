package spec

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write docs/contract.md again")

func TestContractPageIsFresh(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := c.WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	const file = "../docs/contract.md"
	if *update {
		if err := os.WriteFile(file, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, page.Bytes()) {
		t.Error("docs/contract.md is stale: run make generate")
	}
}
