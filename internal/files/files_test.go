package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteKeepsTheOldFileWhenWritingFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("disk full")
	err := Write(path, 0o644, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			t.Fatal(err)
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if data, _ := os.ReadFile(path); string(data) != "old" {
		t.Errorf("the file holds %q, want what it held before", data)
	}
	if got, err := os.ReadDir(dir); err != nil || len(got) != 1 {
		t.Errorf("files %v (%v), want no temporary one", got, err)
	}
}

func TestRewriteKeepsLinkAndMode(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "there.yaml"), filepath.Join(dir, "link.yaml")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o600), os.Symlink("there.yaml", link)); err != nil {
		t.Skip(err) // where links need a right
	}
	if err := Rewrite(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	to, errLink := os.Readlink(link)
	text, errRead := os.ReadFile(file)
	if err := errors.Join(err, errLink, errRead); err != nil || string(text) != "new" || info.Mode().Perm() != 0o600 || to != "there.yaml" {
		t.Errorf("%q, mode %v, link to %q, %v, %v", text, info.Mode(), to, err, errLink)
	}
	if err := Rewrite(filepath.Join(dir, "fresh.yaml"), []byte("new")); err != nil {
		t.Error(err)
	}
}
