package specs

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/spec"
	. "github.com/adconform/adconform/suites/match"
)

// wrongKeys are keys that identify no user. The keys of SQL end the string that a key is compared in, each in another
// condition, and the first one leaves what follows whole.
var wrongKeys = []Row[keyForm]{
	{"no-key", string(finding.NoKey), noKey, Options{Quick}},
	{"empty-key", "an empty key", made(""), nil},
	{"percent-key", "the key %", made("%"), nil},
	{"null-key", "the key null", made("null"), nil}, // of a user who has none
	{"unknown-key", "an unknown key", unknownKey, nil},
	{"long-key", "an unknown key of 200 characters", longKey, nil},
	{"changed-key", "the owner's key with one character changed", derived(changeMiddle), nil},
	{"longer-key", "the owner's key with x after it", within("KEYx"), nil},
	{"preceded-key", "the owner's key with x before it", within("xKEY"), nil},
	{"shorter-key", "the owner's key without its last character", derived(shorter), nil},
	{"cut-key", "the owner's key without its first character", derived(shorterBefore), nil},
	{"other-case-key", "the owner's key in other letter case", derived(inOtherCase), nil},
	{"last-third-key", "the owner's key with its last characters changed", derived(changeEnd), Options{Quick}},
	{"mixed-key", "the owner's key with the end of another user's", withStrangersEnd, Options{NeedsStranger}},
	{"foreign-end-key", "the owner's key with its last characters beyond ASCII", derived(beyondASCII), nil},
	{"first-third-key", "the owner's key with its first characters changed", derived(changeStart), nil},
	{"sql-key", "the owner's key with a quote and SQL after it", within(endOfSQL), Options{Quick}},
	{"sql-text-key", "the owner's key with a quote and a condition of SQL after it", within("KEY%' OR '1'='1"), nil},
	{"sql-group-key", "the owner's key with a parenthesis and SQL after it", within("KEY%') OR ('1'='1"), nil},
}

const endOfSQL = "KEY'-- ' OR '1'='1' OR '1' LIKE '%"

// wrongKey returns the key of a row, in the form that the target's keys have; false if it is the owner's.
func wrongKey(c Case, row Row[keyForm]) (key wire.Credential, isWrong bool) {
	form, owner := schemed(c.Run().Target.Credentials, c.Owner().Value) // which may have been renewed
	secret := secretOf(form, owner)
	key = row.Sends(c, secret)
	if behind, isLonger := strings.CutPrefix(key.Value, secret); isLonger && form.IsCookie() {
		safe := cookieSafe.Replace(behind)
		key.Value, key.Shell = secret+safe, strings.Replace(key.Shell, behind, safe, 1)
	}
	isWrong = key.Value != secret
	key.Name = cmp.Or(key.Name, strings.TrimSuffix(row.Name, "-key"))
	return whole(form, c.Run().Target.Credentials, joined(form, owner, key)), isWrong
}

// Interface document, Authentication 1: a request whose user cannot be identified is
// refused with 401.
func authentication(s *Specs, op *spec.Operation) {
	judged := Clause("AUTH-1")
	Table(s, "401", "A request with %s is answered 401.", Options{judged, s.orUnknown()}, wrongKeysOf(s), sendWrongKey)

	if op.Updates() { // arrays look for the effects of other refused requests (interface document, Errors)
		s.Case("401/changes-nothing", "A request that is refused with 401 changes nothing.",
			Options{Clause("EFFECT-1")},
			func(c Case, o *Object) {
				c.Survey(o)
				send(c, Request(c, o, As(anonymous)), BeRefused(401).Citing("AUTH-1"))
				c.VerifyNoTraceOf(o)
				if o.Refused() {
					readable(c, 0)
				}
			})
	}

	title := "A request without a key is answered 401, whatever user its headers name and whatever object it is for."
	s.Case("401/user-headers", title, Options{judged, Quick}, sendUserHeaders)
}

// wrongKeysOf returns the keys that identify no user of the target, as its credentials allow.
func wrongKeysOf(s *Specs) []Row[keyForm] {
	rows := wrongKeys
	form, owner := schemed(s.Target.Credentials, s.Target.Credentials.Owner)
	if hasPassword(form, owner) {
		row := Row[keyForm]{emptyPassword, "the owner's name and an empty password", withoutPassword, nil}
		rows = append(slices.Clone(rows), row)
	}
	if form.InHeader("Authorization") { // elsewhere arrays send it in every form of a request
		_, words := otherCredential(form)
		rows = append(slices.Clone(rows), Row[keyForm]{otherScheme, string(words), noKey, nil})
	}
	return rows
}

