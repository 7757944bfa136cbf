package judge

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/oracle"
)

// judgeError judges an error by its request: it has to have the headers that HTTP requires with the status, and its
// issues have to be about this request and name parts of it.
func (t *Test) judgeError(c *Call, a *Answer) {
	if t.Recorded { // a recorder may leave headers out
		return
	}
	switch a.Status {
	case http.StatusUnauthorized:
		t.wantHeader(a, "WWW-Authenticate", "OPEN-11", "how to authenticate (RFC 9110, 15.5.2)")
	case http.StatusMethodNotAllowed:
		t.wantHeader(a, "Allow", "OPEN-12", "the methods of the path (RFC 9110, 15.5.6)")
	}
	if c.Method != c.Op.Method || a.Expect.OnlyCrash || !a.Expected || !oracle.IsRefusal(a.Status) {
		return
	}
	t.judgeForeignIssues(a)
	if a.Expect.Field == "" { // otherwise JudgeNames judges it
		t.judgeNamesNothing(c, a)
	}
}

func (t *Test) wantHeader(a *Answer, name, clause, what string) {
	t.require(len(a.Exchange.Response.Header.Values(name)) > 0, CheckRefusalHeader, Finding{
		Clause: clause, Pointer: "header:" + name, Expected: "the header " + name + ", which says " + what, Got: "no such header",
	})
}

// judgeForeignIssues checks that an error has no issue of an earlier request about a field that is right in this one,
// as happens if requests share the list of issues. It judges nothing if several fields may be wrong.
func (t *Test) judgeForeignIssues(a *Answer) {
	if a.Status == http.StatusUnprocessableEntity && a.Expect.Field == "" {
		return
	}
	for _, issue := range oracle.Issues(t.Model.Contract, a.Value) {
		field := oracle.LastSegment(issue.Field)
		switch first, earlier := t.Model.issues[issue]; {
		case field == "":
		case field == a.Expect.Field:
			if !earlier {
				t.Model.issues[issue] = t.Case.ID
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
	parts := t.parts(c, a)
	for _, named := range oracle.Named(t.Model.Contract, a.Value) {
		t.Covered("OPEN-10")
		segments := strings.FieldsFunc(letters.Replace(strings.ToLower(named)), func(r rune) bool { return strings.ContainsRune("/.[]", r) })
		if !slices.ContainsFunc(segments, func(part string) bool { return slices.Contains(parts, part) }) {
			f := t.ofError("OPEN-10", "a relatedField that is a part of the request, or null", oracle.Show(named))
			f.CauseWords = "an issue names what is no part of the request"
			t.Find(CheckRelatedField, f)
			return
		}
	}
}

// parts returns the names of the parts of a request, in lower case and without separators.
func (t *Test) parts(c *Call, a *Answer) []string {
	query, _ := url.ParseQuery(c.Query)
	all := slices.Concat(sortedKeys(query), sortedKeys(a.Exchange.Request.Header), []string{
		"body", "path", "query", "header", "headers", "url", "id", "authorization", "content-type", "accept",
		t.Model.Target.Credentials.KeyHeader(),
	})
	for _, p := range c.Op.Params {
		all = append(all, p.Name, strings.TrimSuffix(p.Name, "Id"))
	}
	if c.Op.Body != nil {
		for _, f := range c.Op.Body.Fields {
			all = append(all, f.Name)
		}
	}
	if c.Body != nil {
		all = append(all, sortedKeys(c.Body.Fields)...)
	}
	for i := range all {
		all[i] = letters.Replace(strings.ToLower(all[i]))
	}
	return all
}

// letters removes the separators between the words of a name.
var letters = strings.NewReplacer("-", "", "_", "", " ", "")
