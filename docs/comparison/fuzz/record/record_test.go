package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const hostLine = "Host: 127.0.0.1\r\n"

const ordinary = hostLine + "User-Agent: test\r\nAccept: application/json\r\n"

// A server that refuses each update whose text has a number, after all of its body, and echoes nothing.
func behind(t *testing.T, answer http.HandlerFunc) *recorder {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	r, err := listen(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.listener.Close() })
	go r.serve()
	return r
}

func refuseNumbers(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if strings.Contains(string(body), ":1}") {
		w.WriteHeader(http.StatusUnprocessableEntity)
	}
}

// send sends a text as it is, on a connection of its own, and waits until the server ends it.
func send(t *testing.T, r *recorder, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", r.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(c, strings.Replace(text, "\r\n", "\r\nConnection: close\r\n", 1))
	c.(*net.TCPConn).CloseWrite()
	answer, _ := io.ReadAll(c)
	return string(answer)
}

func (r *recorder) saw(t *testing.T) seen {
	t.Helper()
	r.passing.Wait()
	file := filepath.Join(t.TempDir(), "seen.json")
	if err := r.write(file); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	var s seen
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEachMemberIsSeen(t *testing.T) {
	of := map[string]int{}
	for _, m := range members {
		name := m.class + ": " + m.name
		if of[m.class]++; of[m.class] > len(examples[m.class]) {
			t.Errorf("%s has no example", name)
			continue
		}
		requests := examples[m.class][of[m.class]-1]
		if requests == nil {
			continue
		}
		r := behind(t, refuseNumbers)
		for _, request := range requests {
			send(t, r, request)
			r.passing.Wait()
		}
		got := r.saw(t)
		if got.Members[name] != len(requests) || got.Classes[m.class] == 0 || got.Requests != len(requests) {
			t.Errorf("%s: %.300q gives %v of %d requests", name, requests, got.Members, got.Requests)
		}
	}
	for class, all := range examples {
		if len(all) != of[class] {
			t.Errorf("%d examples of the %d members of %s", len(all), of[class], class)
		}
	}
}

func TestThereAre45Classes(t *testing.T) {
	var all []string
	for _, m := range members {
		all = append(all, m.class)
	}
	if all = slices.Compact(all); len(all) != 45 {
		t.Errorf("%d classes, or some in two places: %q", len(all), all)
	}
}

// What every client sends, and what libraries, browsers and proxies add to it, is of no class.
func TestOrdinaryRequestsAreOfNoClass(t *testing.T) {
	host := "/v2/connection-profiles/12/rules/34/hosts/56"
	all := []string{
		list(), get("/v2/creatives/200/media-files?page=2&per_page=50"), instead("key1")("GnxosFffTHR1GkMFWRhmKUWlLI0dMdzF"),
		update(`{"name":"Spring video 2"}`), line("DELETE", "/v2/creatives/301"), line("DELETE", "/v2/creatives/302", "Content-Length: 0"),
		patch(host, `{"hostname":"cdn.example.com","regularExpression":"/pixel/[*+]{2}"}`, "Content-Type: application/json; charset=utf-8"),
		patch("/v2/connection-profiles/12", `{"name":"EU sites","withCookiesAction":"warn"}`, "Content-Type: application/json;charset=UTF-8"),
		patch(host, `{"hostname":"a-1.example.co.uk","regularExpression":null}`, "Content-Type: application/json"),
		patch(host, `{"regularExpression":"^\/(ads|img)\/[0-9]{4}/.*\\.(png|gif)(\\?.*)?$"}`, "Content-Type: application/json"),
		update("{\n  \"name\": \"M\u00fcller & S\\u00f6hne (\\\"TV\\\" and radio & cat) 50 %, l'offre\\u003c\"\n}"),
		update("{}"), update("{}"), update("{}"), list(), update(`{"name":"a"}`, "Expect: 100-continue"),
		chunked() + "d\r\n{\"name\":\"Ab\"}\r\n0\r\n\r\n",
	}
	for _, added := range []string{
		"Connection: keep-alive\r\nAccept-Encoding: gzip, deflate, br, zstd", "Accept-Language: *\r\nSec-Fetch-Mode: cors",
		"Accept-Encoding: gzip;q=1.0,deflate;q=0.6,identity;q=0.3", "TE: deflate,gzip;q=0.3\r\nConnection: TE, close",
		"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
		"traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\ntracestate: a=1,b=2\r\nRequest-Id: |5c9d1f2a-4e.1.",
		"Accept-Language: de-DE,de;q=0.9,en;q=0.8\r\nOrigin: https://ads.example.com\r\nReferer: https://ads.example.com/a?b=c",
		"Cookie: session=a1B2-_.%20; theme=dark\r\nSec-Fetch-Site: same-site\r\nCache-Control: no-cache",
		"If-None-Match: W/\"5c9d\"\r\nIf-Modified-Since: Sun, 22 Nov 2026 10:44:00 GMT",
		"X-Forwarded-For: 192.0.2.7\r\nX-Real-IP: 192.0.2.7\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Port: 443\r\nX-Request-ID: 7f-1",
	} {
		all = append(all, list(added))
	}
	r := behind(t, refuseNumbers)
	for _, request := range all {
		send(t, r, request)
	}
	if got := r.saw(t); len(got.Members) > 0 || got.Requests != len(all) {
		t.Errorf("%d requests, %v", got.Requests, got.Members)
	}
}

func TestAtOnce(t *testing.T) {
	first := make(chan struct{})
	second := make(chan struct{})
	r := behind(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.Header.Get("X-Turn") == "1" {
			close(first)
			<-second
		} else {
			close(second)
		}
	})
	done := make(chan struct{})
	go func() { send(t, r, update(`{"name":"a"}`, "X-Turn: 1")); close(done) }()
	<-first
	send(t, r, update(`{"name":"b"}`))
	<-done
	if got := r.saw(t); got.Members["writes-again: at once"] != 2 {
		t.Errorf("at the same moment: %v", got.Members)
	}
}

