package model

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// A reading is a request as the contract reads it.
type reading struct {
	*World
	Request
	op    *spec.Operation // nil if no operation has the path and the method
	form  pathForm
	ids   []pathID
	query url.Values
	user  User
	keys  keyForm
	body  body
}

// A pathForm is how a request spells the path of its operation.
type pathForm int

const (
	plainPath   pathForm = iota
	otherPath            // as another text that servers may take for it, or redirect to it
	otherMethod          // as it is, with a method that the document does not have there
)

// A keyForm is how a request carries its key.
type keyForm int

const (
	plainKey     keyForm = iota
	otherScheme          // with another authentication scheme, or without one
	repeatedKeys         // several times
)

// A pathID is an id in the path of a request.
type pathID struct {
	*spec.Param
	spec.ID
	Existence
	owner User   // Someone if it is unknown
	key   string // under which the target file names it, or ""
	// spelled says how the path spells it.
	spelled idForm
}

// An idForm is how a path spells an id.
type idForm int

const (
	plainID     idForm = iota
	otherID            // as a text that a lax reader takes for it: 012, 12.0
	hugeID             // as an integer beyond 31 bits
	malformedID        // as a text that is no id
)

func (w *World) read(r Request) *reading {
	read := &reading{World: w, Request: r}
	target, query, _ := strings.Cut(r.Path, "?")
	read.query, _ = url.ParseQuery(query)
	read.readPath(target)
	read.user, read.keys = w.userOf(read)
	if read.op != nil && read.op.Body != nil {
		read.body = readBody(r.Header, r.Body)
	}
	return read
}

// readPath finds the operation that a path belongs to, in the form of the document or in another one.
func (r *reading) readPath(target string) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, form := range []struct {
		path string
		is   pathForm
	}{{target, plainPath}, {normal(target), otherPath}} {
		for _, op := range r.Contract.Operations {
			texts, matches := op.Match(form.path)
			if !matches {
				continue
			}
			if op.Method != method {
				r.form = otherMethod
				continue
			}
			r.op, r.form = op, form.is
			r.ids = r.idsIn(op, texts)
			return
		}
	}
}

// fileSuffix matches the ending of a file's name.
var fileSuffix = regexp.MustCompile(`\.[a-z]+$`)

// normal returns the path that servers may read in a text: decoded, without empty segments, dots, parameters of segments,
// the ending of a file and a slash at its end, and in small letters but for what stands between.
func normal(target string) string {
	if _, rest, isWhole := strings.Cut(target, "://"); isWhole {
		target = rest[max(0, strings.Index(rest, "/")):]
	}
	if decoded, err := url.PathUnescape(target); err == nil {
		target = decoded
	}
	segments := strings.Split(path.Clean("/"+target), "/")
	for i, segment := range segments {
		segment, _, _ = strings.Cut(segment, ";")
		segments[i] = fileSuffix.ReplaceAllString(segment, "")
		if strings.Trim(segment, "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			segments[i] = strings.ToLower(segments[i])
		}
	}
	return strings.Join(segments, "/")
}

// idsIn reads the ids in a path, as it spells them.
func (r *reading) idsIn(op *spec.Operation, texts []string) (ids []pathID) {
	for i, text := range texts {
		id := pathID{Param: &op.Params[i], owner: Someone}
		id.ID, id.spelled = idOf(id.Param, text)
		if id.spelled != malformedID {
			r.identify(&id)
		}
		ids = append(ids, id)
	}
	return ids
}

// lax matches a text in which a lax reader may find an integer.
var lax = regexp.MustCompile(`^[\s\x00+]*0*([1-9]\d*)(\.\w*|e\d+|[;/?#].*)?[\s\x00]*$`)

// idOf returns the id that a segment of a path stands for, and how it is spelled.
func idOf(param *spec.Param, segment string) (id spec.ID, spelled idForm) {
	text, err := url.PathUnescape(segment)
	if err != nil {
		return "", malformedID
	}
	id = spec.ID(text)
	isPlain := text == segment || url.PathEscape(text) == segment // other encodings may be refused
	n, isInteger := id.Integer()
	match := lax.FindStringSubmatch(text)
	switch {
	case param.Holds(id) && !isPlain:
		return id, otherID
	case param.Holds(id) && (param.HasTexts() || !isInteger || n <= maxID):
		return id, plainID
	case param.Holds(id):
		return id, hugeID
	case !param.HasTexts() && match != nil && text != match[1]:
		return spec.ID(match[1]), otherID
	}
	return id, malformedID
}