func sendWrongKey(c Case, o *Object, row Row[keyForm]) {
	key, isWrong := wrongKey(c, row)
	skipUnless(c, isWrong, judge.ByTarget, "the owner's key has no other form of this kind")
	request := Request(c, o)
	if row.Name == otherScheme {
		other, _ := otherCredential(c.Run().Target.Credentials.Form())
		Header("Authorization", other)(&request)
	}
	As(key).Called(finding.Oddity(row.Words))(&request)
	request.Raw = key == anonymous
	a := c.Send(request)
	if isForeign := strings.Contains(key.Value, "\xe9"); a.Status == 400 && isForeign {
		c.Expect(a).To(BeAnswered()) // it need not reach the server
		return
	}
	c.Expect(a).To(BeRefused(identityOr(o)...))
	if a.Status == 401 {
		scheme := string(spec.NoScheme)
		if h := a.Exchange.Response.Header.Get("WWW-Authenticate"); h != "" {
			scheme, _, _ = strings.Cut(c.Target().Presentable(h), " ") // a part of a key would not be recognised
		}
		c.Observe("www-authenticate", spec.Choice(scheme))
	}
	skipUnless(c, !o.Placeholder() || a.Status == 401, judge.ByOperator,
		"the target file names no object to ask for, and an unknown id is refused before the key")
}

// sendUserHeaders sends headers that name a user, and no key.
func sendUserHeaders(c Case, o *Object) {
	for _, other := range others(c, o.Op) { // a check may depend on the object
		if !other.Deleted() {
			o = other
		}
	}
	readUnknown(c, o)
	user, request := c.Target().UserID(), Request(c, o, Header("Access-Control-Request-Method", o.Op.Method))
	if !c.Run().Target.Credentials.Form().InHeader("Authorization") {
		Header("Authorization", "Bearer x")(&request)
	}
	As(anonymous).And(finding.OtherHeaders)(&request)
	for _, name := range addressHeaders {
		Header(name, "127.0.0.1")(&request)
	}
	claiming(user, finding.UserAndMore)(&request)
	send(c, request, BeRefused(401))
	skipUnless(c, user != "", judge.ByTarget, "no answer shows the owner's userId, nor does the target file")
}

// Guards of methods often cover less than what is routed to an operation, or ask for a key only where JSON is wanted.
func guarded(s *Specs, op *spec.Operation) {
	judged := Options{Clause("AUTH-1", "HTTP-1"), s.orUnknown()}
	s.Case("401/other-forms", "Without a key a list is not shown to HEAD.", judged,
		func(c Case, o *Object) {
			request := Request(c, o, As(anonymous).And(", the method HEAD and any media type"), Header("Accept", "*/*"))
			request.Method, request.Target = http.MethodHead, op.At(judge.Segments(o.Path())...)
			if a := c.Send(request); a.OK {
				c.Expect(a).To(BeRefused().Citing("AUTH-1"))
			} else {
				c.Judge(a, oracle.Expect{OnlyCrash: true, Unlisted: true, Statuses: []int{http.StatusNotImplemented}})
			}
		})
}

// readUnknown reads an object whose values the target file does not give, so that it can be restored if a request that
// has to be refused changes it.
func readUnknown(c Case, o *Object) {
	if o.Op.Updates() && !o.Placeholder() {
		if _, unknown := o.Before(); len(unknown) > 0 {
			c.Read(o)
		}
	}
}

// identityOr returns the refusals of a request without a user: a path that names nothing is a
// second error, and the server may report either.
func identityOr(o *Object) []int {
	switch {
	case !o.Placeholder():
		return []int{401}
	case o.Op.Open["missing"] != "": // the document does not say how that is refused
		return []int{401, 403, 404, 422}
	}
	return []int{401, 404}
}

// userHeaders are headers in which proxies name the user to the server behind them, and addressHeaders those in
// which they name the client's address: a server may let its own machine in without a key. Without the proxy,
// anybody can write them.
var userHeaders = []string{
	"X-User-Id", "X-User", "X-Userid", "User-Id", "X-Forwarded-User", "X-Forwarded-User-Id", "X-Remote-User",
	"Remote-User", "X-Authenticated-User", "X-Authenticated-User-Id", "X-Authenticated-Userid", "X-Auth-User",
	"X-Auth-User-Id", "X-Auth-Request-User", "X-Consumer-Custom-Id", "X-Webauth-User", "X-Account-Id", "X-Current-User",
}