// On one connection, behind a server that answers the first request only once it has two, or refuses it.
func TestOneConnection(t *testing.T) {
	for name, refusing := range map[string]bool{"connection-use: pipelined": false, "connection-use: after a refusal": true} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		r, err := listen(listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		go r.serve()
		go func() {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			from := bufio.NewReader(c)
			readHead(from)
			if !refusing {
				readHead(from)
			}
			io.WriteString(c, "HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n")
			if refusing {
				readHead(from)
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}()
		c, err := net.Dial("tcp", r.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(time.Minute))
		answers := bufio.NewReader(c)
		io.WriteString(c, list())
		if refusing {
			readHead(answers)
		}
		io.WriteString(c, list())
		io.ReadAll(answers)
		c.Close()
		if got := r.saw(t); got.Members[name] != 2 || len(got.Members) != 1 {
			t.Errorf("%s: %v", name, got.Members)
		}
		listener.Close()
		r.listener.Close()
	}
}

// The proxy adds and takes nothing but the header of what is reached.
func TestBytesPassAsTheyCome(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	got := make(chan string, 1)
	sent := "HTTP/1.1 500 Oops\r\nX-Reached: a,b\r\nContent-Length: 2\r\n\r\nno"
	go func() {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, head, _ := readHead(bufio.NewReaderSize(c, 1))
		io.WriteString(c, sent)
		got <- string(head)
	}()
	r, err := listen(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer r.listener.Close()
	go r.serve()
	request := "get  /v2/%zz HTTP/1.1\r\nhost:a\r\n X: folded\r\nX-API-Key : \r\n\r\n"
	answer := send(t, r, request)
	if want := strings.Replace(request, "\r\n", "\r\nConnection: close\r\n", 1); <-got != want {
		t.Errorf("the server got something else than %q", want)
	}
	if want := strings.Replace(sent, "X-Reached: a,b\r\n", "", 1); answer != want {
		t.Errorf("the client got %q, want %q", answer, want)
	}
	if s := r.saw(t); s.Reached["a"] != 1 || s.Reached["b"] != 1 || s.Shown != 1 || len(s.First) != 1 {
		t.Errorf("seen %+v", s)
	}
}
