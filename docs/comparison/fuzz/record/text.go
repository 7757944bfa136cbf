package main

import (
	"encoding/json"
	"strings"
)

// What a body holds that is read as JSON without a care for whether it is.
type content struct {
	names   []string // of the members of the outermost object
	kinds   []byte   // of their values: the first byte of each
	texts   []string // that are their values, decoded; empty where the value is no text
	numbers []string // outside texts, and words such as NaN
	depth   int      // how deep it nests
	members int      // in all objects
}

// A scanner goes through a body once, whatever it is.
type scanner struct {
	body string
	at   int
}

// token is a text with its quotes, a bracket, colon or comma, or a run of anything else.
func (s *scanner) token() string {
	s.at += len(s.body[s.at:]) - len(strings.TrimLeft(s.body[s.at:], " \t\r\n"))
	start := s.at
	if start == len(s.body) {
		return ""
	}
	s.at++
	switch c := s.body[start]; {
	case c == '"':
		for s.at < len(s.body) && s.body[s.at] != '"' {
			if s.body[s.at] == '\\' {
				s.at++
			}
			s.at++
		}
		s.at = min(s.at+1, len(s.body))
	case !strings.ContainsRune("[]{}:,", rune(c)):
		for s.at < len(s.body) && !strings.ContainsRune("[]{}:,\" \t\r\n", rune(s.body[s.at])) {
			s.at++
		}
	}
	return s.body[start:s.at]
}

func decoded(text string) string {
	var value string
	if json.Unmarshal([]byte(text), &value) != nil {
		return strings.Trim(text, `"`)
	}
	return value
}

func scan(body string) content {
	var c content
	s, before := &scanner{body: body}, ""
	var nested []byte
	awaited := false // whether the value of a member of the outermost object comes next
	for token := s.token(); token != ""; before, token = token, s.token() {
		first := token[0]
		if awaited && first != ':' {
			c.kinds, c.texts, awaited = append(c.kinds, first), append(c.texts, ""), false
			if first == '"' {
				c.texts[len(c.texts)-1] = decoded(token)
			}
		}
		switch first {
		case '{', '[':
			nested = append(nested, first)
			c.depth = max(c.depth, len(nested))
		case '}', ']':
			nested = nested[:max(0, len(nested)-1)]
		case ':':
			c.members++
			if len(nested) == 1 && nested[0] == '{' && strings.HasPrefix(before, `"`) && len(c.names) == len(c.kinds) {
				c.names, awaited = append(c.names, decoded(before)), true
			}
		case '"', ',':
		default:
			c.numbers = append(c.numbers, token)
		}
	}
	if awaited {
		c.kinds, c.texts = append(c.kinds, 0), append(c.texts, "")
	}
	return c
}
