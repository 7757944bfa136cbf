package fuzz

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/adconform/adconform/suites/wire"
)

// framed is about how a request stands on the connection: on a raw one, as no HTTP client
// writes it.
func framed(id, words string, malformed bool, change func(d *draft, o *wire.Odd, text string, n int), texts ...string) *class {
	return &class{
		id: "framing/" + id, words: words, formless: true, malformed: malformed, texts: texts,
		right:  []int{http.StatusNotImplemented, http.StatusHTTPVersionNotSupported},
		change: func(d *draft, text string, n int) { change(d, d.raw(), text, n) },
	}
}

// withSizes gives a class sizes.
func withSizes(c *class, most int, sizes ...int) *class {
	c.sizes, c.most = sizes, most
	return c
}

// withBody is a class of operations that have one.
func withBody(c *class) *class {
	c.of = updates
	return c
}

// chunked sends the body in chunks, each as the function writes it.
func chunked(d *draft, o *wire.Odd, size int, write func(chunk string) string, last string) {
	o.Framed = true
	o.Fields = append(o.Fields, "Transfer-Encoding: chunked")
	d.code(func(b []byte) []byte {
		var out strings.Builder
		for text := string(b); text != ""; {
			part := text[:min(size, len(text))]
			out.WriteString(write(part))
			text = text[len(part):]
		}
		return []byte(out.String() + last)
	})
}

