package wire

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"testing"
)

func TestDecode(t *testing.T) {
	const text = `{"data":"some text, some text, some text"}`
	coded := func(open func(io.Writer) io.WriteCloser) []byte {
		var b bytes.Buffer
		w := open(&b)
		io.WriteString(w, text)
		w.Close()
		return b.Bytes()
	}
	zipped := coded(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	for name, c := range map[string]struct {
		coding string
		body   []byte
	}{
		"none":           {"", []byte(text)},
		"identity":       {"identity", []byte(text)},
		"gzip":           {"GZIP", zipped},
		"x-gzip":         {"x-gzip", zipped},
		"deflate":        {"deflate", coded(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })},
		"deflate, naked": {"deflate", coded(func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 6); return f })},
	} {
		got, err := Decode(c.coding, c.body, 1000)
		if err != nil || string(got) != text || !Decodable(c.coding) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if name == "none" || name == "identity" {
			continue
		}
		if got, err := Decode(c.coding, c.body, 10); string(got) != text[:10] || err != nil {
			t.Errorf("%s: the bound of 10 bytes gives %q, %v", name, got, err)
		}
		if _, err := Decode(c.coding, []byte("\xff\xff not coded"), 1000); err == nil {
			t.Errorf("%s: anything can be decoded", name)
		}
	}
	if got, err := Decode("br", []byte("a"), 1000); string(got) != "a" || err != nil || Decodable("br") || Decodable("gzip, br") {
		t.Errorf("%q, %v", got, err)
	}
}

// A bomb costs no more than the bound.
func TestDecodeIsBounded(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.Copy(w, strings.NewReader(strings.Repeat("x", 50<<20)))
	w.Close()
	if got, err := Decode("gzip", b.Bytes(), 1<<20); len(got) != 1<<20 || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
