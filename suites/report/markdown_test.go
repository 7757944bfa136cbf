package report_test

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/adconform/adconform/suites/report"
	"github.com/adconform/adconform/suites/session"
)

// markdown writes summary.md and parses it as GitHub does, autolinks included.
func markdown(t *testing.T, r *report.Report) (string, ast.Node) {
	t.Helper()
	source := written(t, r, (*report.View).WriteMarkdown)
	return source, goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader([]byte(source)))
}

func TestMarkdownOfAHostileTargetHasNoHTMLLinksOrMentions(t *testing.T) {
	source, root := markdown(t, hostile())
	columns := map[ast.Node]int{}
	err := ast.Walk(root, func(n ast.Node, _ bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.RawHTML, *ast.HTMLBlock, *ast.Link, *ast.AutoLink, *ast.Image:
			t.Errorf("%s in the summary", n.Kind())
		case *ast.Text:
			if plain := string(n.Value([]byte(source))); strings.Contains(plain, "octocat") || strings.Contains(plain, "pwned") ||
				strings.Contains(plain, "evil.example") {
				t.Errorf("a text of the target outside code: %q", plain)
			}
		case *extensionast.TableHeader:
			columns[n.Parent()] = n.ChildCount()
		case *extensionast.TableRow:
			if n.ChildCount() != columns[n.Parent()] || columns[n.Parent()] == 0 {
				t.Errorf("a row of %d cells in a table of %d columns", n.ChildCount(), columns[n.Parent()])
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil || !strings.Contains(source, "pwned") || len(columns) != 1 {
		t.Errorf("what the target sent is not told, or %d tables", len(columns))
	}
}

func TestMarkdownTellsWhatIsWrong(t *testing.T) {
	source, _ := markdown(t, made())
	for _, want := range []string{
		"# ❌ adconform: nonconforming\n", "4 cases: 1 passed, 1 failed, 2 not tested; 7 requests in 1.5 s",
		"\nupdateCampaign answered 200 where 401 was expected\n  clause    AUTH-1 (stated, critical) A request whose user cannot be",
		"\n  expected  status 401\n  got       status 200\n  cases     updateCampaign/401/no-key\n",
		"\n    curl -i http://127.0.0.1/campaigns/25\n",
		"\n  without credentials.stranger: 2 cases, clause AUTH-2\n", "\n```\n", "| stated | 0 | 1 | 1 |\n",
	} {
		if !strings.Contains(source, want) {
			t.Errorf("%q is missing in\n%s", want, source)
		}
	}
}

func TestMarkdownIsBounded(t *testing.T) {
	r := large(100, 10_000)
	r.Findings[0].Curl = "curl " + strings.Repeat("x", 1<<20)
	r.Changes = []session.Change{{Object: "campaign", ID: 25, Change: "updated", Reason: "refused"}}
	source, _ := markdown(t, r)
	for _, want := range []string{
		"\n… and more, see report.json\n", "its request has 1048581 characters: see ./report.html#", "campaign 25 (updated): refused",
	} {
		if len(source) > 70_000 || !strings.Contains(source, want) {
			t.Errorf("%d bytes, %q is missing:\n%.3000s", len(source), want, source)
		}
	}
}
