package wire

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// with returns keys with value as the owner's.
func with(value string) *Keys {
	k := newKeys()
	k.add("owner", value, "", true)
	return k
}

// everyOther escapes every n-th byte of a text.
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

// keyForms returns the forms in which a target may send a key back.
func keyForms(key string) (all []string) {
	encoded := base64.StdEncoding.EncodeToString([]byte(key))
	all = []string{
		strings.ToUpper(key), strings.ToLower(key), url.QueryEscape(key), strings.ToLower(url.PathEscape(key)), strconv.Quote(key),
		encoded, strings.NewReplacer("=", "%3D", "+", "%2B", "/", "%2f").Replace(encoded), strings.ReplaceAll(encoded, "/", `\/`),
		base64.StdEncoding.EncodeToString([]byte(asJSON(key))), base64.StdEncoding.EncodeToString([]byte("?" + url.QueryEscape(key))),
		fmt.Sprintf("%x", key), fmt.Sprintf("%X", key),
		everyOther(3, "&#%d;", key), everyOther(2, `\\u%04x`, key), everyOther(2, `\u0025%02x`, key),
		asJSON(asJSON(html.EscapeString(key))), url.QueryEscape(everyOther(2, "&#%d;", key)), url.QueryEscape(url.QueryEscape(key)),
		strings.ReplaceAll(everyOther(2, `\u%04x`, key), `\`, "&#92;"), html.EscapeString(everyOther(2, "&#%d;", key)),
	}
	for n := 1; n <= 4; n++ {
		for _, format := range []string{"%%%02X", "%%%02x", `\u%04x`, `\u%04X`, `\x%02x`, "&#x%X;"} {
			all = append(all, everyOther(n, format, key), everyOther(n, format, strings.ToUpper(key)))
		}
		all = append(all, base64.RawURLEncoding.EncodeToString([]byte("user:"[:n-1]+key+":more")))
	}
	return all
}

func TestKeysAreFoundInEveryForm(t *testing.T) {
	for _, key := range []string{
		ownerKey, `a%41\u0042&amp;%%"/end`, `q7"Zp/+W&<x>\%4Tz~bK2'mJ=h;R9`, "owner-7Kf%2x&q", "two words+", `ends "with" \`,
	} {
		k := with(key)
		if got := k.Text("<" + key + key + ">"); got != "<$ADCONFORM_OWNER_KEY$ADCONFORM_OWNER_KEY>" {
			t.Errorf("%s became %s", key, got)
		}
		for _, form := range keyForms(key) {
			for _, before := range []string{"", "-", "%20", `\u0020`, "&#32;"} {
				got := strings.ReplaceAll(k.Text("<"+before+form+">"), `"`, "")
				if got != withheld && got != "<"+before+"$ADCONFORM_OWNER_KEY>" {
					t.Errorf("%s in the form %s became %s", key, form, got)
				}
			}
		}
	}
}

// Findings quote only the beginning and the end of a long text, so a cut may leave half a key.
func TestWhatIsWithheld(t *testing.T) {
	k := with(ownerKey)
	for _, same := range []string{
		"", "the owner's ordinary name… and more", `C:\users\x 100 % %zz%4 "\u00e9"`, "a & b &amp; c … and 5 more", ownerKey[1:],
	} {
		if got := k.Text(same); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
	for _, half := range []string{
		"name " + ownerKey[:12] + "…", "name " + ownerKey[:12] + " … end", "name %6f%77%6e%65%72%2…",
		"a … " + everyOther(1, "%%%02x", ownerKey[3:]), "a … " + strings.ToUpper(ownerKey[3:]) + " (70 characters)",
		"a … " + base64.StdEncoding.EncodeToString([]byte(ownerKey))[7:] + "!",
	} {
		if got := k.Text(half); got != withheld {
			t.Errorf("%q became %q", half, got)
		}
	}
	if got := k.Text(ownerKey + " … " + ownerKey); got != "$ADCONFORM_OWNER_KEY … $ADCONFORM_OWNER_KEY" {
		t.Error(got)
	}
	for n := range ownerKey {
		if got := string(k.part([]byte("x… "+ownerKey[:n]), 1000, true).Bytes); got != withheld && n >= piece {
			t.Errorf("the first %d bytes of a key at the end of a cut text: %q", n, got)
		}
	}
	header := http.Header{"X-User": {ownerKey[5:] + "; a"}, "Via": {"1.1 pass:b"}} // the colon of the header line splits a key
	want := http.Header{"Withheld": {withheld}, "Via": {"1.1 pass:b"}}
	if got := with("user:" + ownerKey[5:]).header(header); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Keys that others use come and go; those that the operator gave stay.
func TestPassingKeysAreBounded(t *testing.T) {
	k := with(ownerKey)
	for i := range 3 * maxPassing {
		k.forget()
		k.add("recorded", fmt.Sprintf("key-number-%d", i), "", false)
	}
	last := fmt.Sprintf("key-number-%d", 3*maxPassing-1)
	if got := k.Text(ownerKey + " " + last); len(k.known) > maxPassing+1 || strings.Contains(got, "-") {
		t.Errorf("%d keys are known: %s", len(k.known), got)
	}
}

func TestRedactKnowsDerivedKeys(t *testing.T) {
	given := []Credential{{Name: "owner", Value: ownerKey}, {Name: "stranger", Value: "another-key"}}
	c := newClient(t, Options{BaseURL: "http://a", Secrets: given})
	short, made := ownerKey[:len(ownerKey)-1], "made-up-by-the-suite"
	for _, key := range []Credential{{Name: "owner-shorter", Value: short}, {Value: made, Public: true}, {Value: "%"}} {
		key.Send = true
		c.begin("c", as(key, get("/x")))
	}
	got := c.Redact(strings.Join([]string{ownerKey, ownerKey + "x", short, made, "another-key", "100 %"}, " "))
	const want = "$ADCONFORM_OWNER_KEY $ADCONFORM_OWNER_KEYx $ADCONFORM_OWNER_SHORTER_KEY made-up-by-the-suite $ADCONFORM_STRANGER_KEY 100 %"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
