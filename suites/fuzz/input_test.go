package fuzz

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
)

// What is written is read again, whatever the bytes.
func TestInputsAreWrittenAndRead(t *testing.T) {
	t.Parallel()
	contract := reftest.Contract(t)
	texts := []string{"", "a", "\xff", "\xed\xa0\x80", "a\xc3", "\x00", "\u2028", "\ufeff", "\ufffd", "<&>", `"\`, "\xff\ufffd\x80", "😀"}
	for _, c := range catalogue {
		texts = append(texts, c.texts...)
	}
	for _, text := range texts {
		in := Input{"updateCampaign", []Mutation{{"header/unknown", text, 3}, {"text/word", text, 0}}}
		again, err := Read(contract, in.String())
		if err != nil || !slices.Equal(again.Mutations, in.Mutations) || again.Operation != in.Operation {
			t.Errorf("%q: %v, %v", text, again, err)
		}
		if strings.ContainsAny(in.String(), "\n\r") {
			t.Errorf("%q is not in one line", in)
		}
	}
}

// What nobody could have written is told, and not sent.
func TestOddInputsAreRefused(t *testing.T) {
	t.Parallel()
	contract := reftest.Contract(t)
	for text, want := range map[string]string{
		"": "no input of fuzz", "{": "no input of fuzz", "[]": "no input of fuzz",
		`{"operation":"updateCampaign","mutations":[{"class":"json/type","n":"x"}]}`:              "no input of fuzz",
		`{"operation":"updateCampaign","mutations":[{"class":"json/type"}]} {}`:                   "no input of fuzz",
		`{"operation":"updateCampaign"}`:                                                          "no mutation",
		`{"operation":"updateNothing","mutations":[{"class":"json/type"}]}`:                       `no operation "updateNothing"`,
		`{"operation":"updateCampaign","mutations":[{"class":"json/nothing"}]}`:                   `updateCampaign has no class "json/nothing"`,
		`{"operation":"deleteCreative","mutations":[{"class":"json/type"}]}`:                      `deleteCreative has no class "json/type"`,
		`{"operation":"updateCampaign","mutations":[{"class":"json/type","n":-1}]}`:               `json/type: n is -1`,
		`{"operation":"updateCampaign","mutations":[{"class":"json/blanks","n":2000000000}]}`:     `json/blanks: n is 2000000000`,
		`{"operation":"updateCampaign","mutations":[{"class":"json/blanks","n":1}]}`:              `json/blanks: n is 1,`,
		`{"operation":"deleteCreative","mutations":[{"class":"path/size","text":"301"}]}`:         `path/size has no text "301"`,
		`{"operation":"deleteCreative","mutations":[{"class":"method/other","text":"DELETE /"}]}`: `method/other has no text "DELETE /"`,
	} {
		if in, err := Read(contract, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", text, in, err, want)
		}
	}
}

// All that is drawn, and all that it is shrunk to, can be read.
func TestWhatIsDrawnCanBeRead(t *testing.T) {
	t.Parallel()
	contract := reftest.Contract(t)
	f := New(contract.Operations, 3, 0, nil, false)
	for _, in := range inTurn(f, contract.Operations, 3000) {
		for _, one := range append(in.Shorter(), in) {
			if again, err := Read(contract, one.String()); err != nil || again.String() != one.String() {
				t.Fatalf("%s: %s, %v", one, again, err)
			}
		}
	}
}

func TestACorpusIsKept(t *testing.T) {
	t.Parallel()
	contract := reftest.Contract(t)
	dir := filepath.Join(t.TempDir(), "deep", "corpus")
	if _, err := OpenCorpus(dir, contract, false); err == nil || !strings.Contains(err.Error(), dir+": no such file or directory") {
		t.Errorf("a folder that is missing: %v", err)
	}
	c := opened(t, dir, contract)
	all := inTurn(New(contract.Operations, 1, 200, nil, false), contract.Operations, 200)
	all = append(all, Input{"updateCampaign", []Mutation{{"header/unknown", "\xff\x00", 1}}})
	for i, in := range all {
		c.Keep(in, i%3 == 0)
		c.Keep(in, i%3 == 0) // is the same file
	}
	if c.Err() != nil || len(c.Inputs()) != 0 {
		t.Errorf("%v, %d inputs", c.Err(), len(c.Inputs()))
	}
	again := opened(t, dir, contract).Inputs()
	if len(again) != len(all) {
		t.Fatalf("%d inputs, want %d", len(again), len(all))
	}
	found := len(all) / 3
	for i, in := range again {
		at := slices.IndexFunc(all, func(one Input) bool { return one.String() == in.String() })
		if at < 0 || at%3 == 0 != (i < found) {
			t.Errorf("%d: %s, kept as %d", i, in, at)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	opened(t, dir, contract) // what is no input of its own is left alone
	broken := filepath.Join(dir, "new-x.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCorpus(dir, contract, true); err == nil || !strings.Contains(err.Error(), broken+": it is no input of fuzz") {
		t.Errorf("a broken file: %v", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if c.Keep(all[0], true); c.Err() == nil {
		t.Error("that a file cannot be written is not told")
	}
}

func opened(t *testing.T, dir string, contract *spec.Contract) *Corpus {
	t.Helper()
	c, err := OpenCorpus(dir, contract, true)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Two framings of a body are no message, though each is one.
func TestTwoFramingsAreMalformed(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	s := against(t, server)
	chunks, trailer := Mutation{Class: "framing/chunk-form", Text: "%X\r\n%s\r\n"}, Mutation{Class: "framing/trailer", Text: "X-Adconform: 1"}
	for want, all := range map[bool][]Mutation{false: {trailer}, true: {trailer, chunks}} {
		if _, call := makes(hand(t, s), Input{"updateCampaign", all}); call.Malformed != want {
			t.Errorf("%d framings: malformed %t", len(all), call.Malformed)
		}
	}
}
