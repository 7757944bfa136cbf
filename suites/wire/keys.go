package wire

import (
	"strings"
	"sync"
)

// Shortest is the length in bytes from which a value counts as a key. Taking out
// shorter ones would take apart words that have nothing to do with it.
const Shortest = 4

// maxPassing bounds the keys of others that are known at a time: traffic has no end,
// and some clients have a token for each request. What is shown of an exchange is
// made with the keys of the last ones.
const maxPassing = 100

// Keys are the keys that may not be shown. They are safe for concurrent use.
type Keys struct {
	mu       sync.RWMutex
	known    map[string]known // by value
	passing  []string         // the oldest first
	patterns patterns
}

type known struct {
	variable string
	given    bool // by the operator, who has the variable
}

// New returns an empty set of keys.
func NewKeys() *Keys { return &Keys{known: map[string]known{}} }

// Variable is the shell variable that stands for a key: "owner" gives
// ADCONFORM_OWNER_KEY.
func Variable(name string) string {
	name = strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
	return "ADCONFORM_" + name + "_KEY"
}

// Give adds a key of the operator, who has it in the variable of that name.
func (k *Keys) Give(name, value string) { k.add(value, known{Variable(name), true}, false) }

// Derive adds a key that a case made from another.
func (k *Keys) Derive(name, value string) { k.add(value, known{Variable(name), false}, false) }

// Pass adds a key of somebody else. Only the last ones are known.
func (k *Keys) Pass(name, value string) { k.add(value, known{Variable(name), false}, true) }

func (k *Keys) add(value string, as known, passing bool) {
	if len(value) < Shortest || k.knows(value) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known[value] = as
	if passing {
		if k.passing = append(k.passing, value); len(k.passing) > maxPassing {
			delete(k.known, k.passing[0])
			k.passing = k.passing[1:]
		}
	}
	var all []pattern
	for value, as := range k.known {
		for _, text := range forms(value) {
			all = append(all, pattern{lowered(text), as.variable})
		}
	}
	k.patterns = newPatterns(all)
}

func (k *Keys) knows(value string) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	_, there := k.known[value]
	return there
}

const elision = "…"

// Text puts variables in the place of keys, also in other letter case, in base64 and
// hex, and where some or all bytes are escaped for a URL, JSON or HTML. It takes the
// text for one of ours: what was left out of it at an elision may be the other half
// of a key.
func (k *Keys) Text(text string) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	parts := strings.Split(text, elision)
	for i, part := range parts {
		if i < len(parts)-1 {
			core := strings.TrimRight(part, " ")
			part = k.patterns.replace(core, true) + part[len(core):]
		} else {
			part = k.patterns.replace(part, false)
		}
		if i > 0 {
			part = k.patterns.replaceStart(part)
		}
		parts[i] = part
	}
	return strings.Join(parts, elision)
}

// Body is Text for what is not ours: an elision in it is one like others. With cut, it
// is the beginning of a longer text, and an end that may be half a key is left out.
func (k *Keys) Body(text string, cut bool) string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.patterns.replace(text, cut)
}