var addressHeaders = []string{"X-Forwarded-For", "X-Real-Ip"}

// claiming names a user in headers, if one is known, and says so of the key.
func claiming(user string, also finding.Oddity) Change {
	return func(call *Call) {
		if user == "" {
			return
		}
		for _, name := range userHeaders {
			Header(name, user)(call)
		}
		As(call.As).And(also)(call)
	}
}

// keyForm makes a key that identifies no user. Many are derived from the owner's, to detect a server
// that compares only a part of it, or ignores case. It is the owner's key if the form makes no sense
// for that key.
type keyForm func(c Case, owner string) wire.Credential

// ofKeys describes what is sent instead of the owner's key, by the name of the credential.
var ofKeys = map[string]finding.Oddity{
	anonymous.Name: finding.NoKey, "unknown": "an unknown key", judge.StrangerName: finding.StrangersKey,
}

var anonymous = wire.Credential{Name: "none"}

func noKey(Case, string) wire.Credential { return anonymous }

func public(name, key string) wire.Credential {
	return wire.Credential{Name: name, Value: key, Send: true, Public: key != ""}
}

func made(key string) keyForm {
	return func(Case, string) wire.Credential { return public("", key) }
}

func longKey(c Case, _ string) wire.Credential { return public("", c.Fake().Key(200)) }

func unknownKey(c Case, owner string) wire.Credential {
	if form, text := schemed(c.Run().Target.Credentials, c.Owner().Value); form.IsBasic() {
		return otherUser(c.Fake().Key(16), text)
	}
	return public("unknown", c.Fake().Key(max(16, len(owner))))
}

// derived returns a key derived from the owner's, with the shell expression that derives it, in double quotes.
func derived(change func(owner string) (key, shell string)) keyForm {
	return func(_ Case, owner string) wire.Credential {
		key, shell := change(owner)
		return wire.Credential{Value: key, Shell: shell, Send: true}
	}
}

// within puts the owner's key in place of KEY into a text.
func within(text string) keyForm {
	return derived(func(owner string) (key, shell string) {
		holding := func(key string) string { return strings.Replace(text, "KEY", key, 1) }
		return holding(owner), holding("${" + fixtures.OwnerVariable + "}")
	})
}

func shorter(owner string) (key, shell string) {
	return owner[:max(1, len(owner)-1)], "${" + fixtures.OwnerVariable + "%?}"
}

func shorterBefore(owner string) (key, shell string) {
	return owner[min(1, len(owner)-1):], "${" + fixtures.OwnerVariable + "#?}"
}

// withStrangersEnd joins two valid keys: a server may look up the user by the beginning of a key, and take every secret
// that it knows for the rest.
func withStrangersEnd(c Case, owner string) wire.Credential {
	const separators = ".:_-~/"
	stranger := secretOf(schemed(c.Run().Target.Credentials, c.Stranger().Value))
	at, from := strings.LastIndexAny(owner, separators), strings.LastIndexAny(stranger, separators)
	if at < 0 || from < 0 {
		at, from = len(owner)-min(3, len(owner)/3), max(0, len(stranger)-3)
	}
	if key := owner[:at] + stranger[from:]; stranger != "" && at > 0 && key != owner && key != stranger {
		return wire.Credential{Value: key, Send: true}
	}
	return derived(changeEnd)(c, owner)
}

// beyondASCII changes the last characters into bytes that are neither ASCII nor UTF-8, which some comparisons do not
// take.
func beyondASCII(owner string) (key, shell string) {
	n := len(owner) - min(3, len(owner)/3)
	return owner[:n] + strings.Repeat("\xe9", len(owner)-n), ""
}

// caseless matches keys whose letter case has no meaning: hexadecimal numbers and UUIDs.
var caseless = regexp.MustCompile(`^[0-9a-fA-F-]+$`)

func inOtherCase(owner string) (key, shell string) {
	if caseless.MatchString(owner) {
		return owner, ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, owner), `$(printf %s "$` + fixtures.OwnerVariable + `" | tr A-Za-z a-zA-Z)`
}

// changed changes letters or digits of the owner's key into others of their kind: at most so many, and a third of a
// short key, the first that it finds at the positions that at returns for 0, 1, … and the length of the key.
func changed(most int, at func(i, length int) int) func(owner string) (key, shell string) {
	return func(owner string) (string, string) {
		b, script := []byte(owner), ""
		for i, left := 0, min(most, max(1, len(b)/3)); i < len(b) && left > 0; i++ {
			at := at(i, len(b))
			if c := another(b[at]); c != b[at] {
				b[at], left = c, left-1
				script += fmt.Sprintf("s/./%c/%d;", c, at+1)
			}
		}
		return string(b), `$(printf %s "$` + fixtures.OwnerVariable + `" | sed '` + script + `')`
	}
}

