package reference

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
)

type enteredKey struct{}

// Entrance returns a handler in front of a server, and of faults and variants around it, that lets in what the choices
// want of every request. Behind it the key is always in the header X-API-Key. Users are those of HTTP's Basic
// authentication.
func (c *Choices) Entrance(next http.Handler, users []fixtures.User) http.Handler {
	tenant, value, _ := strings.Cut(c.Tenant, ": ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tenant != "" && r.Header.Get(tenant) != value {
			http.Error(w, "no such tenant", http.StatusBadRequest)
			return
		}
		behind := r.Clone(context.WithValue(r.Context(), enteredKey{}, true))
		c.bringKey(behind, users)
		next.ServeHTTP(w, behind)
	})
}

// hasEntered reports whether a request came through an Entrance.
func hasEntered(r *http.Request) bool {
	return r.Context().Value(enteredKey{}) != nil
}

// bringKey moves the key of a request into the header X-API-Key. A header or parameter of another form stays.
func (c *Choices) bringKey(r *http.Request, users []fixtures.User) {
	name, form, isLine := strings.Cut(c.KeyHeader, ": ")
	var keys []string
	switch {
	case c.KeyQuery != "":
		keys = takeParameter(r.URL, c.KeyQuery)
	case !isLine && http.CanonicalHeaderKey(name) == http.CanonicalHeaderKey(fixtures.DefaultKeyHeader):
		return
	default:
		keys = c.takeHeader(r.Header, name, form)
	}
	if strings.HasPrefix(form, "Basic ") {
		for i, text := range keys {
			keys[i] = password(text, users)
		}
	}
	if r.Header.Del(fixtures.DefaultKeyHeader); keys != nil {
		r.Header[http.CanonicalHeaderKey(fixtures.DefaultKeyHeader)] = keys
	}
}

// takeParameter removes a parameter from the query of a request, and returns its values.
func takeParameter(u *url.URL, name string) (values []string) {
	var others []string
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if key, value, _ := strings.Cut(part, "="); key == name {
			plain, err := url.QueryUnescape(value)
			if err != nil {
				plain = value
			}
			values = append(values, plain)
		} else {
			others = append(others, part)
		}
	}
	u.RawQuery = strings.Join(others, "&")
	return values
}

// takeHeader removes the lines of a header that have the form of a key's, and returns the keys in them.
func (c *Choices) takeHeader(header http.Header, name, form string) (keys []string) {
	name = http.CanonicalHeaderKey(name)
	header[name] = slices.DeleteFunc(slices.Clone(header[name]),
		func(line string) bool {
			key, fits := c.keyIn(line, form)
			if fits {
				keys = append(keys, key)
			}
			return fits
		})
	if len(header[name]) == 0 {
		delete(header, name)
	}
	return keys
}

// keyIn returns the key in the line of a header, and whether the line has the form of one: "", "Bearer {key}" or
// "session={key}".
func (c *Choices) keyIn(line, form string) (key string, fits bool) {
	before := strings.TrimSuffix(form, "{key}")
	switch scheme, rest, _ := strings.Cut(line, " "); {
	case strings.HasSuffix(before, "="):
		for cookie := range strings.SplitSeq(line, ";") {
			if key, fits = strings.CutPrefix(strings.TrimSpace(cookie), before); fits {
				if plain, err := url.PathUnescape(key); err == nil {
					key = plain
				}
				return key, true
			}
		}
		return "", false
	case before == "":
		return line, true
	case strings.EqualFold(scheme, strings.TrimSpace(before)):
		return strings.TrimSpace(rest), true
	case c.AnyScheme:
		return line[strings.LastIndex(line, " ")+1:], true
	}
	return "", false
}

// password returns the password in the text of HTTP's Basic authentication, or the whole text if no user has its name.
func password(text string, users []fixtures.User) string {
	plain, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return text
	}
	name, password, _ := strings.Cut(string(plain), ":")
	isUser := slices.ContainsFunc(users,
		func(u fixtures.User) bool { return u.Name == name })
	if isUser && password != "" {
		return password
	}
	return string(plain)
}

// Target makes a target file of the reference one of a server with these choices.
func (c *Choices) Target(t *fixtures.Target, users []fixtures.User) {
	t.Credentials.Header = c.KeyHeader
	t.Credentials.Query = c.KeyQuery
	if t.Credentials.Query != "" {
		t.Credentials.Header = ""
	}
	if t.Credentials.Form().IsBasic() {
		for _, key := range []*string{&t.Credentials.Owner, &t.Credentials.Stranger} {
			for _, u := range users {
				if u.Key == *key {
					*key = fixtures.JoinBasic(u.Name, u.Key)
				}
			}
		}
	}
	if name, value, given := strings.Cut(c.Tenant, ": "); given {
		t.Headers = []fixtures.Header{{Name: name, Value: value}}
	}
}
