package wire

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"strconv"
	"strings"
	"testing"
)

// Whatever is left of a key where a text was shortened goes as well.
func TestRedactCutTakesPieces(t *testing.T) {
	c := newClient(t, Options{BaseURL: "http://a", Secrets: []Secret{{"owner", oddKey}}})
	quoted, _ := json.Marshal(oddKey)
	for _, form := range []string{
		oddKey, string(quoted), strconv.Quote(html.EscapeString(oddKey)), base64.RawStdEncoding.EncodeToString([]byte(oddKey)),
	} {
		form = strings.Trim(form, `"`)
		for n := minSecret; n < len(form); n++ {
			before, after := "see "+form[:n]+`…"`, `"… `+form[len(form)-n:]+" there"
			if got := c.RedactCut(before); got != `see $ADCONFORM_OWNER_KEY…"` {
				t.Errorf("%s gives %s", before, got)
			}
			if got := c.RedactCut(after); got != `"… $ADCONFORM_OWNER_KEY there` {
				t.Errorf("%s gives %s", after, got)
			}
		}
	}
	for _, text := range []string{"nothing of it …", "… and 7 more", "a … b … c", "…", ""} {
		if got := c.RedactCut(text); got != text {
			t.Errorf("%q gives %q", text, got)
		}
	}
}