// maxID is the largest id that every server can hold.
const maxID = 1<<31 - 1

// identify adds what is known of the object that an id names.
func (r *reading) identify(id *pathID) {
	kind := fixtures.KindOf(id.Object)
	for _, named := range r.Target.Named() {
		if named.Kind() != kind || !named.ID.Is(id.ID) {
			continue
		}
		id.Existence, id.key, id.owner = Exists, named.Bare(), Owner
		if named.Foreign() {
			id.owner = Stranger
		}
		break
	}
	if r.World.Existence == nil {
		return
	}
	if known, isKnown := r.World.Existence(kind, id.ID); isKnown {
		id.Existence = known
	}
	if id.Existence == Absent || id.Existence == Deleted && id.owner == Someone {
		id.owner = ""
	}
}

// parentKey returns the key under which the target file names what holds the object of an id.
func (r *reading) parentKey(i int) string {
	key, parent := r.ids[i].key, r.op.Params[i-1].Object
	switch {
	case strings.HasPrefix(key, foreignKeys):
		return foreignKeys + parent
	case key == spec.Other(r.op.Params[i].Object) && i > 1:
		return spec.Other(parent)
	}
	return parent
}

const foreignKeys = "foreign."

// named returns the id under a key of the target file, "" if there is none.
func (r *reading) named(key string) spec.ID {
	for _, named := range r.Target.Named() {
		if named.Bare() == key {
			return named.ID
		}
	}
	return ""
}

// userOf returns whose key a request has, and how it carries it.
func (w *World) userOf(r *reading) (User, keyForm) {
	form := w.Target.Credentials.Form()
	values := r.Header.Values(form.Header)
	if form.Query != "" {
		values = r.query[form.Query]
	}
	var users []User
	is := plainKey
	for _, value := range values {
		user, carried := w.userIn(form, value)
		users, is = append(users, user), max(is, carried)
	}
	switch users = slices.Compact(users); {
	case len(users) == 0:
		return Nobody, plainKey
	case len(users) > 1:
		return Someone, repeatedKeys
	case len(values) > 1 && users[0] != Nobody:
		is = repeatedKeys
	}
	return users[0], is
}

// userIn returns the user whose key the value of a header or parameter carries.
func (w *World) userIn(form fixtures.KeyForm, value string) (User, keyForm) {
	if form.IsCookie() {
		value = cookieIn(form, value)
	}
	value = strings.TrimSpace(value)
	before := strings.TrimSpace(form.Before)
	hasScheme := len(value) >= len(before) && strings.EqualFold(value[:len(before)], before)
	if hasScheme {
		key := strings.TrimSuffix(strings.TrimSpace(value[len(before):]), strings.TrimSpace(form.After))
		return w.userWith(form, key), plainKey
	}
	_, key, _ := strings.Cut(value, " ")
	if user := w.userWith(form, cmp.Or(key, value)); user != Nobody {
		return user, otherScheme
	}
	return Nobody, plainKey
}

// cookieIn returns the cookie that carries a key, "" if there is none.
func cookieIn(form fixtures.KeyForm, header string) string {
	for cookie := range strings.SplitSeq(header, ";") {
		if cookie = strings.TrimSpace(cookie); strings.HasPrefix(cookie, form.Before) {
			return cookie
		}
	}
	return form.Before
}

// userWith returns the user who has a key.
func (w *World) userWith(form fixtures.KeyForm, key string) User {
	users := w.Users
	if users == nil {
		users = map[string]User{w.Target.Credentials.Owner: Owner, w.Target.Credentials.Stranger: Stranger}
	}
	user, known := users[key]
	switch {
	case key == "":
		return Nobody
	case known:
		return user
	case w.Target.Credentials.Owner == "": // the target file says nothing of users
		return Someone
	case form.IsBasic():
		return userOfBasic(users, key)
	}
	return Nobody
}

// userOfBasic returns the user with the name and password that a text of HTTP's Basic authentication holds.
func userOfBasic(users map[string]User, key string) User {
	name, password, _ := fixtures.SplitBasic(key)
	for own, user := range users {
		if n, p, ok := fixtures.SplitBasic(own); ok && n == name && p == password {
			return user
		}
	}
	return Nobody
}
