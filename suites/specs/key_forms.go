package specs

import (
	"fmt"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// cookieSafe encodes what the value of a cookie may not contain (RFC 6265, 4.1.1). Many servers decode it.
var cookieSafe = strings.NewReplacer(" ", "%20", `"`, "%22", "%", "%25", "'", "%27", ",", "%2C", ";", "%3B", `\`, "%5C")

// schemed returns the form of a key and its text without a scheme. Where the target file names only the header, the
// key may begin with its scheme; cases change what follows it.
func schemed(credentials fixtures.Credentials, key string) (fixtures.KeyForm, string) {
	form := credentials.Form()
	if scheme, text, found := strings.Cut(key, " "); found && form.Before == "" && form.InHeader("Authorization") {
		form.Before = scheme + " "
		return form, text
	}
	return form, key
}

// whole returns a key as the target file has it, with the scheme that schemed has cut off.
func whole(form fixtures.KeyForm, credentials fixtures.Credentials, key wire.Credential) wire.Credential {
	cut := strings.TrimPrefix(form.Before, credentials.Form().Before)
	if cut == "" || !key.Send {
		return key
	}
	key.Value = cut + key.Value
	if key.Shell != "" {
		key.Shell = fmt.Sprintf(`$(%[1]s=${%[1]s#* }; printf %%s "%s%s")`, fixtures.OwnerVariable, cut, key.Shell)
	}
	return key
}

// secretOf returns the part of a key that identifies its user: of HTTP's Basic authentication the password or,
// if there is no password, the name. Two base64 texts may be one credential, so another text alone proves nothing.
func secretOf(form fixtures.KeyForm, key string) string {
	if !form.IsBasic() {
		return key
	}
	user, password, _ := fixtures.SplitBasic(key)
	if password == "" {
		return user
	}
	return password
}

// joined puts a key that was made of the owner's secret in the place of that secret. An empty one stays empty: then
// only the scheme is sent.
func joined(form fixtures.KeyForm, owner string, key wire.Credential) wire.Credential {
	isJoined := key.Name == otherUserName || key.Name == emptyPassword
	if !form.IsBasic() || !key.Send || key.Value == "" || isJoined {
		return key
	}
	expression := key.Shell
	if key.Public {
		expression = key.Value
	}
	user, password, _ := fixtures.SplitBasic(owner)
	if password == "" {
		return basic(key.Name, key.Value, "", "${ADCONFORM_USER%%:*}", expression+":")
	}
	all := basic(key.Name, user, key.Value, "${ADCONFORM_USER#*:}", "${ADCONFORM_USER%%:*}:"+expression)
	if expression == "" { // no shell makes it
		all.Shell = ""
	}
	return all
}

const (
	otherUserName = "unknown"
	emptyPassword = "empty-password"
	otherScheme   = "other-scheme"
)

// otherCredential returns a credential of another scheme than a key's, which nobody gave out, and the words for a
// request that has it and no key.
func otherCredential(form fixtures.KeyForm) (value string, words finding.Oddity) {
	if form.IsBasic() {
		return "Bearer x", finding.NoKey + ", and a bearer token"
	}
	return "Basic eDp4", finding.NoKey + ", and HTTP's Basic authentication"
}

// hasPassword reports whether a key is a name and a password of HTTP's Basic authentication.
func hasPassword(form fixtures.KeyForm, key string) bool {
	_, password, _ := fixtures.SplitBasic(key)
	return form.IsBasic() && password != ""
}

// withoutPassword returns the owner's name with an empty password.
func withoutPassword(c Case, _ string) wire.Credential {
	_, owner := schemed(c.Run().Target.Credentials, c.Owner().Value)
	user, _, _ := fixtures.SplitBasic(owner)
	return basic(emptyPassword, user, "", "${ADCONFORM_USER%%:*}", "${"+fixtures.OwnerVariable+"}:")
}

// otherUser returns the owner's password with the name of an unknown user.
func otherUser(name, owner string) wire.Credential {
	_, password, _ := fixtures.SplitBasic(owner)
	return basic(otherUserName, name, password, "${ADCONFORM_USER#*:}", name+":${"+fixtures.OwnerVariable+"}")
}

// basic returns a credential of HTTP's Basic authentication that is made of the owner's. secret is the expression of a
// shell for the owner's secret, which the one of both parts refers to by the variable of the owner's key.
func basic(name, user, password, secret, both string) wire.Credential {
	const expression = `$(ADCONFORM_USER=$(printf %%s "$%[1]s" | base64 -d); ` +
		`%[1]s=%s; printf %%s "%s" | base64 | tr -d '\n')`
	shell := fmt.Sprintf(expression, fixtures.OwnerVariable, secret, both)
	return wire.Credential{Name: name, Value: fixtures.JoinBasic(user, password), Shell: shell, Send: true}
}

// Interface document, "not shown": the scheme of a key.
func keySchemes(s *Specs, op *spec.Operation) {
	form, _ := schemed(s.Target.Credentials, s.Target.Credentials.Owner)
	if form.Scheme() == "" || op.Deletes() {
		return
	}
	other := "Token"
	if strings.EqualFold(form.Scheme(), other) {
		other = "Key"
	}
	title := "A key with another authentication scheme, or without one, is refused with 401 or taken."
	s.Case("open/key-scheme", title, Options{Observes("key-scheme", ""), Clause("AUTH-1")}, func(c Case, o *Object) {
		for _, sent := range []struct{ words, before string }{
			{"the owner's key with the scheme " + other, other + " "}, {"the owner's key without a scheme", ""},
		} {
			request := Request(c, o)
			_, owner := schemed(c.Run().Target.Credentials, request.As.Value)
			request.As.Value, request.As.Form = owner, fixtures.KeyForm{Header: form.Header, Before: sent.before}
			request.Note(finding.PlaceOf(finding.Key, ""), finding.Oddity(sent.words), "")
			switch a := send(c, request, BeAccepted().Or(401).Citing("AUTH-1")); {
			case a.OK:
				c.Observe("key-scheme", spec.Accepted)
			case a.Status == 401:
				c.Observe("key-scheme", spec.Refused)
			}
		}
	})
}