// A change in the middle detects servers that compare only a part of a key, and others servers that look up a key by
// a part of it and compare no more. There one character would not do: the last one of base64 may have bits without a
// meaning.
var (
	changeMiddle = changed(1, func(i, length int) int { return (length/2 + i) % length })
	changeStart  = changed(3, func(i, _ int) int { return i })
	changeEnd    = changed(3, func(i, length int) int { return length - 1 - i })
)

// another returns another letter or digit of the same kind, hexadecimal if the first is;
// other characters stay.
func another(c byte) byte {
	switch {
	case strings.IndexByte("fzFZ9", c) >= 0:
		return c - 1
	case c >= 'a' && c < 'z', c >= 'A' && c < 'Z', c >= '0' && c < '9':
		return c + 1
	}
	return c
}

// Interface document, Authentication 2: a user without permission for the object gets
// 403. Every user has an own list that no id names; deletes are in deletesOfStrangers.
func permission(s *Specs, op *spec.Operation) {
	if len(op.Params) == 0 {
		return
	}
	judged := Clause("AUTH-2")

	s.Case("403/stranger", "A user without permission for the object gets 403.",
		Options{NeedsStranger, judged, Quick}, refusedToStranger)

	if op.Updates() {
		s.Case("403/empty-object", "A user without permission gets 403 for an update that sets nothing.",
			Options{NeedsStranger, judged},
			func(c Case, o *Object) {
				empty := Request(c, o, As(c.Stranger()), Fields(map[string]any{}))
				send(c, empty, BeRefused(403).Or(422, 400).Citing("AUTH-2"))
			})
	}

	s.Case("403/stranger-elsewhere", "A user without permission also gets 403 for every other object of the owner.",
		Options{NeedsStranger, judged},
		func(c Case, _ *Object) {
			for _, o := range others(c, op) {
				readUnknown(c, o)
				refusedToStranger(c, o)
			}
			// A check may consider only the path. A target that does not know the parameter may refuse it for every
			// user.
			page := c.Target().PageParameter(op)
			if o := c.Object(op, largest(op)); op.Lists() && o != nil && page != "" {
				refusedTo := func(who wire.Credential, status int, clause string) {
					to := BeRefused(status).Or(unknownPage...).Citing(clause)
					send(c, Request(c, o, As(who), Query(page, "2")), to)
				}
				refusedTo(c.Stranger(), 403, "AUTH-2")
				refusedTo(anonymous, 401, "AUTH-1")
			}
		})

	s.Case("403/owner-on-foreign", "The owner gets 403 for an object of another user.",
		Options{needsForeign(op), judged, Quick},
		func(c Case, _ *Object) {
			o := strangers(c, op)
			if op.Updates() && !o.Known() {
				c.Read(o) // what it holds now, to judge the effect and to restore it
			}
			send(c, Request(c, o, As(c.Owner())), BeRefused(403))
			c.VerifyNoTraceOf(o)
		})
}

// Interface document, Authentication 2, for deletes: tried while all disposables exist. Objects that
// a request deleted although it should have been refused are left out.
func deletesOfStrangers(s *Specs, op *spec.Operation) {
	s.Case("403/strangers", "A user without permission gets 403 for every disposable "+thing(op)+".",
		Options{NeedsStranger, Clause("AUTH-2"), Quick},
		func(c Case, first *Object) {
			own := len(each(c.Run().Target, op.Key()))
			all := named(c, op, keysOf(c.Run().Target, op)...) // all are known to exist before anything is deleted
			container := slices.IndexFunc(all, func(o *Object) bool {
				of := judge.ContainerOf(c.Run().Target, o.Key)
				return of != nil && of.MediaFileIDs != nil
			})
			if container >= 0 { // deleteMediaFile reads its list before and after
				all = slices.Delete(all, container, container+1)
			}
			for _, o := range slices.Insert(all, own, first) { // again: the first refusal must not grant access
				if !o.Deleted() {
					refusedToStranger(c, o)
				}
			}
		})
}

func refusedToStranger(c Case, o *Object) { refusedTo(c, o, As(c.Stranger())) }

func refusedTo(c Case, o *Object, stranger ...Change) {
	send(c, Request(c, o, stranger...), BeRefused(403).Citing("AUTH-2"))
}
