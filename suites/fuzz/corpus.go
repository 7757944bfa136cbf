package fuzz

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/spec"
)

// Corpus is a folder of inputs, each a file: found-*.json of those that showed a finding,
// new-*.json of those that were answered in a new way. It names no target.
type Corpus struct {
	dir    string
	inputs []Input

	mu  sync.Mutex
	err error
}

// OpenCorpus reads the inputs of a folder, those first that showed a finding. It is an error where
// there is no such folder, unless it is to be made.
func OpenCorpus(dir string, contract *spec.Contract, make bool) (*Corpus, error) {
	if make {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, fmt.Errorf("--corpus %s: %w", dir, files.WithoutPath(err))
		}
	} else if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("--corpus %s: %w; adconform fuzz --corpus makes one", dir, files.WithoutPath(err))
	}
	c := &Corpus{dir: dir}
	for _, kind := range []string{"found", "new"} {
		names, err := filepath.Glob(filepath.Join(dir, kind+"-*.json"))
		if err != nil {
			return nil, fmt.Errorf("--corpus %s: %w", dir, err)
		}
		slices.Sort(names)
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, fmt.Errorf("--corpus: %w", err)
			}
			in, err := Read(contract, string(text))
			if err != nil {
				return nil, fmt.Errorf("--corpus: %s: %w; take the file out", name, err)
			}
			c.inputs = append(c.inputs, in)
		}
	}
	return c, nil
}

// Inputs are those that were there when it was opened.
func (c *Corpus) Inputs() []Input { return c.inputs }

// Keep adds an input.
func (c *Corpus) Keep(in Input, found bool) {
	kind := map[bool]string{true: "found", false: "new"}[found]
	text := in.String()
	name := fmt.Sprintf("%s-%.6x.json", kind, sha256.Sum256([]byte(text)))
	c.mu.Lock()
	defer c.mu.Unlock()
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, text+"\n")
		return err
	}
	if err := files.Write(filepath.Join(c.dir, name), 0o644, write); err != nil && c.err == nil {
		c.err = err
	}
}

// Err is why the first input could not be kept that could not; nil for none.
func (c *Corpus) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
