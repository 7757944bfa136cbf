package wording_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/internal/wording"
)

func TestCountAgreesWithItsNumber(t *testing.T) {
	g := NewWithT(t)
	g.Expect(wording.Count(1, "entry")).To(Equal("1 entry"))
	g.Expect(wording.Count(0, "entry")).To(Equal("0 entries"))
	g.Expect(wording.Count(2, "key")).To(Equal("2 keys"))
	g.Expect(wording.Noun(3, "lost answer")).To(Equal("lost answers"))
}

func TestListsReadAsSentencesDo(t *testing.T) {
	g := NewWithT(t)
	g.Expect(wording.List(nil)).To(BeEmpty())
	g.Expect(wording.List([]string{"a", "b", "c"})).To(Equal("a, b and c"))
	g.Expect(wording.Some([]string{"a", "b", "c"}, 2)).To(Equal("a, b and 1 more"))
	g.Expect(wording.Some([]string{"a", "b"}, 2)).To(Equal("a, b"))
}

func TestClipCountsCharacters(t *testing.T) {
	g := NewWithT(t)
	g.Expect(wording.Clip("éééé", 4)).To(Equal("éééé"))
	g.Expect(wording.Clip("ééééé", 4)).To(Equal("ééé…"))
	g.Expect(wording.Clip("abc", 0)).To(Equal("…"))
}

func TestDidYouMeanProposesOnlyWhatIsNear(t *testing.T) {
	g := NewWithT(t)
	known := []string{"--target", "--report", "--seed"}
	g.Expect(wording.DidYouMean("--Traget", known)).To(Equal(" (did you mean --target?)"))
	g.Expect(wording.DidYouMean("--nothing-like-it", known)).To(BeEmpty())
	g.Expect(wording.Nearest("x", []string{"id"})).To(BeEmpty())
}

func TestAlikeProposesWhatBeginsAsTheWordDoes(t *testing.T) {
	known := []string{"auth/any-key/a", "auth/any-key/b", "auth/no-key/a", "page/count"}
	for word, want := range map[string]string{
		"page/cuont":   " (did you mean page/count?)",
		"auth/any-key": "; beginning alike: auth/any-key/a, auth/any-key/b",
		"auth":         "; beginning alike: auth/any-key/a, auth/any-key/b, auth/no-key/a",
		"authority":    "; beginning alike: auth/any-key/a, auth/any-key/b, auth/no-key/a",
		"pa":           "",
		"":             "",
		"xyz/any-key":  "",
	} {
		if got := wording.Alike(word, known); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain 'text' \"quoted\" ü 🙂 \ufffd": "plain 'text' \"quoted\" ü 🙂 \ufffd",
		"\x1b[31m":                           `\x1b[31m`,
		"a\nb\tc\r":                          `a\nb\tc\r`,
		"\u202e caf\xe9 \x00\x7f":            `\u202e caf\xe9 \x00\x7f`,
	} {
		if got := wording.Printable(text); got != want {
			t.Errorf("Printable(%q) = %q, want %q", text, got, want)
		}
	}
}
