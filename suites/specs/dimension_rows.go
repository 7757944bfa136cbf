package specs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/finding"
	"github.com/adconform/adconform/internal/judge"
	"github.com/adconform/adconform/internal/oracle"
	"github.com/adconform/adconform/internal/wire"
	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
)

// openRow returns a row that a target may refuse alone.
func openRow(name, words, parts string, change shape) *row {
	return &row{name: name, words: words, is: open, parts: parts, change: change}
}

// faultRow returns a row that has to be refused.
func faultRow(kind, name, words, parts string, change shape) *row {
	return &row{name: name, words: words, is: fault, kind: kind, parts: parts, change: change}
}

// Users. Further keys are in authentication.go.
var (
	nobody   = faultRow("key", "no-key", string(finding.NoKey), "key", always(As(anonymous)))
	stranger = faultRow("key", "stranger", string(finding.StrangersKey), "", func(c Case, r *Call) {
		As(c.Stranger())(r)
	})
)

// wrongUsers returns keys that identify no user, whatever the owner's is like, and the stranger's.
func wrongUsers(s *Specs, op *spec.Operation) []*row {
	rows := []*row{nobody}
	for _, k := range wrongKeys {
		if slices.Contains([]string{"empty-key", "unknown-key", "shorter-key"}, k.Name) {
			rows = append(rows, faultRow("key", k.Name, k.Words, "key", func(c Case, r *Call) {
				key, _ := wrongKey(c, k)
				As(key).Called(finding.Oddity(k.Words))(r)
			}))
		}
	}
	if judge.Has(s.Target, judge.NeedStranger) && len(op.Params) > 0 {
		rows = append(rows, stranger)
	}
	return rows
}

// wrongObjects returns paths that name nothing, at each position.
func wrongObjects(s *Specs, op *spec.Operation) (rows []*row) {
	wrong := func(kind, name, words string, change shape) {
		rows = append(rows, faultRow(kind, name, words, "", change))
	}
	last := len(op.Params) - 1
	for i, param := range op.Params {
		kind := "no parent"
		if i == last {
			kind = "unknown"
		}
		wrong(kind, "unknown-"+noun(param), "an unknown "+param.Name, func(c Case, r *Call) {
			Unknown(c, i, 11)(r)
			if i == last {
				r.Object = nil // the path names no object of ours
			}
		})
		if last > 0 && judge.Has(s.Target, judge.OwnKey(spec.Other(param.Object))) {
			wrong("other parent", "wrong-"+noun(param), "the "+param.Name+" of another parent", func(c Case, r *Call) {
				mixed(c, spec.Other, otherParent, i)(r)
			})
		}
	}
	for i, param := range op.Params {
		if param.HasTexts() { // which forms of a text name nothing depends on the target's ids
			continue
		}
		for _, form := range idForms[:4] {
			wrong("malformed", form[0]+"-"+noun(param), param.Name+" like "+strings.Replace(form[1], "ID", "12", 1),
				func(_ Case, r *Call) {
					At(i, strings.Replace(form[1], "ID", idsOf(r)[i], 1)).Called(malformed)(r)
					if !op.Deletes() {
						r.Object = nil
					}
				})
			rows[len(rows)-1].parts = "path"
		}
	}
	return rows
}

// fieldRows returns updates with none of the fields, and with one of several.
func fieldRows(op *spec.Operation) (rows []*row) {
	if op.Replaces() {
		return nil
	}
	names := fieldNames(op.Body.Fields)
	some := func(name, words, parts string, kept ...string) {
		isLeft := func(name string) bool { return !slices.Contains(kept, name) }
		for _, f := range names {
			if isLeft(f) {
				parts += " field:" + f
			}
		}
		rows = append(rows, openRow(name, words, parts, func(_ Case, r *Call) {
			fields := maps.Clone(r.Body.Fields)
			maps.DeleteFunc(fields, func(name string, _ any) bool { return isLeft(name) })
			Fields(fields)(r)
			r.Part = r.Succeeds
		}))
	}
	some("no-field", "none of the fields", "body")
	if len(names) > 1 {
		for _, name := range names {
			some("only-"+wording.Slug(name), "the "+name+" alone", "", name)
		}
	}
	return rows
}

