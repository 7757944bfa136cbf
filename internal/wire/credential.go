package wire

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/fixtures"
)

// A Credential is the key of a request.
type Credential struct {
	Name  string // "owner", "stranger", "none", "owner-without-last-character", ...
	Value string `json:"-"` // sent as it is; may be empty
	Shell string // how a shell makes the value from another key; "" if it has a variable of its own
	Send  bool   // if false, no key is sent at all
	Times int    // number of header lines or parameters with it; 0 for one
	// Public marks a value that the suite made up, which may be shown. Any
	// other value of at least four bytes counts as a secret once it was sent.
	Public bool
	Form   fixtures.KeyForm // how it is sent; zero for the way that the target wants
}

// String returns only the name, so that no format verb prints the key.
func (k Credential) String() string { return k.Name }

// isOddlySent reports whether the key is sent in another form than the target wants, so that a refusal does not concern
// the key itself.
func (k Credential) isOddlySent() bool { return k.Form != (fixtures.KeyForm{}) }

// values returns the values of the key's header or parameter.
func (k Credential) values(form fixtures.KeyForm) []string {
	return slices.Repeat([]string{form.Value(k.Value)}, max(1, k.Times))
}

// form returns how a key is sent.
func (c *Client) form(k Credential) fixtures.KeyForm {
	if k.isOddlySent() {
		return k.Form
	}
	return c.opt.Key
}

// keyHeader returns the name of the header that carries a key and its values; "" if none does.
func (c *Client) keyHeader(k Credential) (name string, values []string) {
	form := c.form(k)
	if !k.Send || form.Header == "" {
		return "", nil
	}
	return form.Header, k.values(form)
}

// target returns what the request line has for a path below the base URL, with the key of the request if the
// query carries it.
func (c *Client) target(path string, k Credential) string {
	target := c.base.EscapedPath() + path
	form := c.form(k)
	if !k.Send || form.Query == "" {
		return target
	}
	for _, value := range k.values(form) {
		separator := "?"
		if strings.Contains(target, "?") {
			separator = "&"
		}
		target += separator + form.Query + "=" + percentEncoded(value)
	}
	return target
}

func percentEncoded(text string) string {
	return strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
}

// keepSecret keeps a key secret that is sent, unless the suite made it up.
func (c *Client) keepSecret(k Credential) {
	if k.Send && !k.Public {
		c.addKey(k, false)
	}
}

// addKey keeps a key secret, and each form of it that a request may have, or a target show.
func (c *Client) addKey(k Credential, given bool) {
	form := c.form(k)
	c.keys.add(k.Name, k.Value, k.Shell, given)
	ascii := strings.TrimRightFunc(k.Value, func(r rune) bool { return r >= utf8.RuneSelf })
	c.keys.add(k.Name, ascii, "", given) // a server may show what follows it in another encoding
	if form.Query != "" {
		expression := cmp.Or(k.Shell, "${"+Variable(k.Name)+"}")
		hexDigits := `printf %s "` + expression + `" | od -An -v -tx1 | tr -d ' \n'`
		c.keys.add(k.Name, percentEncoded(k.Value), `$(`+hexDigits+` | sed 's/../%&/g')`, given)
	}
	if form.IsBasic() {
		user, password, _ := fixtures.SplitBasic(k.Value)
		c.keys.add(k.Name+"-password", password, "", given)
		if password == "" {
			c.keys.add(k.Name+"-user", user, "", given)
		}
	}
	if strings.Contains(k.Value, " ") { // a server may show the key without its scheme
		c.keys.addWords(k.Name, k.Value, minToken, given)
	}
}

// everyHeader adds the headers that every request has to a header, in place of others of their names.
func (c *Client) everyHeader(header http.Header) {
	for _, h := range c.opt.Headers {
		header[http.CanonicalHeaderKey(h.Name)] = []string{h.Value}
	}
}

// hidden returns the text that stands for the secret value of a header.
func hidden(h fixtures.Header) string { return "$" + Variable(h.Name) }
