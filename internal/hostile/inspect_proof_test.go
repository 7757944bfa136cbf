package hostile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
)

// Each kind of file is let pass when it is clean, and refused when a server's
// text got where it must not be.
func TestInspectFile(t *testing.T) {
	key := fixtures.DefaultWorld().Users[0].Key
	secrets := newSecrets(fixtures.DefaultWorld())
	for _, test := range []struct {
		file, content string
		bad           bool
	}{
		{"a.txt", "fine\n\ttext é", false},
		{"a.txt", "an escape \x1b[31m", true},
		{"a.txt", "a bell \a", true},
		{"a.txt", "no UTF-8 \xff", true},
		{"report.json", `{"schema":"adconform/report/v1"}`, true}, // not all of it
		{"a.har", `{"a":[1,"b"]}`, false},
		{"a.har", `{"a":[1,"b"`, true},
		{"a.har", `{"a":"\u001b[31m"}`, false}, // what shows it has to see to that
		{"a.sarif", `{"a":"` + encodings[6](key) + `"}`, true},
		{"a.xml", `<a b="]]&gt;">&lt;x&gt;</a>`, false},
		{"a.xml", `<a>&#x1b;</a>`, true},
		{"a.xml", `<a><b></a>`, true},
		{"a.xml", `<a b="` + encodings[8](key) + `"/>`, true},
		{"a.svg", `<svg><text>1 of 2</text></svg>`, false},
		{"a.svg", `<svg onload="x()"/>`, true},
		{"a.svg", `<svg><script>x()</script></svg>`, true},
		{"a.html", `<title>` + mark + `</title><p title="<img> ` + mark + `">&lt;script&gt;` + mark + `</p><script>own()</script>`, false},
		{"a.html", `<script type="application/json">"` + mark + `"</script>`, false},
		{"a.html", `<script>var a = "` + mark + `"</script>`, true},
		{"a.html", `<p><img src=x></p>`, true},
		{"a.html", `<p onclick="own()">a</p>`, true},
		{"a.html", `<a href=" JavaScript:alert(1)">a</a>`, true},
		{"a.html", `<!-- ` + mark + ` -->`, true},
		{"a.html", `<x-` + mark + `>a</x-` + mark + `>`, true},
		{"a.html", `<style>a{content:"` + mark + `"}</style>`, true},
		{"a.md", "# Verdict\n\n```\n<script>\n```\n", false},
		{"a.md", "| ` `` ` | ```` ``` <b>" + mark + "</b> `` ```` |", false},
		{"a.md", "<details><summary>`<b>`</summary>\n\na\n</details>", true}, // no code within an element
		{"a.md", "` ` " + mark + " `", true},
		{"a.md", "a \\<b> and `<b>`", false},
		{"a.md", "a <b>bold</b> text", true},
		{"a.md", "<!-- hidden", true},
		{"a.md", "[" + mark + "](javascript:alert(1))", true},
		{"a.md", "![a](http://evil.invalid/a.png)", true},
	} {
		if err := inspectFile(test.file, []byte(test.content), secrets); (err != nil) != test.bad {
			t.Errorf("%s %q: %v", test.file, test.content, err)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, bad := range map[string]bool{
		"two\nlines, 日本": false, "tab\t": true, "\x1b[2J": true, "\u009b31m": true, "\u202e": true, "a\xff": true, "\ufffd": false,
		"FAIL ::error::x": false, "a\n::error::x": true, "\n ##vso[task.complete]": true,
	} {
		if err := printable(text); (err != nil) != bad {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A key is found in every form that the servers give it back in, whole or in part.
func TestSecretsAreFound(t *testing.T) {
	world := fixtures.DefaultWorld()
	oddKeys(&world)
	secrets := newSecrets(world)
	for i, form := range encodings {
		for _, u := range world.Users {
			text := form(u.Key)
			if secrets.in("see "+text+" there") == nil {
				t.Errorf("form %d is not found: %s", i, text)
			}
		}
	}
	if secrets.in("see "+oddOwnerKey[5:5+window]) == nil {
		t.Error("a piece is not found")
	}
	for _, text := range []string{"$ADCONFORM_OWNER_KEY", "&amp;&lt;b&gt;x&lt;/b&gt;", `\u001b\u0000\u007f`, ""} {
		if err := secrets.in(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Every file of a run is looked at, wherever it lies and whatever wrote it.
func TestInspectWalksOverEveryFile(t *testing.T) {
	world := fixtures.DefaultWorld()
	key := world.Users[1].Key
	r := &run{dir: t.TempDir(), stdout: key, stderr: "\x1b[31m"}
	for name, text := range map[string]string{
		"target.yaml": key, "report/new.format": key, "report/deep/er.md": "<b>", "step-summary.md": "\a", "report/.unfinished": key,
		"report/a.json": `{"a":1}`,
	} {
		path := filepath.Join(r.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.inspect(world)
	all := strings.Join(r.problems, "\n")
	for _, want := range []string{
		"the standard output: a piece of", "the standard error: the character U+001B", "new.format: a piece", "er.md: HTML",
		"step-summary.md: the control character",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q in:\n%s", want, all)
		}
	}
	for _, not := range []string{"target.yaml", "unfinished", "a.json"} {
		if strings.Contains(all, not) {
			t.Errorf("%s is said to be bad:\n%s", not, all)
		}
	}
}

// Another key that begins like the owner's is no piece of it, in any form.
func TestAKeyWithTheSameBeginningIsNoPiece(t *testing.T) {
	world := fixtures.DefaultWorld()
	oddKeys(&world)
	secrets := newSecrets(world)
	for i, form := range encodings {
		if err := secrets.in("see " + form(oddOwnerKey[:1]+"i9Mnvdmv3UBxYDYC0azcrOMz3WnK")); err != nil {
			t.Errorf("form %d: %v", i, err)
		}
	}
}