func chunk(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

const lastChunk = "0\r\n\r\n"

// lengthed says another length of the body than it has.
func lengthed(d *draft, o *wire.Odd, text string) {
	o.Framed, o.Ends = true, true
	d.code(func(b []byte) []byte {
		for line := range strings.SplitSeq(text, "|") {
			o.Fields = append(o.Fields, "Content-Length: "+strings.ReplaceAll(line, "N", fmt.Sprint(len(b))))
		}
		return b
	})
}

var framingClasses = []*class{
	withBody(withSizes(framed("chunked", "a body in chunks", false, func(d *draft, o *wire.Odd, _ string, n int) {
		chunked(d, o, n,
			chunk, lastChunk)
	}), 300, 1000, 1, 7)),
	withBody(framed("chunk-form", "chunks in an odd form", false, func(d *draft, o *wire.Odd, text string, _ int) {
		chunked(d, o, 9, func(part string) string { return fmt.Sprintf(text, len(part), part) }, lastChunk)
	}, "%x;a=b\r\n%s\r\n", "%X\r\n%s\r\n", "000%x\r\n%s\r\n", "%x;\"\r\n%s\r\n", "%x ; a\r\n%s\r\n", "%016x\r\n%s\r\n")),
	withBody(framed("trailer", "a trailer behind the chunks", false, func(d *draft, o *wire.Odd, text string, _ int) {
		o.Fields = append(o.Fields, "Trailer: X-Adconform")
		chunked(d, o, 1000, chunk, "0\r\n"+text+"\r\n\r\n")
	}, "X-Adconform: 1", "Content-Length: 1", "X-Other: \xff", "Content-Type: text/plain", strings.Repeat("X-Adconform: 1\r\n",
		200)+"X: 1")),
	withBody(framed("chunk-broken", "broken chunks", true, func(d *draft, o *wire.Odd, text string, _ int) {
		o.Ends = true
		chunked(d, o, 1000, func(part string) string { return fmt.Sprintf(text, len(part), part) }, lastChunk)
	}, "zz%[2]s\r\n", "-%x\r\n%s\r\n", "fffffffffffffffff%x\r\n%s\r\n", "%x\n%s\n", "%x\r\n%sX\r\n", "\r\n%x\r\n%s\r\n",
		"0x%x\r\n%s\r\n", "%x\r\n%s", "7fffffffffffffff%.0x\r\n%s\r\n", " %x\r\n%s\r\n", "+%x\r\n%s\r\n", "%x;"+strings.Repeat("a",
			9000)+"\r\n%s\r\n")),
	withBody(framed("chunk-missing", "chunks without the last one", true, func(d *draft, o *wire.Odd, text string, _ int) {
		o.Ends = true
		chunked(d, o, 1000, chunk, text)
	}, "", "0\r\n", "0", "1\r\n")),
	withBody(framed("transfer-encoding", "an odd Transfer-Encoding", true, func(d *draft, o *wire.Odd, text string, _ int) {
		chunked(d, o, 1000, chunk, lastChunk)
		o.Ends = true
		o.Fields = []string{"Transfer-Encoding:" + text}
	}, " gzip, chunked", " identity", " xchunked", " chunked, chunked", " CHUNKED", "chunked", " chunked;q=1", " \"chunked\"",
		" \vchunked", " chunked\r\nTransfer-Encoding: identity", " ,chunked", " chunked, gzip", "")),
	withBody(framed("both-lengths", "Content-Length and Transfer-Encoding", true, func(d *draft, o *wire.Odd, text string, _ int) {
		o.Ends = true
		chunked(d, o, 1000, chunk, lastChunk)
		d.code(func(b []byte) []byte {
			o.Fields = append(o.Fields, "Content-Length: "+strings.ReplaceAll(text, "N", fmt.Sprint(len(b))))
			return b
		})
	}, "N", "0", "5", "99999")),
	framed("content-length", "an odd Content-Length", true, func(d *draft, o *wire.Odd, text string, _ int) { lengthed(d, o, text) },
		"-1", "abc", "+N", "0xN", "1e1", "", "N, N", "0N", "99999999999999999999999", "N ;", "１", "N.0", "-0", "\"N\"", "N N",
		"9223372036854775808"),
	framed("content-length-twice", "Content-Length in two lines", true, func(d *draft, o *wire.Odd, text string, _ int) {
		lengthed(d,
			o, text)
	}, "N|N", "N|0", "0|N", "N|", "N|abc"),
	framed("content-length-wrong", "a Content-Length that the body does not have", true, func(d *draft, o *wire.Odd, text string, _ int) {
		lengthed(d, o, text)
	}, "N0", "1", "0", "9999999999"),
	withBody(framed("no-length", "a body without a length", true, func(_ *draft, o *wire.Odd, _ string, _ int) {
		o.Framed,
			o.Ends = true, true
	})),
	withBody(withSizes(framed("cut", "a request that ends early", true, func(_ *draft, o *wire.Odd, _ string, n int) {
		o.Cut,
			o.Ends = n, true
	}), 200, 1, 10, 60, 150)),
	withBody(framed("expect", "a body that is not waited for", false, func(_ *draft, o *wire.Odd, text string, _ int) {
		o.Fields = append(o.Fields, "Expect: "+text)
	}, "100-continue", "100-Continue")),
	framed("version-1.0", "HTTP/1.0", false, func(_ *draft, o *wire.Odd, text string, _ int) { o.Line = "{method} {target} " + text },
		"HTTP/1.0"),
	framed("version", "an odd version of HTTP", true, func(_ *draft, o *wire.Odd, text string, _ int) {
		o.Line = "{method} {target}" + text
	},
		" HTTP/2.0", " HTTP/1.2", " HTTP/9.9", "", " HTTP/1", " http/1.1", " HTTP/1.1x", " HTTP/0.9", " HTTP/-1.1", " HTTP/1.10",
		" HTTP/11.1", " FTP/1.1", " HTTP/", " HTTP/1.١", " HTTP/1.1 x", " HTTP/3", " HTTP/1,1"),
	framed("absolute", "the whole address in the request line", false, func(_ *draft, o *wire.Odd, _ string, _ int) {
		o.Line = "{method} {origin}{target} HTTP/1.1"
	}),
	framed("absolute-odd", "an odd address in the request line", true, func(_ *draft, o *wire.Odd, text string, _ int) {
		o.Line = "{method} " + text + " HTTP/1.1"
	},
		"http://adconform.invalid{target}", "http://{target}", "https://[{target}", "ftp://x{target}", "//adconform.invalid{target}",
		"http:{target}", "{origin}:99999{target}", "http://a@adconform.invalid{target}"),
	framed("asterisk", "an asterisk in the request line", true, func(d *draft, o *wire.Odd, text string, _ int) {
		d.method = text
		o.Line = "{method} * HTTP/1.1"
	}, "OPTIONS", "GET"),
	framed("request-line", "an odd request line", true, func(_ *draft, o *wire.Odd, text string, _ int) { o.Line = text },
		"{method}  {target} HTTP/1.1", "{method}\t{target}\tHTTP/1.1", "{method} {target} HTTP/1.1 ", " {method} {target} HTTP/1.1",
		"{method} {target}  HTTP/1.1", "{target} {method} HTTP/1.1", "{method}", "{method} ", "\x16\x03\x01\x02",
		"{method} {target} HTTP/1.1\x00", "{method}\v{target} HTTP/1.1", "\xff", "{", "SSH-2.0-x"),
	framed("line-ends", "odd ends of lines", true, func(_ *draft, o *wire.Odd, text string, _ int) { o.End, o.Ends = text, true },
		"\n", "\r", "\r\r\n", "\n\r", "\x00\r\n", " \r\n"),
	framed("before", "something before the request", true, func(_ *draft, o *wire.Odd, text string, _ int) { o.Before = text }, "\r\n",
		"\n", "\r\n\r\n\r\n", " ", "\x00", "PROXY TCP4 1.1.1.1 1.1.1.1 1 1\r\n", "\x16\x03\x01", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		strings.Repeat("\r\n", 500)),
	withSizes(framed("many-blanks", "a header with very many blanks", true, func(_ *draft, o *wire.Odd, _ string, n int) {
		o.Fields = append(o.Fields, "X-Adconform-Odd:"+strings.Repeat(" ", n)+"x"+strings.Repeat("\t", n))
	}), 9000, 100, 3000),
}
