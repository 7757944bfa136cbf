package wire

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// part is a piece of a shell word: text to be taken as it is, or the name of a
// variable, a ${...} or a $(...) to be expanded.
type part struct{ text, shell string }

var (
	bareWord   = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)
	quotedWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,;&?(){}\[\] -]*$`) // harmless between double quotes
)

// shellWord joins parts to one word of a POSIX shell.
func shellWord(parts []part) string {
	var text, double, mixed strings.Builder
	expands, harmless := false, true
	for i, p := range parts {
		if p.shell == "" {
			text.WriteString(p.text)
			double.WriteString(p.text)
			mixed.WriteString(singleQuoted(p.text))
			harmless = harmless && quotedWord.MatchString(p.text)
			continue
		}
		expands = true
		shell := p.shell
		if shell[0] != '$' {
			shell = "$" + shell
			if i+1 < len(parts) {
				shell = "${" + p.shell + "}"
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

// split finds the keys in a text. Encoded keys cannot be expanded by a shell;
// they are redacted.
func (s *secrets) split(text string) []part {
	if s == nil {
		return []part{{text: text}}
	}
	var parts []part
	for text != "" {
		at, found := len(text), ""
		s.mu.RLock()
		for value := range s.known {
			if i := strings.Index(text, value); i >= 0 && (i < at || i == at && len(value) > len(found)) {
				at, found = i, value
			}
		}
		s.mu.RUnlock()
		if at > 0 {
			parts = append(parts, part{text: s.redact(text[:at])})
		}
		if found != "" {
			parts = append(parts, s.expression(found)...)
		}
		text = text[at+len(found):]
	}
	return parts
}

// key gives the parts of a key header's value.
func (s *secrets) key(k Credential) []part {
	switch {
	case s == nil && !k.Public:
		return []part{{shell: variable(k.Name)}}
	case s == nil || k.Public:
		return []part{{text: k.Value}}
	}
	return s.split(k.Value)
}

// expression says how a shell gets a key from the variables that the operator
// has. The rules are those by which cases derive wrong keys from right ones.
func (s *secrets) expression(value string) []part {
	s.mu.RLock()
	defer s.mu.RUnlock()
	as := s.known[value]
	if as.given {
		return []part{{shell: as.variable}}
	}
	for _, key := range slices.Sorted(maps.Keys(s.known)) {
		if given := s.known[key]; given.given {
			if parts := derive(key, given.variable, value); parts != nil {
				return parts
			}
		}
	}
	return []part{{shell: as.variable}}
}

func derive(key, variable, value string) []part {
	filter := func(command string) []part {
		return []part{{shell: fmt.Sprintf(`$(printf %%s "$%s" | %s)`, variable, command)}}
	}
	switch {
	case value == key[:len(key)-1]:
		return []part{{shell: "${" + variable + "%?}"}}
	case strings.HasPrefix(value, key):
		return []part{{shell: variable}, {text: value[len(key):]}}
	case value == strings.ToUpper(key):
		return filter("tr a-z A-Z")
	case value == strings.ToLower(key):
		return filter("tr A-Z a-z")
	case value == swapCase(key):
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

func swapCase(s string) string {
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
