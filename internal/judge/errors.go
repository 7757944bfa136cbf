package judge

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/oracle"
)

// wantedHeaders are the headers that HTTP requires with a status.
var wantedHeaders = map[int]struct{ name, clause, says string }{
	http.StatusUnauthorized:     {"WWW-Authenticate", "OPEN-11", "how to authenticate (RFC 9110, 15.5.2)"},
	http.StatusMethodNotAllowed: {"Allow", "OPEN-12", "the methods of the path (RFC 9110, 15.5.6)"},
}

// judgeError judges an error by its request: it has to have the headers that HTTP requires with the status, and its
// issues have to be about this request and name parts of it.
func (t *Test) judgeError(c *Call, a *Answer) {
	if t.Recorded { // a recorder may leave headers out
		return
	}
	isForeign := a.Expect.Unlisted && a.Status == http.StatusUnauthorized
	if h, wanted := wantedHeaders[a.Status]; wanted && !isForeign {
		isThere := len(a.Exchange.Response.Header.Values(h.name)) > 0
		t.require(isThere, CheckRefusalHeader, Finding{
			Clause: h.clause, Pointer: "header:" + h.name,
			Expected: "the header " + h.name + ", which says " + h.says, Got: "no such header",
		})
	}
	switch {
	case !c.isDeclared(), a.Expect.OnlyCrash, !a.Expected, !oracle.IsRefusal(a.Status):
		return
	}
	t.judgeForeignIssues(a)
	if a.Expect.Field == "" { // otherwise JudgeNames judges it
		t.judgeNamesNothing(c, a)
	}
}

// judgeForeignIssues checks that an error has no issue of an earlier request about a field that is right in this one,
// as happens if requests share the list of issues. It judges nothing if several fields may be wrong.
func (t *Test) judgeForeignIssues(a *Answer) {
	if a.Status == http.StatusUnprocessableEntity && a.Expect.Field == "" {
		return
	}
	for _, issue := range oracle.Issues(t.Contract, a.Value) {
		field := oracle.LastSegment(issue.Field)
		switch first, earlier := t.issues[issue]; {
		case field == "":
		case field == a.Expect.Field:
			if !earlier {
				t.issues[issue] = t.Case.ID
			}
		case earlier:
			t.Find(CheckForeignIssue, t.ofError("ERR-8", "issues that this request caused",
				"an issue about "+oracle.Show(issue.Field)+" too, which is right here, and was wrong in "+first))
			return
		}
	}
}

// judgeNamesNothing gives a notice of an issue that names no part of its request: no field, no parameter of path or
// query, no header. Any way of writing the name is accepted.
func (t *Test) judgeNamesNothing(c *Call, a *Answer) {
	query, _ := url.ParseQuery(c.Query)
	form := t.Target.Credentials.Form()
	parts := slices.Concat(sortedKeys(query), sortedKeys(a.Exchange.Request.Header), []string{
		"body", "path", "query", "header", "headers", "url", "id", "authorization", "content-type", "accept",
		cmp.Or(form.Header, form.Query),
	})
	for _, p := range c.Op.Params {
		parts = append(parts, p.Name, strings.TrimSuffix(p.Name, "Id"))
	}
	if c.Op.Body != nil {
		for _, f := range c.Op.Body.Fields {
			parts = append(parts, f.Name)
		}
	}
	if c.Body != nil {
		parts = append(parts, sortedKeys(c.Body.Fields)...)
	}
	for _, named := range oracle.Named(t.Contract, a.Value) {
		t.Covered("OPEN-10")
		isBetween := func(r rune) bool { return strings.ContainsRune("/.[]", r) }
		segments := strings.FieldsFunc(joined.Replace(named), isBetween)
		names := func(part string) bool {
			isPart := func(text string) bool { return strings.EqualFold(text, joined.Replace(part)) }
			return slices.ContainsFunc(segments, isPart)
		}
		if !slices.ContainsFunc(parts, names) {
			f := t.ofError("OPEN-10", "a relatedField that is a part of the request, or null", oracle.Show(named))
			f.Cause = finding.CauseOf(finding.NamesNothing)
			f.Name = named
			t.Find(CheckRelatedField, f)
			return
		}
	}
}

// joined joins the words of a name.
var joined = strings.NewReplacer("-", "", "_", "", " ", "")
