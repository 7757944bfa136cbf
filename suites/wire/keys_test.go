package wire

import (
	"encoding/base64"
	"encoding/hex"
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
	k.give("owner", value)
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

// keyForms are ways in which a target may send a key back, all ASCII.
func keyForms(key string) map[string]string {
	encoded := base64.StdEncoding.EncodeToString([]byte(key))
	all := map[string]string{
		"plain":                  key,
		"each case changed":      mixedCase(key),
		"base64":                 encoded,
		"base64, URL alphabet":   base64.URLEncoding.EncodeToString([]byte(key)),
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
	for before := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte("user:x"[:4+before] + key + ":more"))
		from := (4 + before + 2) / 3 * 4 // what holds only bytes of the key
		all[fmt.Sprintf("within base64 at %d", (4+before)%3)] = text[from : from+len(key)]
	}
	return all
}

// A key with everything that some encoding changes.
const oddKey = `k/3+y<&>"%\é=Zz`

func TestRedactFindsEveryForm(t *testing.T) {
	k := with(oddKey)
	escaped, _ := json.Marshal(oddKey)
	var plainJSON strings.Builder
	encoder := json.NewEncoder(&plainJSON)
	encoder.SetEscapeHTML(false)
	encoder.Encode(oddKey)
	forms := map[string]string{
		"plain":          oddKey,
		"upper case":     strings.ToUpper(oddKey),
		"lower case":     strings.ToLower(oddKey),
		"query":          url.QueryEscape(oddKey),
		"query, lower":   strings.ToLower(url.QueryEscape(oddKey)),
		"path":           url.PathEscape(oddKey),
		"JSON":           string(escaped),
		"JSON, no HTML":  strings.TrimSpace(plainJSON.String()),
		"JSON, slash":    strings.ReplaceAll(strings.TrimSpace(plainJSON.String()), "/", `\/`),
		"Go":             strconv.Quote(oddKey),
		"HTML":           html.EscapeString(oddKey),
		"hex":            hex.EncodeToString([]byte(oddKey)),
		"base64":         base64.StdEncoding.EncodeToString([]byte(oddKey)),
		"base64, raw":    base64.RawStdEncoding.EncodeToString([]byte(oddKey)),
		"base64url":      base64.URLEncoding.EncodeToString([]byte(oddKey)),
		"base64url, raw": base64.RawURLEncoding.EncodeToString([]byte(oddKey)),
	}
	for name, form := range forms {
		if got := k.Text("before " + form + " after"); strings.Contains(got, strings.Trim(form, `"`)) ||
			strings.Trim(strings.TrimSuffix(strings.TrimPrefix(got, "before "), " after"), `"`) != "$ADCONFORM_OWNER_KEY" {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, user := range []string{"", "u", "us", "use"} {
		text := base64.StdEncoding.EncodeToString([]byte(user + ":" + oddKey + ":rest"))
		if got := k.Text(text); !strings.Contains(got, "$ADCONFORM_OWNER_KEY") {
			t.Errorf("Basic authentication of %q: %s", user, got)
		}
	}
}

func TestPartlyEscapedKeysAreFound(t *testing.T) {
	for _, key := range []string{exampleKey, `a%41\u0042&amp;%%"/end`, `q7"Zp/+W&<x>\%4Tz~bK2'mJ=h;R9`} {
		k := with(key)
		for name, form := range keyForms(key) {
			if strings.HasPrefix(name, "within") {
				continue // a part of a longer text, see below
			}
			got := k.Text("<" + form + ">")
			whole := strings.NewReplacer("%3D", "", "=", "").Replace(got) == "<$ADCONFORM_OWNER_KEY>" // padding is no part of base64
			if got != withheld && !whole {
				t.Errorf("%s: %s of %s became %s", key, name, form, got)
			}
		}
	}
	k := with(exampleKey)
	for _, user := range []string{"", "u", "us"} {
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			if got := k.Text(e.EncodeToString([]byte(user + exampleKey + "/"))); !strings.Contains(got, "$ADCONFORM_OWNER_KEY") {
				t.Errorf("base64 of the key after %q: %s", user, got)
			}
		}
	}
}

func TestTextsWithoutAKeyStay(t *testing.T) {
	k := with(exampleKey)
	for _, text := range []string{
		"", "owner", exampleKey[1:], `C:\users\x`, "100 %", "%zz%4", "a & b &amp; c", `"\u00e9"`, "owner… and more",
		"… and 5 more",
	} {
		if got := k.Text(text); got != text && text != "owner… and more" {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Findings quote the beginning and the end of a long text: half a key is cut off.
func TestHalfAKeyAtAnElisionIsNotShown(t *testing.T) {
	k := with(exampleKey)
	for text, want := range map[string]string{
		"name " + exampleKey[:12] + "…":                  "name …",
		"name " + exampleKey[:12] + " … end":             "name  … end",
		"name %6" + "fwner-7K…":                          withheld,
		"name %6f%77%6e%65%7…":                           withheld,
		"a … " + everyOther(1, "%%%02x", exampleKey[3:]): withheld,
		"a … " + exampleKey[3:] + " (70 characters)":     "a … $ADCONFORM_OWNER_KEY (70 characters)",
		"a … " + strings.ToUpper(exampleKey[3:]) + "!":   "a … $ADCONFORM_OWNER_KEY!",
		exampleKey + " … " + exampleKey:                  "$ADCONFORM_OWNER_KEY … $ADCONFORM_OWNER_KEY",
		"an ordinary beginning … and an ordinary end":    "an ordinary beginning … and an ordinary end",
	} {
		if got := k.Text(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// Places are left out at the first look, and escapes are remembered: neither may
// cost a key that comes late, after many others' escapes, in whatever case.
func TestKeysAreFoundAtAnyPlace(t *testing.T) {
	const key = "owner-7Kf%2x&\\q" // begins in hex with a letter, and has what escapes begin with
	k := with(key)
	for form, text := range map[string]string{
		"plain": key, "upper hex": fmt.Sprintf("%X", key), "URL": everyOther(1, "%%%02x", key), "JSON": everyOther(1, `\u%04x`, key),
		"HTML from the second byte": key[:1] + everyOther(1, "&#%d;", key[1:]),
	} {
		for _, filler := range []string{"-", "%20", `\u0020`, "&#32;", "o", "6"} {
			for n := range 150 {
				before := strings.Repeat(filler, n)
				if got := k.Text(before + text); got != before+"$ADCONFORM_OWNER_KEY" && (got != withheld || text == key) {
					t.Fatalf("%s after %d of %q: %q", form, n, filler, got)
				}
			}
		}
	}
	for n := 1; n < len(key); n++ {
		if got := k.Body("x "+key[:n], true); got != "x " {
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
