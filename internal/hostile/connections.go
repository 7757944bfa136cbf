package hostile

import (
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"time"
)

// The two ways in which the suite reads an answer: by net/http, and byte by
// byte on a connection of its own.
const (
	byNetHTTP = "updateCampaign"
	byBytes   = "deleteCreative"
)

// hanging is the time-out in the target file of servers that let requests hang.
const hanging = 400 * time.Millisecond

const (
	head      = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	chunked   = head + "Transfer-Encoding: chunked\r\n\r\n"
	someJSON  = `{"data":{"id":25,"name":"`
	announced = 300_000_000 // bytes
)

// wireTargets break off, hang, go on for ever, or do not speak HTTP.
func wireTargets() []Target {
	all := []Target{
		{
			ID: "hang/after-accept", Sentence: "accepts connections and reads nothing",
			Says: words("timeout: gave up after .* waiting for the response"), Timeout: hanging, Arms: arms{conn: untilGone},
		},
		{
			ID: "hang/tls-handshake", Sentence: "never answers the TLS handshake",
			Says: words("timeout: .* waiting for the TLS handshake"), Timeout: hanging, Arms: arms{conn: untilGone, scheme: "https"},
		},
		{
			ID: "hang/never-accepting", Sentence: "listens and never accepts a connection",
			Says: words("timeout: .* waiting for the"), Timeout: hanging, Arms: arms{listen: neverAccepting},
		},
		{
			ID: "reset/after-accept", Sentence: "resets each connection at once",
			Says: words("connection reset|reset: |closed: "), Arms: arms{conn: func(c net.Conn) { reset(c) }},
		},
	}
	for _, b := range []struct {
		id, sentence, says string
		timeout            time.Duration
		do                 func(net.Conn)
	}{
		{"hang/before-status-line", "takes the request and says nothing", "timeout: .* waiting for the response", hanging, hangAfter("")},
		{"hang/mid-status-line", "stops in the status line", "timeout: .* waiting for the rest of the response head", hanging, hangAfter("HTTP/1.1 2")},
		{"hang/mid-headers", "stops in the headers", "timeout: .* waiting for the rest of the response head", hanging, hangAfter(head + "X-More: a")},
		{"hang/mid-body", "stops in the body", "timeout: .* waiting for the rest of the response body", hanging, hangAfter(head + "Content-Length: 900\r\n\r\n" + someJSON)},
		{"drip/head", "sends a byte a second from the first one", "timeout: .* waiting for the rest of the response head", hanging, drip("", head)},
		{"drip/body", "sends the body a byte a second", "timeout: .* waiting for the rest of the response body", hanging, drip(head+"Content-Length: 900\r\n\r\n", someJSON+strings.Repeat("a", 900))},
		{"endless/header-lines", "sends headers without end", "too-large: the response head is larger", 0, endless(head, "X-More: "+strings.Repeat("a", 1000)+"\r\n")},
		{"endless/header-line", "sends one header without end", "too-large: the response head is larger", 0, endless(head+"X-More: ", strings.Repeat("a", 1000))},
		{"endless/status-line", "sends a reason phrase without end", "too-large: the response head is larger", 0, endless("HTTP/1.1 200 ", strings.Repeat("a", 1000))},
		{"endless/1xx", "sends 103 Early Hints without end", "too-large: the response head is larger|too many 1xx", 0, endless("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")},
		{"endless/body-until-close", "sends a body without end", "too-large: the response body is larger", 0, endless(head+"\r\n"+someJSON, strings.Repeat("a", 1000))},
		{"endless/chunks", "sends chunks without end", "too-large: the response body is larger", 0, endless(chunked, "3e8\r\n"+strings.Repeat("a", 1000)+"\r\n")},
		{"endless/chunk-extension", "sends a chunk extension without end", "too-large: |malformed: ", 0, endless(chunked+"5;", strings.Repeat("a", 1000))},
		{"endless/trailers", "sends trailers without end", "too-large: |malformed: |truncated: ", 0, endless(chunked+"2\r\n{}\r\n0\r\n", "X-More: "+strings.Repeat("a", 1000)+"\r\n")},
		{"size/300-mb-announced", "sends 300 MB of JSON and says so", "too-large: Content-Length announces a body of 300000000 bytes", 0, endless(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, announced, someJSON), strings.Repeat("a", 1000))},
		{"size/300-mb-chunked", "sends 300 MB of JSON in chunks", "too-large: the response body is larger", 0, endless(chunked+"12000000\r\n"+someJSON, strings.Repeat("a", 1000))},
		{"framing/status-line-of-words", "sends HTTP/1.1 OK 200", "malformed: ", 0, say("HTTP/1.1 OK 200\r\n\r\n")},
		{"framing/status-of-one-digit", "sends the status 2", "malformed: ", 0, say("HTTP/1.1 2 OK\r\n\r\n")},
		{"framing/another-protocol", "speaks SMTP", "malformed: ", 0, say("220 mail.example.com ESMTP\r\n")},
		{"framing/escape-sequences", "sends escape sequences for a status line", "malformed: ", 0, say("\x1b]0;" + mark + "\x07\x1b[2J\x1b[31m" + mark + "\r\n\r\n")},
		{"framing/content-length-too-large", "announces more than it sends", "truncated: ", 0, say(head + "Content-Length: 900\r\n\r\n{}")},
		{"framing/content-length-negative", "announces -5 bytes", "malformed: |Content-Length", 0, say(head + "Content-Length: -5\r\n\r\n{}")},
		{"framing/two-content-lengths", "announces two lengths", "malformed: |Content-Length", 0, say(head + "Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}abc")},
		{"framing/length-and-chunks", "announces a length and sends chunks", "both Content-Length and Transfer-Encoding|with the new representation", 0, say(head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")},
		{"framing/no-final-chunk", "ends in the middle of the chunks", "truncated: ", 0, say(chunked + "2\r\n{}\r\n")},
		{"framing/chunk-size-of-letters", "sends a chunk size that is no number", "malformed: ", 0, say(chunked + "zz\r\n{}\r\n0\r\n\r\n")},
		{"reset/mid-headers", "resets the connection in the headers", "(reset|truncated): .*head", 0, resetAfter(head)},
		{"reset/mid-body", "resets the connection in the body", "reset: ", 0, resetAfter(head + "Content-Length: 900\r\n\r\n" + someJSON)},
		{"close/before-status-line", "closes the connection instead of an answer", "closed: ", 0, say("")},
	} {
		for _, at := range []string{byNetHTTP, byBytes, ""} {
			id, sentence := b.id+"/everywhere", b.sentence
			if at != "" {
				id, sentence = b.id+"/"+at, at+" "+b.sentence
			}
			all = append(all, Target{
				ID: id, Sentence: sentence, Says: words(b.says), Timeout: b.timeout,
				Arms: arms{at: at, answer: func(s *site) behaviour { return s.raw(b.do) }},
				Full: at == byBytes && !strings.HasPrefix(b.id, "hang/") && !strings.HasPrefix(b.id, "framing/"),
			})
		}
	}
	return all
}

func words(expression string) *regexp.Regexp { return regexp.MustCompile(expression) }

// untilGone reads until the other side ends the connection.
func untilGone(c net.Conn) { io.Copy(io.Discard, c) } //nolint:errcheck // how it ends is no matter

func say(text string) func(net.Conn) { return func(c net.Conn) { io.WriteString(c, text) } }

func hangAfter(text string) func(net.Conn) {
	return func(c net.Conn) {
		io.WriteString(c, text)
		untilGone(c)
	}
}

// drip sends a byte a second: that is the hostility, nothing waits for it.
func drip(first, slowly string) func(net.Conn) {
	return func(c net.Conn) {
		io.WriteString(c, first)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for i := range len(slowly) {
			if _, err := c.Write([]byte{slowly[i]}); err != nil {
				return
			}
			<-tick.C
		}
	}
}

func endless(first, again string) func(net.Conn) {
	block := []byte(strings.Repeat(again, 1+64<<10/len(again)))
	return func(c net.Conn) {
		io.WriteString(c, first)
		for {
			if _, err := c.Write(block); err != nil {
				return
			}
		}
	}
}

// reset ends a connection with RST.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0) //nolint:errcheck // it is closed all the same
	}
	c.Close()
}

func resetAfter(text string) func(net.Conn) {
	return func(c net.Conn) {
		io.WriteString(c, text)
		reset(c)
	}
}