// textRow is a text that a field may hold, in which § stands for a number and TOKEN for a token of the run. A token
// may begin with a digit, so none is the first word: a target may want a letter there.
type textRow struct{ name, words, text string }

// in returns the text with a number and a token of a case.
func (t textRow) in(c Case) string { return withToken(numbered(c, t.text), unique(c)) }

// manyLetters has what the spellings of JSON differ about.
var manyLetters = textRow{"many", string(finding.ManyLetters), `aé日’😀'"\/&TOKEN`}

// Texts that people give to things, and that mean something to a program.
var nameShapes = []textRow{
	{"formula", "a formula of a spreadsheet", "=1+§"},
	{"zeros", "digits behind zeros", "000000§"},
	{"exponent", "a number with an exponent", "1e§"},
	{"yaml-no", "the text no", "no"},
	{"word-true", "the text true", "true"},
	{"yaml-null", "a tilde", "~"},
	{"constructor", "the text constructor", "constructor"},
	{"proto", "the text __proto__", "__proto__"},
	{"none", "the text None", "None"},
	{"null-word", "the text null", "null"},
	{"sql", string(finding.EndsSQL), "a TOKEN'); DROP TABLE x; --"},
	{"wildcards", "wildcards of SQL", "100%_TOKEN_%"},
	{"markdown", "Markdown", "**TOKEN** [a](b) `c`"},
	{"template", "a template", "{{7*§}} ${TOKEN} $1"},
	{"format", "a format string", "%s %d %n TOKEN"},
	{"shell", "a command of a shell", "$(TOKEN) && x | y"},
	{"markup", "markup with an entity", "<i>TOKEN</i> &amp; &#39;"},
	{"encoded", "percent-encoding", "a-TOKEN%20a+b%2F"},
	{"date", "a date", "2024-02-29"},
	{"json-text", "JSON in a text", `{"TOKEN":[1,null,"a: b"]}`},
	{"emoji", "an emoji of several characters", "a TOKEN 👩‍💻🇨🇭"},
	{"right-to-left", "a text that is read from right to left", "שלום TOKEN"},
	{"eszett", "a text that other letter case lengthens", "Straße TOKEN"},
	{"escape-like", "a path of Windows with an escape of JSON", `C:\new\TOKEN \u0041 \"`},
	manyLetters,
	{"near-match", "a long text of one letter", "aTOKEN" + strings.Repeat("a", 29) + "!"},
}

var hostShapes = []textRow{
	{"upper", "a hostname in capitals", "CDN-TOKEN.EXAMPLE.COM"},
	{"dot", "a hostname with a dot behind it", "cdn-TOKEN.example.com."},
	{"labels", "a hostname of many labels", "a.b.c.d.e.TOKEN.example.com"},
	{"digits", "a hostname that begins with digits", "§.example.com"},
	{"one-letter", "a hostname of labels of one letter", "x.TOKEN.y.example"},
	{"two-domains", "a hostname under two domains of a country", "www.TOKEN.co.uk"},
	{"hyphens", "a hostname with hyphens in a row", "a--TOKEN.example.com"},
	{"punycode", "a hostname in Punycode", "xn--bcher-kva.TOKEN.example"},
	{"wildcard", "a hostname with a wildcard", "*.TOKEN.example.com"},
	{"underscore", "a hostname with an underscore", "_dmarc.TOKEN.example.com"},
	{"port", "a hostname with a port", "cdn-TOKEN.example.com:8080"},
	{"address", "an address of IP version 4", "192.0.2.33"},
	{"address-6", "an address of IP version 6", "2001:db8::25"},
	{"localhost", "a hostname of one label", "host-TOKEN"},
	{"beyond-ascii", "a hostname beyond ASCII", "bücher-TOKEN.example"},
	{
		"near-match", "a hostname that almost ends",
		strings.Repeat("a-", 20) + "TOKEN." + strings.Repeat("b.", 12) + "example",
	},
}

