package model

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// A reading is a request as the contract reads it.
type reading struct {
	*World
	Request
	named []fixtures.Named // in the target file
	op    *spec.Operation  // nil if no operation has the path and the method
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
	plainPath pathForm = iota
	otherPath          // as another text that servers may take for it, or redirect to it
)

// A keyForm is how a request carries its key.
type keyForm int

const (
	plainKey     keyForm = iota
	otherScheme          // with another authentication scheme, or without one
	repeatedKeys         // several times
)

// A pathID is an id in the path of a request, and what is known of the object that it names.
type pathID struct {
	spec.ID
	Existence
	kind    string
	owner   User   // "" if it is unknown, or the object does not exist
	key     string // under which the target file names it, or ""
	holds   holding
	spelled idForm
}

// A holding is what a creative of the target file is.
type holding int

const (
	neither holding = iota
	files           // a container of media files
	aFile           // a media file
)

// An idForm is how a path spells an id.
type idForm int

const (
	plainID       idForm = iota
	otherID              // as a text in which a lax reader finds it: 012, 12.0, a UUID in other letter case
	hugeID               // as an integer beyond 31 bits
	malformedID          // as a text that is no id
	undecodableID        // with bad percent-encoding, or not in UTF-8
)

// last returns the id of the object that the path names. One without ids names what is the user's own.
func (r *reading) last() pathID {
	if len(r.ids) == 0 {
		return pathID{Existence: Exists}
	}
	return r.ids[len(r.ids)-1]
}

func (w *World) read(r Request) *reading {
	read := &reading{World: w, Request: r, named: w.Named}
	if read.named == nil {
		read.named = w.Target.Named()
	}
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
			if texts, matches := op.Match(form.path); matches && op.Method == method {
				r.op = op
				r.form = form.is
				r.ids = r.idsIn(op, texts)
				return
			}
		}
	}
}

// readUndeclared finds the update that has the path of a read which the document does not declare.
func (r *reading) readUndeclared() {
	target, _, _ := strings.Cut(r.Path, "?")
	for _, op := range r.Contract.Operations {
		if texts, matches := op.Match(target); matches && op.Updates() {
			r.op = op
			r.ids = r.idsIn(op, texts)
		}
	}
}

// fileSuffix matches the ending of a file's name.
var fileSuffix = regexp.MustCompile(`\.[a-z]+$`)

// normal returns the path that servers may read in a text: decoded, without empty segments, dots, parameters of
// segments, the ending of a file and a slash at its end, and in small letters but for what stands between.
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
		param := &op.Params[i]
		id := pathID{kind: fixtures.KindOf(param.Object), Existence: Exists}
		if id.ID, id.spelled = idOf(param, text); id.ID != "" {
			r.identify(&id)
		}
		ids = append(ids, id)
	}
	return ids
}

// lax matches a text in which a lax reader may find an integer.
var lax = regexp.MustCompile(`^[\s\x00+]*0*([1-9]\d*)(\.\w*|e\d+|[;/?#].*)?[\s\x00]*$`)

// idOf returns the id that a segment of a path stands for, "" if there is none, and how it is spelled.
func idOf(param *spec.Param, segment string) (id spec.ID, spelled idForm) {
	text, err := url.PathUnescape(segment)
	if err != nil || !utf8.ValidString(text) {
		return "", undecodableID
	}
	switch id = spec.ID(text); {
	case param.Holds(id) && isAsEncoded(text, segment):
		return id, sizeOf(id)
	case param.Holds(id):
		return id, otherID
	case param.HasTexts():
		return "", malformedID
	}
	if match := lax.FindStringSubmatch(text); match != nil {
		id = spec.ID(match[1])
		if param.Holds(id) {
			return id, otherID
		}
	}
	return "", malformedID
}

// isAsEncoded reports whether a segment of a path is as usual for a text. Other encodings may be refused.
func isAsEncoded(text, segment string) bool {
	return segment == text || segment == url.PathEscape(text)
}

// sizeOf returns whether every server can hold an id.
func sizeOf(id spec.ID) idForm {
	if n, isInteger := id.Integer(); isInteger && n > math.MaxInt32 {
		return hugeID
	}
	return plainID
}

// identify adds what is known of the object that an id names.
func (r *reading) identify(id *pathID) {
	id.Existence = Unclear
	for _, named := range r.named {
		if named.Kind == id.kind && named.ID.Is(id.ID) {
			id.Existence = Exists
			id.key = named.Bare
			id.owner = Owner
			if named.Foreign {
				id.owner = Stranger
			}
			id.holds = holdingOf(named)
			if named.ID != id.ID { // in other letter case
				id.spelled = otherID
			}
			break
		}
	}
	if r.World.Existence != nil {
		if known, isKnown := r.World.Existence(id.kind, id.ID); isKnown {
			id.Existence = known
		}
	}
}

// holdingOf returns what a creative of the target file is.
func holdingOf(named fixtures.Named) holding {
	key, _, _ := strings.Cut(strings.TrimPrefix(named.Bare, foreignKeys), "[")
	switch {
	case named.File:
		return aFile
	case fixtures.Vast(key):
		return files
	}
	return neither
}

const foreignKeys = "foreign."

// parentOf returns the id of what holds the object at a position of the path, "" if the target file does not say.
func (r *reading) parentOf(i int) spec.ID {
	key := r.ids[i].key
	parent := r.op.Params[i-1].Object
	switch {
	case key == "" || r.ids[i-1].key == "":
		return ""
	case strings.HasPrefix(key, foreignKeys):
		parent = foreignKeys + parent
	case key == spec.Other(r.op.Params[i].Object) && i > 1:
		parent = spec.Other(parent)
	}
	return r.idUnder(parent)
}

// idUnder returns the id under a key of the target file, "" if there is none.
func (r *reading) idUnder(key string) spec.ID {
	for _, named := range r.named {
		if named.Bare == key {
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
		users = append(users, user)
		is = max(is, carried)
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
	size := min(len(before), len(value))
	if strings.EqualFold(value[:size], before) {
		key := strings.TrimSpace(value[size:])
		key = strings.TrimSuffix(key, strings.TrimSpace(form.After))
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
		own := w.Target.Credentials
		users = map[string]User{own.Owner: Owner, own.Stranger: Stranger}
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
