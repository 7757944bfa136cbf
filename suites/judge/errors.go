package judge

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/suites/oracle"
	"github.com/adconform/adconform/suites/wire"
)

// judgeError judges of an error what hangs on its request: the headers that HTTP wants beside the
// status, the parts of the request that its issues name, and whether they are its own issues.
func (t *Test) judgeError(c *Call, a *Answer) {
	if t.Recorded { // each answer alone, and a recorder may leave headers out
		return
	}
	t.wantHeader(a, http.StatusUnauthorized, "WWW-Authenticate", "OPEN-11", "how to authenticate (RFC 9110, 15.5.2)")
	t.wantHeader(a, http.StatusMethodNotAllowed, "Allow", "OPEN-12", "the methods of the path (RFC 9110, 15.5.6)")
	if c.Method != c.Op.Method || a.Expect.OnlyCrash || !a.Expected || !oracle.IsRefusal(a.Status) {
		return
	}
	t.judgeForeignIssues(a)
	if a.Expect.Field == "" { // else it is known what has to be named
		t.judgeNamesNothing(c, a)
	}
}

func (t *Test) wantHeader(a *Answer, status int, name, clause, what string) {
	if a.Status != status {
		return
	}
	t.require(len(a.Exchange.Response.Header.Values(name)) > 0, CheckRefusalHeader, Finding{
		Clause: clause, Pointer: "header:" + name, Expected: "the header " + name + ", which says " + what, Got: "no such header",
	})
}

// judgeForeignIssues judges that an error has no issue that an earlier request got for a wrong field,
// where that field is right: requests share the list then. Where several fields may be wrong, or no
// one knows which is, nothing is said.
func (t *Test) judgeForeignIssues(a *Answer) {
	issue := t.Model.Contract.Error.Field("error").Object.Field("issues").Items
	if a.Status == http.StatusUnprocessableEntity && a.Expect.Field == "" {
		return
	}
	for _, i := range oracle.Issues(t.Model.Contract, a.Value) {
		named, _ := i[issue.Field("relatedField").Name].(string)
		key := oracle.Show([]any{i[issue.Field("type").Name], i[issue.Field("message").Name], named})
		field := oracle.LastSegment(named)
		switch first, earlier := t.Model.issues[key]; {
		case field == "":
		case field == a.Expect.Field:
			if !earlier {
				t.Model.issues[key] = t.Case.ID
			}
		case earlier:
			t.Find(CheckForeignIssue, t.ofError("ERR-8", "issues that this request caused",
				"an issue about "+oracle.Show(named)+" too, which is right here, and was wrong in "+first))
			return
		}
	}
}

// judgeNamesNothing notes issues that name no part of their request: no field, no parameter of path or
// query, no header. How a part is written is let pass.
func (t *Test) judgeNamesNothing(c *Call, a *Answer) {
	parts := t.parts(c, a)
	for _, named := range oracle.Named(t.Model.Contract, a.Value) {
		t.Covered("OPEN-10")
		segments := strings.FieldsFunc(named, func(r rune) bool { return strings.ContainsRune("/.[]", r) })
		if !slices.ContainsFunc(segments, func(part string) bool { return slices.Contains(parts, letters(part)) }) {
			f := t.ofError("OPEN-10", "a relatedField that is a part of the request, or null", oracle.Show(named))
			f.CauseWords = "an issue names what is no part of the request"
			t.Find(CheckRelatedField, f)
			return
		}
	}
}

// parts are the names of what a request is made of, by their letters.
func (t *Test) parts(c *Call, a *Answer) []string {
	all := []string{
		"body", "path", "query", "header", "headers", "url", "id", "authorization", "content-type", "accept",
		cmp.Or(t.Model.Target.Credentials.Header, wire.DefaultKeyHeader),
	}
	for _, p := range c.Op.Params {
		all = append(all, p.Name, strings.TrimSuffix(p.Name, "Id"))
	}
	query, _ := url.ParseQuery(c.Query)
	all = append(append(all, slices.Sorted(maps.Keys(query))...), slices.Sorted(maps.Keys(a.Exchange.Request.Header))...)
	if c.Op.Body != nil {
		for _, f := range c.Op.Body.Fields {
			all = append(all, f.Name)
		}
	}
	if c.Body != nil {
		all = append(all, slices.Sorted(maps.Keys(c.Body.Fields))...)
	}
	for i := range all {
		all[i] = letters(all[i])
	}
	return all
}

// letters are those of a name, and its digits, in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_ ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}
