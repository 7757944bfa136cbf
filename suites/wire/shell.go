package wire

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Part is a piece of a shell word: text to be taken as it is, or the name of a
// variable, a ${...} or a $(...) to be expanded.
type KeyPart struct{ Text, Shell string }

var (
	bareWord   = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)
	quotedWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,;&?(){}\[\] -]*$`) // harmless between double quotes
)

// Word is a text as one word of a POSIX shell, with the keys as variables.
func (k *Keys) Word(text string) string { return Join(k.Split(text)) }

// Join joins parts to one word of a POSIX shell.
func Join(parts []KeyPart) string {
	var text, double, mixed strings.Builder
	expands, harmless := false, true
	for i, p := range parts {
		if p.Shell == "" {
			text.WriteString(p.Text)
			double.WriteString(p.Text)
			mixed.WriteString(singleQuoted(p.Text))
			harmless = harmless && quotedWord.MatchString(p.Text)
			continue
		}
		expands = true
		shell := p.Shell
		if shell[0] != '$' {
			shell = "$" + shell
			if i+1 < len(parts) {
				shell = "${" + p.Shell + "}"
			}
		}
		double.WriteString(shell)
		mixed.WriteString(`"` + shell + `"`)
	}
	switch {
	case !expands && bareWord.MatchString(text.String()):
		return text.String()
	case !expands:
		return singleQuoted(text.String())
	case harmless:
		return `"` + double.String() + `"`
	}
	return mixed.String()
}

func singleQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Split finds the keys in a text. Encoded keys cannot be expanded by a shell;
// they are redacted.
func (k *Keys) Split(text string) (parts []KeyPart) {
	for text != "" {
		at, found := k.find(text)
		if at > 0 {
			parts = append(parts, KeyPart{Text: k.Text(text[:at])})
		}
		if found != "" {
			parts = append(parts, k.expression(found)...)
		}
		text = text[at+len(found):]
	}
	return parts
}

// find is the first key in a text, the longest where several begin there.
func (k *Keys) find(text string) (at int, found string) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	at = len(text)
	for value := range k.known {
		if i := strings.Index(text, value); i >= 0 && (i < at || i == at && len(value) > len(found)) {
			at, found = i, value
		}
	}
	return at, found
}

// expression says how a shell gets a key from the variables that the operator
// has. The rules are those by which cases derive wrong keys from right ones.
func (k *Keys) expression(value string) []KeyPart {
	k.mu.RLock()
	defer k.mu.RUnlock()
	as := k.known[value]
	if !as.given {
		for _, key := range slices.Sorted(maps.Keys(k.known)) {
			if k.known[key].given {
				if parts := derive(key, k.known[key].variable, value); parts != nil {
					return parts
				}
			}
		}
	}
	return []KeyPart{{Shell: as.variable}}
}

func derive(key, variable, value string) []KeyPart {
	filter := func(command string) []KeyPart {
		return []KeyPart{{Shell: fmt.Sprintf(`$(printf %%s "$%s" | %s)`, variable, command)}}
	}
	switch {
	case value == key[:len(key)-1]:
		return []KeyPart{{Shell: "${" + variable + "%?}"}}
	case strings.HasPrefix(value, key):
		return []KeyPart{{Shell: variable}, {Text: value[len(key):]}}
	case value == strings.ToUpper(key):
		return filter("tr a-z A-Z")
	case value == strings.ToLower(key):
		return filter("tr A-Z a-z")
	case value == SwapCase(key):
		return filter("tr A-Za-z a-zA-Z")
	case len(value) == len(key):
		at := -1
		for i := range len(key) {
			if key[i] != value[i] {
				if at >= 0 {
					return nil
				}
				at = i
			}
		}
		if at >= 0 && isAlphanumeric(value[at]) {
			return filter(fmt.Sprintf("sed 's/./%c/%d'", value[at], at+1))
		}
	}
	return nil
}

// SwapCase makes capitals of small letters, and the other way round.
func SwapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}

func isAlphanumeric(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}
