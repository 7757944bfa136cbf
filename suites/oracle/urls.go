package oracle

import (
	"net/url"
	"strings"
)

const expectedURL = "an absolute http or https URL"

// judgeURLs: kin-openapi lets any string pass for format uri.
func judgeURLs(j *judging) {
	j.shape.walk(j.Value, nil, func(n *shape, v any, at *path) {
		if text, ok := v.(string); n.url && ok && !absoluteURL(text) {
			j.mismatch(n.clause, at.String(), expected(n.schema), show(v))
		}
	})
}

// absoluteURL says whether a text can be opened as it stands: RFC 3986, 4.3,
// with a host. Characters beyond ASCII are let pass, as browsers do.
func absoluteURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && !strings.ContainsAny(text, " \t\r\n")
}
