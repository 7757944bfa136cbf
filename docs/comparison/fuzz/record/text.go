package main

import (
	"encoding/json"
	"strings"
)

// What a body holds that is read as JSON without a care for whether it is.
type content struct {
	names           []string // of the members of the outermost object
	kinds           []byte   // of their values: the first byte of each
	texts           []string // that are their values, decoded; empty where the value is no text
	words           []string // what is outside of texts and brackets
	bare            string   // the whole without blanks and without what is in the texts
	arrays, objects int      // how deep they nest
	members         int      // in all objects
	elements        int      // in all arrays, but for the last of each
	control         bool     // a text has one that is not escaped
	end             string   // what is wrong with where the document begins or ends
}

// A scanner goes through a body once, whatever it is.
type scanner struct {
	body string
	at   int
}

// token is a text with its quotes, a bracket, colon or comma, or a run of anything else.
func (s *scanner) token() string {
	start := len(s.body) - len(strings.TrimLeft(s.body[s.at:], " \t\r\n"))
	if s.at = start; start == len(s.body) {
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
	var bare strings.Builder
	var nested []byte
	s, before, open := &scanner{body: body}, "", map[byte]int{}
	awaited := false // whether the value of a member of the outermost object comes next
	for token := s.token(); token != ""; before, token = token, s.token() {
		first := token[0]
		if len(nested) == 0 && c.end == "" && before != "" {
			c.end = "more after"
			break
		}
		if before == "" && !strings.ContainsRune(`{["`, rune(first)) && !json.Valid([]byte(token)) {
			c.end = "more before"
		}
		if awaited && first != ':' {
			c.kinds, c.texts, awaited = append(c.kinds, first), append(c.texts, ""), false
			if first == '"' {
				c.texts[len(c.texts)-1] = decoded(token)
			}
		}
		switch first {
		case '{', '[':
			nested = append(nested, first)
			open[first]++
			c.arrays, c.objects = max(c.arrays, open['[']), max(c.objects, open['{'])
		case '}', ']':
			if last := len(nested) - 1; last >= 0 {
				open[nested[last]]--
				nested = nested[:last]
			}
		case ':':
			c.members++
			if len(nested) == 1 && nested[0] == '{' && strings.HasPrefix(before, `"`) && len(c.names) == len(c.kinds) {
				c.names, awaited = append(c.names, decoded(before)), true
			}
		case ',':
			if len(nested) > 0 && nested[len(nested)-1] == '[' {
				c.elements++
			}
		case '"':
			c.control = c.control || strings.ContainsFunc(token, func(r rune) bool { return r < ' ' })
		default:
			c.words = append(c.words, token)
		}
		if first == '"' {
			bare.WriteByte('"')
		} else {
			bare.WriteString(token)
		}
	}
	if awaited {
		c.kinds, c.texts = append(c.kinds, 0), append(c.texts, "")
	}
	c.bare = bare.String()
	if len(nested) > 0 && c.end == "" {
		c.end = "cut off"
	}
	return c
}
