package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adconform/adconform/fixtures"
)

// A target that sends the keys back in every form, in headers and bodies, where
// findings quote them: whole, cut short, as names of fields.
func TestNoArtefactShowsAKeyThatTheTargetEchoes(t *testing.T) {
	keys := fixtures.DefaultWorld().Target("http://127.0.0.1").Credentials
	escaped := func(format, key string) string {
		var b strings.Builder
		for i := range len(key) {
			if i%3 == 0 {
				fmt.Fprintf(&b, format, key[i])
			} else {
				b.WriteByte(key[i])
			}
		}
		return b.String()
	}
	var forms []string
	for _, key := range []string{keys.Owner, keys.Stranger} {
		forms = append(
			forms, key, strings.ToUpper(key), base64.StdEncoding.EncodeToString([]byte(key)),
			base64.RawURLEncoding.EncodeToString([]byte("x" + key))[2:],
			fmt.Sprintf("%x", key), escaped("%%%02X", key), escaped("%%%02x", key), escaped(`\u%04x`, key), escaped("&#%d;", key),
		)
	}
	var n atomic.Int64
	target := serving(t, func(w http.ResponseWriter, r *http.Request) {
		i := int(n.Add(1))
		form := forms[i%len(forms)]
		long := strings.Repeat("x", 70+i%20) + form + strings.Repeat("y", 60)
		w.Header().Set("Content-Type", []string{"application/json", form}[i%7/6])
		w.Header().Set("X-Echo", form)
		w.WriteHeader([]int{200, 401, 404, 422, 500}[i/len(forms)%5])
		body, err := json.Marshal(map[string]any{
			"data": map[string]any{
				"id": form, "name": long, "createdAt": form, "updatedAt": long, "hostname": form, "withCookiesAction": form, form: 1,
			},
			"error": map[string]any{"responseCode": form, "issues": []any{map[string]any{"type": 1, "relatedField": form, "message": long}}},
			"meta":  map[string]any{"pagination": map[string]any{"count": form}},
			form:    form,
		})
		if err != nil {
			panic(err)
		}
		if i%11 == 0 {
			body = append(body, form...) // after the text
		}
		w.Write(body)
	})
	dir := t.TempDir()
	_, stdout, stderr := run(t, nil, briefly("--depth quick", "run", "--verbose", "--target", target, "--report", dir)...)
	if n.Load() < 100 {
		t.Fatalf("only %d requests were sent", n.Load())
	}
	for name, text := range map[string]string{
		"standard output": stdout, "standard error": stderr,
		"report.json": mustRead(t, filepath.Join(dir, "report.json")), "junit.xml": mustRead(t, filepath.Join(dir, "junit.xml")),
	} {
		text = strings.ToLower(strings.ReplaceAll(text, `\\`, `\`))
		for _, form := range append(forms, keys.Owner[:8], keys.Stranger[:8], keys.Owner[len(keys.Owner)-8:]) {
			if at := strings.Index(text, strings.ToLower(form)); at >= 0 {
				t.Errorf("%s: %s is in …%s…", name, form, text[max(0, at-150):min(len(text), at+100)])
			}
		}
	}
}
