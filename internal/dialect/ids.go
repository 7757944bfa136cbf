package dialect

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// Form is a form of ids that are texts.
type Form string

// The forms.
const (
	UUID Form = "uuid" // in any letter case
	Slug Form = "slug" // such as lusab-mofid
	Code Form = "code" // such as ca_k3f6qx2m7p
	Name Form = "name" // such as né/k3f6qx2m7p, which a path cannot have as it is
)

// pattern matches a well-formed id anywhere in a text.
func (f Form) pattern() *regexp.Regexp {
	return map[Form]*regexp.Regexp{UUID: uuids, Slug: slugs, Code: codes, Name: names}[f]
}

var (
	uuids = regexp.MustCompile(`(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	slugs = regexp.MustCompile(`[a-z0-9]+(-[a-z0-9]+)+`)
	codes = regexp.MustCompile(`[a-z]{2}_[a-z2-7]{10}`)
	names = regexp.MustCompile(`né/[a-z2-7]{10}`)
)

// text returns the id of an object of a kind that has this number in the published form.
func (f Form) text(kind string, number int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", kind, number))
	switch f {
	case UUID:
		const version, variant = 0x40, 0x80 // of RFC 9562, 5.4
		sum[6], sum[8] = sum[6]&0x0f|version, sum[8]&0x3f|variant
		return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6],
			sum[6:8], sum[8:10], sum[10:16])
	case Slug:
		return syllables(sum[:2]) + "-" + syllables(sum[2:4])
	case Code:
		return kind[:2] + "_" + letters(sum)
	case Name:
		return "né/" + letters(sum)
	}
	return strconv.FormatInt(number, 10)
}

func letters(sum [sha256.Size]byte) string {
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:10])
}

// syllables returns a word that can be pronounced for two bytes.
func syllables(pair []byte) string {
	const consonants, vowels = "bdfghjklmnprstvz", "aiou"
	bits := int(pair[0])<<8 | int(pair[1])
	word := ""
	for i := range 5 {
		if isVowel := i%2 == 1; isVowel {
			word += vowels[bits%4 : bits%4+1]
			bits /= 4
		} else {
			word += consonants[bits%16 : bits%16+1]
			bits /= 16
		}
	}
	return word
}

// number returns the number of an id in the published form. An unknown id that is well-formed has an unknown number.
// isID is false for a malformed id.
func (m *message) number(kind, text string) (number int64, isID bool) {
	form := m.IDs[kind]
	if form == UUID {
		text = strings.ToLower(text)
	}
	if known, is := m.known[kind][text]; is {
		return known, true
	}
	if text == "" || form.pattern().FindString(text) != text {
		return 0, false
	}
	const above = 1 << 30 // all numbers of the world, as int32 reaches
	sum := sha256.Sum256([]byte(text))
	number = int64(binary.BigEndian.Uint32(sum[:])%above + above)
	m.unknown[numbered(kind, number)] = text
	return number, true
}

// text returns the id of a kind that has this number in the published form.
func (m *message) text(kind string, number int64) string {
	if text, is := m.unknown[numbered(kind, number)]; is {
		return text
	}
	return m.IDs[kind].text(kind, number)
}

func numbered(kind string, number int64) string { return fmt.Sprint(kind, " ", number) }

// digits matches what would be an id in the published form.
var digits = regexp.MustCompile(`^[0-9]+$`)

// segment translates an id in a path or a query, which is escaped. A malformed one stays malformed, and ids with
// something before or behind them become numbers with the same around them.
func (m *message) segment(kind, escaped string) string {
	text, err := url.PathUnescape(escaped)
	form := m.IDs[kind]
	if form == "" || err != nil {
		return escaped
	}
	if number, isID := m.number(kind, text); isID {
		return strconv.FormatInt(number, 10)
	}
	malformed := form.pattern().ReplaceAllStringFunc(escaped, func(text string) string {
		if number, isKnown := m.known[kind][text]; isKnown {
			return strconv.FormatInt(number, 10)
		}
		return text
	})
	if plain, err := url.PathUnescape(malformed); err == nil && digits.MatchString(plain) {
		return "x" + malformed
	}
	return malformed
}

// idsOf returns the numbers of all objects of a kind in a world.
func idsOf(w fixtures.World, kind string) (all []int64) {
	add := func(of string, id int64) {
		if kind == of {
			all = append(all, id)
		}
	}
	for _, p := range w.Profiles {
		add("profile", p.ID)
		for _, r := range p.Rules {
			add("rule", r.ID)
			for _, h := range r.Hosts {
				add("host", h.ID)
			}
		}
	}
	for _, c := range w.Campaigns {
		add("campaign", c.ID)
	}
	for _, c := range w.Creatives {
		add("creative", c.ID)
	}
	return all
}

// Target makes a target file of the reference one of a server behind the dialect.
func (d Dialect) Target(t *fixtures.Target) {
	words := newSwap(d.Words)
	for key, objects := range t.Objects {
		translated := slices.Clone(objects)
		for i := range translated {
			o := &translated[i]
			o.ID = d.id(key, o.ID)
			o.MediaFileIDs = slices.Clone(o.MediaFileIDs)
			for j := range o.MediaFileIDs {
				o.MediaFileIDs[j] = d.id(key, o.MediaFileIDs[j])
			}
			o.Values = maps.Clone(o.Values)
			for field, value := range o.Values {
				if text, isText := value.(string); isText {
					o.Values[field] = words.of(text)
				}
			}
		}
		t.Objects[key] = translated
	}
	for key := range t.Foreign {
		t.Foreign[key] = d.id(key, t.Foreign[key])
	}
	if page := d.Names["page"]; page != "" {
		t.Open["pageParameter"] = page
	}
}

// id returns the id of an object under a key of a target file.
func (d Dialect) id(key string, id spec.ID) spec.ID {
	kind := fixtures.KindOf(key)
	number, isNumber := id.Integer()
	if form := d.IDs[kind]; form != "" && isNumber {
		return spec.ID(form.text(kind, number))
	}
	return id
}
