package wire

import (
	"strings"
	"testing"
)

func TestNewRefusesBadOptions(t *testing.T) {
	tests := []struct {
		o    Options
		want string
	}{
		{Options{}, "not absolute"},
		{Options{BaseURL: "localhost:80"}, "not absolute"},
		{Options{BaseURL: "ftp://a"}, "not absolute"},
		{Options{BaseURL: "http://"}, "not absolute"},
		{Options{BaseURL: "http://a:b%zz"}, "cannot be parsed"},
		{Options{BaseURL: "http://me:secret-word@a"}, "user name"},
		{Options{BaseURL: "http://a/?x"}, "query"},
		{Options{BaseURL: "http://a/#x"}, "fragment"},
		{Options{BaseURL: "unix://socket"}, "unix:///path"},
		{Options{BaseURL: "unix:///a:b"}, "unix:///path"},
		{Options{BaseURL: "http://a", KeyHeader: "X Key"}, "header name"},
		{Options{BaseURL: "http://a", RemainingHeader: "a b"}, "header name"},
		{Options{BaseURL: "http://a", Timeout: -1}, "negative"},
		{Options{BaseURL: "http://a", Rate: -1}, "rate"},
		{Options{BaseURL: "http://a", Concurrency: -1}, "concurrency"},
		{Options{BaseURL: "http://a", MaxBody: -1}, "size"},
	}
	for _, test := range tests {
		_, err := New(test.o)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret-word") {
			t.Errorf("%+v: error %v, want … %s …", test.o, err, test.want)
		}
	}
}

func TestURLsKeepTheirEncoding(t *testing.T) {
	c := newClient(t, Options{BaseURL: "https://a.example:8443/v%32/"})
	for _, path := range []string{"/campaigns/%2B25", "/campaigns/%00", "/campaigns/+25?page=%20", "//b.example/x", "/a/../b", "/@b.example"} {
		ex, m := c.begin("c", get(path))
		if want := "https://a.example:8443/v%32" + path; ex.Err != nil || ex.URL != want || m.url.String() != want {
			t.Errorf("%s: URL %s, %v; want %s", path, ex.URL, ex.Err, want)
		}
	}
}
