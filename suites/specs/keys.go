package specs

import (
	"regexp"

	"github.com/adconform/adconform/suites/wire"
)

// keyForm makes a key that identifies nobody out of the owner's, so that a server that
// compares only a part of it, or without case, shows. It is false where that makes no
// sense for this key.
type keyForm func(c *Case, owner string) (wire.Credential, bool)

var anonymous = wire.Credential{Name: "none"}

func noKey(*Case, string) (wire.Credential, bool) { return anonymous, true }

func emptyKey(*Case, string) (wire.Credential, bool) {
	return wire.Credential{Name: "empty", Send: true}, true
}

func percentKey(*Case, string) (wire.Credential, bool) { return public("percent", "%"), true }

func unknownKey(c *Case, owner string) (wire.Credential, bool) {
	return public("unknown", c.Fake.Key(max(16, len(owner)))), true
}

func longKey(c *Case, _ string) (wire.Credential, bool) {
	return public("unknown-long", c.Fake.Key(200)), true
}

func changedKey(_ *Case, owner string) (wire.Credential, bool) {
	key, ok := changeMiddle(owner)
	return derived("changed", key), ok
}

func longerKey(_ *Case, owner string) (wire.Credential, bool) {
	return derived("longer", owner+"x"), true
}

func shorterKey(_ *Case, owner string) (wire.Credential, bool) {
	return derived("shorter", owner[:len(owner)-1]), len(owner) > 1
}

func otherCaseKey(_ *Case, owner string) (wire.Credential, bool) {
	key := wire.SwapCase(owner)
	return derived("other-case", key), key != owner && !caseless.MatchString(owner)
}

// caseless are keys whose letter case means nothing: hexadecimal numbers and UUIDs.
var caseless = regexp.MustCompile(`^[0-9a-fA-F-]+$`)

func public(name, key string) wire.Credential {
	return wire.Credential{Name: name, Value: key, Send: true, Public: true}
}

func derived(name, key string) wire.Credential {
	return wire.Credential{Name: "owner-" + name, Value: key, Send: true}
}

// changeMiddle changes the letter or digit nearest to the middle into another
// of its kind.
func changeMiddle(key string) (string, bool) {
	b := []byte(key)
	for d := range b {
		i := len(b)/2 + (d+1)/2*(1-2*(d%2))
		if i < 0 || i >= len(b) {
			continue
		}
		switch c := b[i]; {
		case c >= 'a' && c < 'z', c >= 'A' && c < 'Z', c >= '0' && c < '9':
			b[i]++
		case c == 'z', c == 'Z', c == '9':
			b[i]--
		default:
			continue
		}
		return string(b), true
	}
	return key, false
}