var expressionShapes = []textRow{
	{"end", "an expression with an end", "^/px/TOKEN$"},
	{"choice", "an expression with a choice", "(ad|px)/TOKEN"},
	{"class", "an expression with a class", "[a-z0-9_-]+/TOKEN"},
	{"negated", "an expression with a negated class", "[^/?]+/TOKEN"},
	{"count", "an expression with a count", "ad/TOKEN[0-9]{2,4}"},
	{"classes", "an expression with named classes", `\d+\w*\sTOKEN\b`},
	{"dot", "an expression with an escaped dot", `ad/TOKEN\.js\?v=1`},
	{"slash", "an expression with an escaped slash", `\/TOKEN\/a`},
	{"any", "an expression that begins with anything", ".*TOKEN.*"},
	{"lazy", "a lazy expression", "a+?TOKEN.*?z"},
	{"group", "an expression with a group without capture", "(?:a|b)TOKEN"},
	{"flag", "an expression with a flag", "(?i)TOKEN"},
	{"look", "an expression that looks ahead", "(?=a)TOKEN"},
	{"back", "an expression with a reference", `(TOKEN)\1`},
	{"unicode", "an expression with a class of Unicode", `\p{L}+TOKEN`},
	manyLetters,
	{"delimited", "an expression between slashes", "/TOKEN/gi"},
	{"near-match", "an expression that may take long", "(a?){12}a{12}TOKEN"},
}

