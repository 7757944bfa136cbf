package wording_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/wording"
)

func TestWords(t *testing.T) {
	options := []string{"--target", "--report", "--seed"}
	ids := []string{"auth/any-key/a", "auth/any-key/b", "auth/no-key/a", "page/count"}
	for _, c := range []struct{ what, got, want string }{
		{"one", wording.Count(1, "entry"), "1 entry"},
		{"none", wording.Count(0, "entry"), "0 entries"},
		{"a vowel before y", wording.Count(2, "key"), "2 keys"},
		{"a noun alone", wording.Noun(3, "lost answer"), "lost answers"},
		{"no list", wording.List(nil), ""},
		{"a list", wording.List([]string{"a", "b", "c"}), "a, b and c"},
		{"a long list", wording.Some([]string{"a", "b", "c"}, 2), "a, b and 1 more"},
		{"a short list", wording.Some([]string{"a", "b"}, 2), "a, b"},
		{"a text that fits", wording.Clip("éééé", 4), "éééé"},
		{"a text that is cut", wording.Clip("ééééé", 4), "ééé…"},
		{"a text without room", wording.Clip("abc", 0), "…"},
		{"a text cut at a word", wording.ClipWords("one two three", 9), "one two…"},
		{"an escape that is cut", wording.ClipPrintable("abc\n\n", 6), `abc\n…`},
		{"escapes", wording.Printable("a\x1b[31m\n\u202e\xff é"), `a\x1b[31m\n\u202e\xff é`},
		{"an option", wording.DidYouMean("--Traget", options), " (did you mean --target?)"},
		{"no option", wording.DidYouMean("--nothing-like-it", options), ""},
		{"too short a word", wording.DidYouMean("x", []string{"id"}), ""},
		{"an id", wording.Alike("page/cuont", ids), " (did you mean page/count?)"},
		{"a part of ids", wording.Alike("auth/any-key", ids), "; beginning alike: auth/any-key/a, auth/any-key/b"},
		{"the first word of ids", wording.Alike("auth", ids), "; beginning alike: auth/any-key/a, auth/any-key/b, auth/no-key/a"},
		{"too little of an id", wording.Alike("pa", ids), ""},
		{"nothing", wording.Alike("", ids), ""},
		{"no id", wording.Alike("xyz/any-key", ids), ""},
		{"a slug", wording.Slug("A number, for", 7), "a-number-for-7"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.what, c.got, c.want)
		}
	}
}

// What a runner obeys is escaped wherever a text has it, and nothing else is.
func TestNoRunnerObeysAnInertText(t *testing.T) {
	for text, want := range map[string]string{
		"::error::x":                     `\u003a:error::x`,
		"a\n \t::error::x":               "a\n \t\\u003a:error::x",
		"a\r::set-output name=a::b":      "a\r\\u003a:set-output name=a::b",
		"\x1b[31m  ::error::x":           "\x1b[31m  \\u003a:error::x",
		"\u00a0::error::x":               "\u00a0\\u003a:error::x",
		"a ##[error]x":                   `a #\u0023[error]x`,
		"a ###[error]x":                  `a ##\u0023[error]x`,
		"a ##VSO[task.complete]x":        `a #\u0023VSO[task.complete]x`,
		"a section_start:1:a, b":         `a section_start\u003a1:a, b`,
		"a section_end:1:a":              `a section_end\u003a1:a`,
		"std::string, ## [a], section_a": "std::string, ## [a], section_a",
		"http://[::1]:80/ and ::1":       "http://[::1]:80/ and ::1",
	} {
		got := wording.Inert(text)
		if got != want || wording.Inert(got) != got {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	var log strings.Builder
	w := wording.InertWriter(&log)
	for _, text := range []string{"a ", "::b", " ##[c]\n", "\t", " ::d", "\n", "::e\n::f"} {
		if n, err := io.WriteString(w, text); n != len(text) || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	if want := "a ::b #\\u0023[c]\n\t \\u003a:d\n\\u003a:e\n\\u003a:f"; log.String() != want {
		t.Errorf("%q, want %q", log.String(), want)
	}
}

// A large file is called by its kind, if it has one, as that is what is wrong with it.
func TestLargeFilesAreCalledByTheirKind(t *testing.T) {
	for text, want := range map[string]string{
		"<!DOCTYPE html>": "is a web page (HTML)", "%PDF-1.4": "is a PDF", "<?xml version=\"1.0\"?>": "is an XML document",
		"\x7fELF\x00": "is not a text file", "baseURL: ": "is larger than 1 MiB",
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(text+strings.Repeat(" ", 1<<20)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := wording.ReadText(path, 1); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
