package fuzz

import (
	"strings"

	"github.com/adconform/adconform/suites/wire"
)

// derived sends something that the owner's key was made into.
func derived(id, words string, raw bool, of func(key, text string) string, texts ...string) *class {
	return &class{id: id, words: words, texts: texts, malformed: raw, change: func(d *draft, text string, _ int) {
		d.user = wire.Credential{Name: "owner-odd", Value: of(d.user.Value, text), Send: true, Public: true} // but for the key in it
		if raw {
			d.raw()
		}
	}}
}

// made sends a key that the suite has made up.
func made(id, words string, raw bool, texts ...string) *class {
	return &class{id: id, words: words, texts: texts, malformed: raw, change: func(d *draft, text string, _ int) {
		d.user = wire.Credential{Name: "odd", Value: "adconform" + text, Send: true, Public: true}
		if raw {
			d.raw()
		}
	}}
}

func behind(key, text string) string { return key + text }

func ahead(key, text string) string { return text + key }

func around(key, text string) string { return text + key + text }

var keyClasses = []*class{
	{id: "key/none", words: "no key", plain: true, change: func(d *draft, _ string, _ int) { d.user = wire.Credential{Name: "none"} }},
	{id: "key/stranger", words: "the key of another user", plain: true, change: func(d *draft, _ string, _ int) {
		if d.t.Target.Credentials.Stranger != "" {
			d.user = d.t.Stranger()
		}
	}},
	{id: "key/empty", words: "an empty key", plain: true, change: func(d *draft, _ string, _ int) {
		d.user = wire.Credential{Name: "empty", Send: true, Public: true}
	}},
	{
		id: "key/twice", words: "the key in several lines", sizes: []int{2, 3, 100}, most: 60,
		change: func(d *draft, _ string, n int) { d.user.Times = n },
	},
	derived("key/joined", "the key and another one", false, behind, ", adconform", ",", ";", " adconform", "\tadconform", ", "),
	derived("key/before", "something before the key", false, ahead, "Bearer ", "ApiKey ", "key=", "Basic ", ",", ":", "\ufeff", "0"),
	derived("key/quoted", "the key in quotation marks", false, around, `"`, "'", "`", "%22", "<>"),
	derived("key/blanks", "blanks beside the key", true, around, " ", "\t", "  \t ", "\u00a0", "\v"),
	derived("key/control", "control characters in the key", true, behind, "\x00", "\x01", "\x7f", "\r", "\x1b[31m", "\x0b", "\x08"),
	made("key/not-ascii", "a key that is not ASCII", false, "ключ", "é", "\xff", "\xe9", "😀", "日",
		"\u202e", "\ufeff", "\xed\xa0\x80",
		"\xc0\xaf"),
	made("key/quote", "a key with a quotation mark", false, "'", `"`, "`", `\`, "''", ";"),
	made("key/template", "a key with a template", false, "{{7*7}}", "${7*7}", "%s%n", "#{7*7}", "<%= 1 %>", "{0}"),
	made("key/percent", "a key with percent-encoding", false, "%00", "%", "%zz", "%ff", "%0d%0a"),
	made("key/structure", "a key that looks like something else", false, "{}", "[]", "=", ".a.b", ":x", "/../x", "==", "@", "*)("),
	made("key/raw-control", "a made-up key with control characters", true, "\x00", "\x01x", "\rx", "\x7f", "\x85"),
	{
		id: "key/long", words: "a very long key", malformed: true, sizes: []int{256, 5000, 9000, 70_000}, most: 20_000,
		change: func(d *draft, _ string, n int) {
			d.user = wire.Credential{Name: "long", Value: "adconform" + strings.Repeat("k", n), Send: true, Public: true}
		},
	},
}