// valueRows returns values of a field. A listed value is plain.
func valueRows(op *spec.Operation, f *spec.Field) (rows []*row) {
	part, named := "field:"+f.Name, wording.Slug(f.Name)
	for i, listed := range f.Enum {
		name := named + "-" + wording.Slug(listed)
		if slices.ContainsFunc(rows, func(r *row) bool { return r.name == name }) {
			name += fmt.Sprint("-", i+1) // values that differ only in what a name cannot hold, such as letter case
		}
		rows = append(rows, &row{
			name: name, words: f.Name + " " + listed, parts: part,
			change: always(Set(f.Name, listed)),
		})
	}
	if f.Optional {
		rows = append(rows, openRow(named+"-null", "null for the "+f.Name, part, always(Set(f.Name, nil))))
	}
	texts := nameShapes
	switch {
	case !isFreeText(f), f.Schema.Format != "", f.Schema.Pattern != "":
		return rows
	case f.Hostname:
		texts = hostShapes
	case f.Regex:
		texts = expressionShapes
	}
	for _, t := range texts {
		if longest := strings.NewReplacer("§", "1234567", "TOKEN", "abcdefghij").Replace(t.text); f.Fits(longest) {
			r := openRow(named+"-"+t.name, t.words+" for the "+f.Name, part, func(c Case, r *Call) {
				Set(f.Name, t.in(c)).Called(finding.Oddity(t.words))(r)
			})
			if r.how = texted; longest == t.text {
				r.how |= fixed
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// wrongValueRows returns values that a field may not have.
func wrongValueRows(op *spec.Operation, f *spec.Field) (rows []*row) {
	for _, w := range wrongValues(op, f) {
		if w.acceptance == "" {
			rows = append(rows, faultRow("value", wording.Slug(f.Name)+"-is-"+w.name, f.Name+" as "+w.title,
				"field:"+f.Name+" body reading", always(wrong(f, w))))
		}
	}
	return rows
}

// wrongBodyRows returns bodies that are no object.
func wrongBodyRows(op *spec.Operation) (rows []*row) {
	parts := "body body-text reading field:" + strings.Join(fieldNames(op.Body.Fields), " field:")
	for _, b := range wrongBodies(op) {
		rows = append(rows, faultRow("body", b.Name, "a body "+b.Words, parts, always(b.Sends)))
	}
	return rows
}

// memberRows returns members that the document does not know, or that no update can change.
func memberRows(op *spec.Operation) []*row {
	member := func(name, words, text string) *row {
		return openRow(name, words, "body", always(oddMember(text)))
	}
	return []*row{
		member("unknown-member", "a member that the document does not know", `"adconformUnknown":1`),
		member("proto-member", "the member __proto__", `"__proto__":{"name":"adconform"}`),
		member("constructor-member", "the member constructor", `"constructor":{"prototype":{"a":1}}`),
		member("empty-member", "a member without a name", `"":0`),
		member("operator-member", "a member with a dollar sign", `"$set":{"name":"adconform"}`),
		member("dotted-member", "a member with a dot", `"a.b[0]":1`),
		member("nested-member", "a member that holds a whole object", `"data":{"id":1,"name":"adconform"}`),
		openRow("user-member", "a member that names a user", "body", func(c Case, r *Call) {
			oddMember(`"userId":` + userIn(c))(r)
		}),
		openRow("id-member", "the id of another object as a member", "body", func(c Case, r *Call) {
			last := len(op.Params) - 1
			other := c.Target().UnknownID(op, last, 5)
			if named := c.Object(op, spec.Other(op.Key())); named != nil && named != r.Object {
				other = named.ID()
			}
			text := string(other)
			if op.Params[last].HasTexts() {
				text = string(oracle.JSON(text))
			}
			oddMember(`"id":` + text)(r)
		}),
	}
}

// userIn returns the id of the owner, or of nobody if it is not known.
func userIn(c Case) string { return cmp.Or(c.Target().UserID(), fmt.Sprint(unknownNumber)) }

// spellingRows returns other spellings of the same JSON (RFC 8259, 1, 2, 4 and 7).
func spellingRows() []*row {
	spelled := func(name, words string, of func(body string) string) *row {
		return &row{name: name, words: words, parts: "body-text", how: updating, change: func(_ Case, r *Call) {
			r.Body.Raw = []byte(of(string(r.Body.Raw)))
		}}
	}
	return []*row{
		spelled("reversed", "members in another order", func(body string) string {
			all := membersOf(body)
			slices.Reverse(all)
			return objectOf(all, "%s:%s", ",")
		}),
		spelled("spaced", "white space between the parts of the JSON", func(body string) string {
			return "\n " + objectOf(membersOf(body), "\t%s\n :  %s", " ,\r\n") + "\n "
		}),
		spelled("escaped", "each character of the JSON escaped", respelled(`\u%04x`, 0)),
		spelled("escaped-capitals", "escapes of the JSON in capitals", respelled(`\u%04X`, 'g')),
		spelled("escaped-beyond-ascii", "characters beyond ASCII escaped", respelled(`\u%04x`, 0x7f)),
		spelled("escaped-slashes", "slashes with backslashes before them",
			func(body string) string { return strings.ReplaceAll(body, "/", `\/`) }),
	}
}

// A member is a member of an object, as it is written.
type member struct{ name, value json.RawMessage }

// membersOf returns the members of an object.
func membersOf(body string) (all []member) {
	dec := json.NewDecoder(strings.NewReader(body))
	_, _ = dec.Token()
	for dec.More() {
		var m member
		name, _ := dec.Token()
		if err := dec.Decode(&m.value); err != nil {
			panic(fmt.Sprintf("only an object of the table is spelled otherwise: %v", err))
		}
		m.name = oracle.JSON(name)
		all = append(all, m)
	}
	return all
}

// objectOf writes an object, each member in a format.
func objectOf(all []member, format, between string) string {
	var written []string
	for _, m := range all {
		written = append(written, fmt.Sprintf(format, m.name, m.value))
	}
	return "{" + strings.Join(written, between) + "}"
}

// respelled returns a function that escapes the characters above one in the names and the text values of an object.
func respelled(format string, above rune) func(body string) string {
	return func(body string) string {
		all := membersOf(body)
		for i, m := range all {
			all[i] = member{escaped(m.name, format, above), escaped(m.value, format, above)}
		}
		return objectOf(all, "%s:%s", ",")
	}
}

// escaped escapes the characters of a text above one; other values stay.
func escaped(value json.RawMessage, format string, above rune) json.RawMessage {
	var text string
	if !bytes.HasPrefix(value, []byte(`"`)) || json.Unmarshal(value, &text) != nil {
		return value
	}
	all := []byte{'"'}
	for _, c := range text {
		if c <= above {
			quoted := oracle.JSON(string(c))
			all = append(all, quoted[1:len(quoted)-1]...)
			continue
		}
		for _, unit := range utf16.Encode([]rune{c}) {
			all = fmt.Appendf(all, format, unit)
		}
	}
	return append(all, '"')
}

// pathOf returns the path of a request as far as it is made.
func pathOf(r *Call) string {
	if r.Target != "" {
		return r.Target
	}
	return r.Op.At(judge.Segments(idsOf(r))...)
}

// idsOf returns the ids in the path of a request.
func idsOf(r *Call) []string {
	if r.Path != nil {
		return r.Path
	}
	return r.Object.Path()
}

// onPath returns the shape that changes the path.
func onPath(of func(path string) string) shape {
	return func(_ Case, r *Call) { r.Target = of(pathOf(r)) }
}

// encoded percent-encodes the character of a path at a place.
func encoded(path string, at int) string {
	return fmt.Sprintf("%s%%%02x%s", path[:at], path[at], path[at+1:])
}

// pathRows are other forms of the path. A server may redirect, refuse or serve them.
var pathRows = func() (rows []*row) {
	for _, p := range []struct {
		name, words string
		of          func(path string) string
	}{
		{"slash-behind", "a slash behind the path", func(path string) string { return path + "/" }},
		{"two-slashes", "two slashes before the path", func(path string) string { return "/" + path }},
		{"slash-inside", "two slashes in the path", func(path string) string {
			at := strings.LastIndexByte(path, '/')
			return path[:at] + "/" + path[at:]
		}},
		{"encoded-letter", "a path with an encoded letter", func(path string) string { return encoded(path, 1) }},
		{"encoded-last", "a path whose last character is encoded", func(path string) string {
			return encoded(path, len(path)-1)
		}},
		{"capital", "a path with a capital", func(path string) string {
			return "/" + strings.ToUpper(path[1:2]) + path[2:]
		}},
		{"dot", "a dot in the path", func(path string) string { return "/." + path }},
		{"matrix", "a parameter behind a semicolon in the path", func(path string) string { return path + ";v=1" }},
		{"suffix", "the suffix .json behind the path", func(path string) string { return path + ".json" }},
		{"space-behind", "an encoded space behind the path", func(path string) string { return path + "%20" }},
		{"question-mark", "a path with a question mark behind it", func(path string) string { return path + "?" }},
	} {
		parts := "path"
		if p.name == "question-mark" {
			parts = "path query"
		}
		r := openRow(p.name, p.words, parts, onPath(p.of))
		r.how = strays
		rows = append(rows, r)
	}
	return rows
}()

// queryRows returns queries that the document does not know, and pages by number.
func queryRows(s *Specs, op *spec.Operation) []*row {
	made := func(name, words string, text func(c Case) string) *row {
		return openRow(name, words, "query", func(c Case, r *Call) { r.Target = pathOf(r) + "?" + text(c) })
	}
	query := func(name, words, text string) *row {
		return made(name, words, func(Case) string { return text })
	}
	rows := []*row{
		query("noise", "an unknown parameter", "adconform=1"),
		query("noise-beyond-ascii", "an unknown parameter beyond ASCII", "%C3%A9=%F0%9F%98%80"),
		query("noise-campaign", "the parameters of a newsletter", "utm_source=a&utm_medium=b&gclid=c"),
		query("method-query", "a method in the query", "_method=GET"),
		query("admin-query", "parameters that ask for more rights", "admin=true&debug=1&role=admin&sudo=1"),
		made("user-query", "a user in the query", func(c Case) string { return "userId=" + userIn(c) }),
		query("empty-query", "a query of separators", "&&="),
		query("key-query", "a key in the query", "api_key=adconform&token=adconform&access_token=adconform"),
	}
	if len(op.Params) > 0 {
		last := len(op.Params) - 1
		rows = append(rows, made("id-query", "another id in the query", func(c Case) string {
			id := c.Target().UnknownID(op, last, 6)
			return fmt.Sprintf("id=%s&%s=%s", id, op.Params[last].Name, id)
		}))
	}
	if op.Lists() {
		rows = append(rows, query("page-size", "a size of pages", "per_page=7&limit=7&pageSize=7"))
	}
	if op.Lists() && !(op.Page == "" && isPinnedAway(s, spec.PageParameter)) {
		rows = append(rows, openRow("page-1", "page 1 by its number", "query page", func(c Case, r *Call) {
			r.Page, r.Target = 1, pathOf(r)+"?"+c.Target().PageParameter(op)+"=1"
		}))
	}
	return rows
}

// isPinnedAway reports whether the target file says that the target has no such thing.
func isPinnedAway(s *Specs, point string) bool {
	pin, pinned := s.Target.Open[point]
	return pinned && (pin == nil || pin == "")
}

// keyRows returns other spellings of the header that carries the key (RFC 9110, 5.1 and 5.5).
func keyRows(s *Specs) []*row {
	name := s.Target.Credentials.Form().Header
	if name == "" {
		return nil
	}
	spelled := func(id, words, to string) *row {
		return &row{name: id, words: words, parts: "key", change: edited("\r\n"+name+": ", "\r\n"+to)}
	}
	return []*row{
		spelled("key-small", "the name of the key's header in small letters", strings.ToLower(name)+": "),
		spelled("key-capitals", "the name of the key's header in capitals", strings.ToUpper(name)+": "),
		spelled("key-close", "no space before the key", name+":"),
		spelled("key-spaced", "white space before the key", name+": \t  "),
	}
}

// edited returns the shape that replaces texts in the message; a new text may not be changed again.
func edited(oldNew ...string) shape {
	return func(_ Case, r *Call) {
		odd := wire.Odd{}
		if r.Wire != nil {
			odd = *r.Wire
		}
		odd.Edits = slices.Concat(odd.Edits, oldNew)
		r.Wire = &odd
	}
}

// lines returns the shape that sets headers, each given as name and value in turn. An empty value leaves the header
// out.
func lines(nameValue ...string) shape {
	return func(_ Case, r *Call) {
		for pair := range slices.Chunk(nameValue, 2) {
			Header(pair[0], pair[1])(r)
			if pair[1] == "" {
				r.Header[http.CanonicalHeaderKey(pair[0])] = nil
			}
		}
	}
}

func media(name, words, value string) *row {
	return &row{name: name, words: words, parts: "media", how: updating, change: lines("Content-Type", value)}
}

// otherMedia is a media type that the document does not name: whether and how the body is read is open.
func otherMedia(name, value string) *row {
	r := media(name, "the media type "+value, value)
	r.is, r.parts = open, "media reading"
	r.change = func(c Case, call *Call) { lines("Content-Type", value)(c, call); Loose(call) }
	return r
}

// mediaRows are media types of a body. A charset has no effect on JSON (RFC 8259, 11), and neither has letter case
// (RFC 9110, 8.3.1).
var mediaRows = []*row{
	media("utf-8", "the charset UTF-8", "application/json; charset=utf-8"),
	media("utf-8-quoted", "a quoted charset", `application/json;charset="UTF-8"`),
	media("media-capitals", "a media type in capitals", "Application/JSON"),
	otherMedia("merge-patch", "application/merge-patch+json"),
	otherMedia("vendor-json", "application/vnd.api+json"),
	otherMedia("text-json", "text/json"),
	otherMedia("octets", "application/octet-stream"),
	func() *row {
		r := otherMedia("no-media", "")
		r.words = "no Content-Type"
		return r
	}(),
}

func accept(name, words, value string) *row {
	return &row{name: name, words: words, parts: "accept", change: lines("Accept", value)}
}

func notJSON(name, value string) *row {
	r := accept(name, "the accepted type "+value, value)
	r.is, r.how = open, strays
	return r
}

// acceptRows are sets of accepted types as widespread clients send them (RFC 9110, 12.5.1).
var acceptRows = []*row{
	accept("accept-any", "any accepted type", "*/*"),
	accept("accept-axios", "the accepted types of a library of JavaScript", "application/json, text/plain, */*"),
	accept("accept-weighed", "accepted types with weights", "text/xml;q=0.1, application/json;q=0.9, */*;q=0.5"),
	accept("accept-application", "any accepted application type", "application/*"),
	accept("accept-charset", "an accepted type with a charset", "application/json; charset=utf-8"),
	accept("accept-none", "no accepted types", ""),
	notJSON("accept-browser", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
	notJSON("accept-html", "text/html"),
	notJSON("accept-vendor", "application/vnd.api+json"),
}

// headed is a row that sets headers, each on a line of its own.
func headed(name, words string, is claim, lines string) *row {
	var names []string
	var changes []Change
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		names, changes = append(names, name), append(changes, Header(name, value))
	}
	return &row{name: name, words: words, is: is, parts: strings.Join(names, " "), change: always(changes...)}
}

// clientHeaders are those that widespread clients and proxies send.
var clientHeaders = []*row{
	headed("agent-browser", "the headers of a browser", plain,
		`User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0
		Accept-Language: de-CH,fr;q=0.8,en;q=0.5
		Dnt: 1
		Sec-Gpc: 1
		Accept-Encoding: gzip, deflate`),
	headed("agent-curl", "the headers of curl", plain, "User-Agent: curl/8.5.0\nAccept-Encoding: deflate, gzip"),
	headed("agent-python", "the headers of a library of Python", plain,
		`User-Agent: python-requests/2.31.0
		Accept-Encoding: gzip, deflate
		Connection: keep-alive`),
	headed("ajax", "the header of scripts in a browser", plain, "X-Requested-With: XMLHttpRequest"),
	headed("preflight", "the header of a preflight", plain, "Access-Control-Request-Method: PATCH"),
	headed("trace", "the headers of tracing", plain,
		`Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
		Tracestate: a=1
		X-Request-Id: adconform-0af76519
		X-Correlation-Id: 0af76519`),
	headed("proxy", "the headers of a proxy", open,
		`Via: 1.1 adconform
		X-Forwarded-Proto: https
		X-Forwarded-Port: 443
		Forwarded: for=192.0.2.60;proto=https
		X-Forwarded-For: 192.0.2.60`),
	headed("origin", "the origin of another site", open, "Origin: https://example.com\nReferer: https://example.com/a"),
	headed("cookie", "a cookie of a session", open, "Cookie: session=adconform; user=admin"),
}

// claimHeaders claim more than a key does.
var claimHeaders = []*row{
	headed("own-address", "headers that name the server's own address", open,
		`X-Forwarded-For: 127.0.0.1
		X-Real-Ip: 127.0.0.1
		X-Client-Ip: 127.0.0.1
		True-Client-Ip: 127.0.0.1
		X-Originating-Ip: 127.0.0.1`),
	headed("other-path", "headers that name another path", open,
		"X-Original-Url: /\nX-Rewrite-Url: /\nX-Forwarded-Prefix: /"),
	headed("bearer", "a bearer token", open, "Authorization: Bearer adconform"),
	headed("basic", "HTTP's Basic authentication", open, "Authorization: Basic YWRtaW46YWRtaW4="),
	headed("override", "a method in a header", open,
		"X-Http-Method-Override: GET\nX-Http-Method: GET\nX-Method-Override: GET"),
	headed("internal", "headers of a server's own services", open,
		`X-Internal: 1
		X-Internal-Request: true
		X-Debug: 1
		X-Admin: true
		X-Api-Version: 1
		X-Test: 1`),
	openRow("user-headers", "headers that name a user", strings.Join(userHeaders, " "), func(c Case, r *Call) {
		id := cmp.Or(c.Target().UserID(), "1")
		for _, name := range userHeaders {
			Header(name, id)(r)
		}
	}),
}

// free returns the rows whose headers have no other purpose at the target.
func free(rows []*row, target *fixtures.Target) []*row {
	return slices.DeleteFunc(slices.Clone(rows), func(r *row) bool {
		return slices.ContainsFunc(strings.Fields(r.parts), func(name string) bool {
			return target.Credentials.Form().InHeader(name) || slices.ContainsFunc(target.Headers, isNamed(name))
		})
	})
}

// isNamed returns a function that reports whether a header has a name.
func isNamed(name string) func(fixtures.Header) bool {
	return func(h fixtures.Header) bool { return strings.EqualFold(h.Name, name) }
}

// transferRows are ways of sending the message.
var transferRows = []*row{
	{name: "fresh", words: "a connection of its own", parts: "transfer", change: always(Raw)},
	{
		name: "expect", words: "a body that waits for 100 Continue", is: open, parts: "transfer", how: updating,
		change: always(Raw, Header("Expect", "100-continue")),
	},
	{name: "small-letters", words: "names of headers in small letters", parts: "transfer", change: edited(
		"\r\nAccept:", "\r\naccept:", "\r\nContent-Type:", "\r\ncontent-type:", "\r\nUser-Agent:", "\r\nuser-agent:",
	)},
	openRow("http-1.0", "HTTP/1.0", "transfer", edited(" HTTP/1.1\r\n", " HTTP/1.0\r\n")),
	{
		name: "absolute", words: "the whole address in the request line", is: open, parts: "transfer path",
		change: edited(" /", " {origin}/"), how: strays,
	},
	{
		name: "chunks", words: "a body in chunks", is: open, parts: "transfer",
		change: chunked(1 << 20), how: updating,
	},
	{
		name: "small-chunks", words: "a body in chunks of seven bytes", is: open, parts: "transfer",
		change: chunked(7), how: updating,
	},
	{
		name: "large-body", words: "a body of more than 64 KiB", is: open, parts: "transfer",
		how: updating,
		change: func(_ Case, r *Call) {
			const size = 70_000
			r.Malformed = true // the server may answer before it has read it, and close the connection
			r.Body.Raw = append([]byte(strings.Repeat(" ", size)), r.Body.Raw...)
		},
	},
	{
		name: "body-of-get", words: "a body that the operation does not have", is: open,
		parts: "transfer", how: bodiless,
		change: func(_ Case, r *Call) { r.Body = &oracle.Body{Fields: map[string]any{}, Raw: []byte("{}")} },
	},
	{
		name: "media-of-get", words: "a media type without a body", parts: "transfer", how: bodiless, is: open,
		change: lines("Content-Type", "application/json"),
	},
}

// chunked sends the body in chunks of a size, in place of its length (RFC 9112, 7.1).
func chunked(size int) shape {
	return func(c Case, r *Call) {
		edited("\r\nContent-Length: "+fmt.Sprint(len(r.Body.Raw))+"\r\n", "\r\nTransfer-Encoding: chunked\r\n")(c, r)
		var all bytes.Buffer
		for chunk := range slices.Chunk(r.Body.Raw, size) {
			fmt.Fprintf(&all, "%x\r\n%s\r\n", len(chunk), chunk)
		}
		all.WriteString("0\r\n\r\n")
		// Content-Length counts the chunks until the message is written.
		r.Wire.Edits[len(r.Wire.Edits)-2] = "\r\nContent-Length: " + fmt.Sprint(all.Len()) + "\r\n"
		r.Body.Raw = all.Bytes()
	}
}
