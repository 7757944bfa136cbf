package wire

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

const exampleKey = "owner-7Kx_9+Qz81-key"

// with are keys of which one is the owner's.
func with(value string) *Keys {
	k := newKeys()
	k.add("owner", value, true)
	return k
}

// everyOther escapes each n-th byte of a text.
func everyOther(n int, format, text string) string {
	var b strings.Builder
	for i := range len(text) {
		if i%n == 0 {
			fmt.Fprintf(&b, format, text[i])
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

func asJSON(text string) string {
	b, _ := json.Marshal(text)
	return string(b[1 : len(b)-1])
}

// mixedCase changes the case of each letter at an even place.
func mixedCase(text string) string {
	b := []byte(text)
	for i := 0; i < len(b); i += 2 {
		if c := b[i] | 0x20; 'a' <= c && c <= 'z' {
			b[i] ^= 0x20
		}
	}
	return string(b)
}

// keyForms are ways in which a target may send a key back.
func keyForms(key string) map[string]string {
	encoded := base64.StdEncoding.EncodeToString([]byte(key))
	all := map[string]string{
		"upper case":             strings.ToUpper(key),
		"query":                  url.QueryEscape(key),
		"path, lower case":       strings.ToLower(url.PathEscape(key)),
		"program text":           strconv.Quote(key),
		"each case changed":      mixedCase(key),
		"base64":                 encoded,
		"base64, escaped in URL": strings.NewReplacer("=", "%3D", "+", "%2B", "/", "%2f").Replace(encoded),
		"base64, escaped JSON":   strings.ReplaceAll(encoded, "/", `\/`),
		"hex":                    fmt.Sprintf("%x", key),
		"hex, mixed":             mixedCase(fmt.Sprintf("%x", key)),
		"HTML, decimal":          everyOther(3, "&#%d;", key),
		"JSON in JSON":           everyOther(2, `\\u%04x`, key),
		"HTML in JSON":           asJSON(html.EscapeString(key)),
		"HTML in JSON, in JSON":  asJSON(asJSON(html.EscapeString(key))),
		"HTML in URL":            url.QueryEscape(everyOther(2, "&#%d;", key)),
		"URL in URL":             url.QueryEscape(url.QueryEscape(key)),
		"URL in JSON":            everyOther(2, `\u0025%02x`, key),
		"JSON in HTML":           strings.ReplaceAll(everyOther(2, `\u%04x`, key), `\`, "&#92;"),
		"HTML in HTML":           html.EscapeString(everyOther(2, "&#%d;", key)),
	}
	for n := 1; n <= 4; n++ {
		all[fmt.Sprintf("percent, 1 of %d", n)] = everyOther(n, "%%%02X", key)
		all[fmt.Sprintf("percent, lower, 1 of %d", n)] = everyOther(n, "%%%02x", key)
		all[fmt.Sprintf("JSON, 1 of %d", n)] = everyOther(n, `\u%04x`, key)
		all[fmt.Sprintf("JSON, upper, 1 of %d", n)] = everyOther(n, `\u%04X`, key)
		all[fmt.Sprintf("program text, 1 of %d", n)] = everyOther(n, `\x%02x`, key)
		all[fmt.Sprintf("HTML, 1 of %d", n)] = everyOther(n, "&#x%X;", key)
		all[fmt.Sprintf("percent and case, 1 of %d", n)] = everyOther(n, "%%%02X", mixedCase(key))
	}
	for before := range 4 {
		all[fmt.Sprintf("within base64 at %d", before)] = base64.RawURLEncoding.EncodeToString([]byte("user:"[:before] + key + ":more"))
	}
	return all
}

func TestKeysAreFoundInEveryForm(t *testing.T) {
	for _, key := range []string{
		exampleKey, `a%41\u0042&amp;%%"/end`, `q7"Zp/+W&<x>\%4Tz~bK2'mJ=h;R9`, "owner-7Kf%2x&q", "two words+", `ends "with" \`,
	} {
		k := with(key)
		if got := k.Text("<" + key + key + ">"); got != "<$ADCONFORM_OWNER_KEY$ADCONFORM_OWNER_KEY>" {
			t.Errorf("%s became %s", key, got)
		}
		for name, form := range keyForms(key) {
			for _, before := range []string{"", "-", "%20", `\u0020`, "&#32;"} {
				got := strings.ReplaceAll(k.Text("<"+before+form+">"), `"`, "")
				if got != withheld && got != "<"+before+"$ADCONFORM_OWNER_KEY>" {
					t.Errorf("%s: %s of %s became %s", key, name, form, got)
				}
			}
		}
	}
}

// Findings quote the beginning and the end of a long text: half a key is cut off.
func TestWhatIsWithheld(t *testing.T) {
	k := with(exampleKey)
	for text, want := range map[string]string{
		"":                                               "",
		"the owner's ordinary name… and more":            "the owner's ordinary name… and more",
		`C:\users\x 100 % %zz%4 "\u00e9"`:                `C:\users\x 100 % %zz%4 "\u00e9"`,
		"a & b &amp; c … and 5 more":                     "a & b &amp; c … and 5 more",
		exampleKey[1:]:                                   exampleKey[1:],
		exampleKey + " … " + exampleKey:                  "$ADCONFORM_OWNER_KEY … $ADCONFORM_OWNER_KEY",
		"name " + exampleKey[:12] + "…":                  withheld,
		"name " + exampleKey[:12] + " … end":             withheld,
		"name %6f%77%6e%65%72%2…":                        withheld,
		"a … " + everyOther(1, "%%%02x", exampleKey[3:]): withheld,
		"a … " + strings.ToUpper(exampleKey[3:]) + " (70 characters)":            withheld,
		"a … " + base64.StdEncoding.EncodeToString([]byte(exampleKey))[7:] + "!": withheld,
	} {
		if got := k.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	for n := range exampleKey {
		if got := string(k.part([]byte("x… "+exampleKey[:n]), 1000, true).Bytes); got != withheld && n >= piece {
			t.Errorf("the first %d bytes of a key at the end of what was cut: %q", n, got)
		}
	}
}

// Keys that others use come and go; those that the operator gave stay.
func TestPassingKeysAreBounded(t *testing.T) {
	k := with(exampleKey)
	for i := range 3 * maxPassing {
		k.pass("recorded", fmt.Sprintf("key-number-%d", i))
	}
	if n := len(k.known); n > maxPassing+1 {
		t.Errorf("%d keys are known", n)
	}
	last := fmt.Sprintf("key-number-%d", 3*maxPassing-1)
	if got := k.Text(exampleKey + " " + last); strings.Contains(got, "-") {
		t.Error(got)
	}
}
