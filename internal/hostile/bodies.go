package hostile

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
)

// bodyTargets answer with well-framed bodies that are hard to read.
func bodyTargets() []Target {
	representation := func(name string) string { return `{"data":{"id":25,"name":` + name + `}}` }
	list := func(items string) string {
		return `{"meta":{"pagination":{"count":1,"totalCount":1,"page":1,"totalPages":1}},"data":[` + items + `]}`
	}
	issues := func(issue string, n int) string {
		return `{"error":{"responseCode":422,"issues":[` + repeated(issue, n) + `]}}`
	}
	slow := map[string]bool{"95000-duplicate-names": true, "45000-empty-items": true, "15000-wrong-items": true, "95000-members": true, "19000-issues": true}
	const update, reading = "updateCampaign", "listCreativeMediaFiles"
	var all []Target
	for _, b := range []struct {
		id, sentence, says, at string
		body                   func() string
		status                 int
	}{
		{"nesting-100000", "nests 100,000 arrays", "JSON-1: .*depth", update, func() string { return representation(nested(100_000)) }, 200},
		{"nesting-9000", "nests 9,000 arrays", `CAMPAIGN-\d+: .*array`, update, func() string { return representation(nested(9_000)) }, 200},
		{"integer-of-10000-digits", "sends ids of 10,000 digits", "integer of 64 bits", update, func() string {
			return `{"data":{"id":` + strings.Repeat("7", 10_000) + `,"name":"a"}}`
		}, 200},
		{"exponent-of-9-digits", "sends the id 1e999999999", "integer of 64 bits", update, func() string { return `{"data":{"id":1e999999999,"name":"a"}}` }, 200},
		{"integer-page", "sends a count of 10,000 digits", "integer of 64 bits", reading, func() string {
			return `{"meta":{"pagination":{"count":` + strings.Repeat("9", 10_000) + `,"totalCount":1e999999999,"page":1,"totalPages":-1}},"data":[]}`
		}, 200},
		{"invalid-utf-8", "sends bytes that are no UTF-8", `JSON-1: .*UTF-8`, update, func() string { return representation("\"a\xff\xc3(\xed\xa0\x80\"") }, 200},
		{"nul-byte", "sends NUL bytes in a string", `JSON-1: .*x00`, update, func() string { return representation("\"a\x00b\"") }, 200},
		{"byte-order-mark", "begins with a byte order mark", `JSON-1: .*byte order mark`, update, func() string { return "\ufeff" + representation(`"a"`) }, 200},
		{"utf-16", "sends UTF-16", `JSON-1: `, update, func() string { return "\xff\xfe{\x00}\x00" }, 200},
		{"duplicate-names", "gives members twice", `JSON-2: .*already`, update, func() string { return `{"data":{"id":25,"id":26,"name":"a","name":"b"}}` }, 200},
		{"95000-duplicate-names", "gives a member 95,000 times", `JSON-2: .*already`, update, func() string {
			return `{"data":{` + repeated(`"name":"a"`, 95_000) + `}}`
		}, 200},
		{"html", "sends a page instead of JSON", `HTTP-3: |JSON-1: `, update, func() string {
			return "<!doctype html><html><body><script>alert('" + mark + "')</script></body></html>"
		}, 200},
		{"nothing", "sends an empty body", `representation|no content|body`, update, func() string { return "" }, 200},
		{"string-of-15-mb", "sends a name of 15 MB", `too-large: .* string of 15728640 bytes`, update, func() string { return representation(`"` + strings.Repeat("a", 15<<20) + `"`) }, 200},
		{"15-mb-of-escapes", "sends a name of 15 MB of escapes", `too-large: .* string of \d+ bytes`, update, func() string { return representation(`"` + strings.Repeat(`\u001b`, 15<<20/6) + `"`) }, 200},
		{"string-of-1-mb", "sends a name of 1 MB", `CAMPAIGN-3: .*aaa`, update, func() string { return representation(`"` + strings.Repeat("a", 1<<20-1) + `"`) }, 200},
		{"45000-empty-items", "lists 45,000 empty objects", `MEDIA-3: |so in \d+ more places`, reading, func() string { return list(repeated("{}", 45_000)) }, 200},
		{"5-million-empty-items", "lists 5 million empty objects", `too-large: .*too many to judge`, reading, func() string { return list(repeated("{}", 5_000_000)) }, 200},
		{"15000-wrong-items", "lists 15,000 objects of which each member is wrong", `so in \d+ more places`, reading, func() string {
			return list(repeated(`{"id":"a","campaignId":"b","name":3,"createdAt":4,"shareURL":5}`, 15_000))
		}, 200},
		{"9000-members", "has 9,000 members", `CAMPAIGN-`, update, func() string {
			return `{"data":{"id":25,` + numbered(9_000) + `}}`
		}, 200},
		{"3000-wrong-items", "lists 3,000 objects of which each member is wrong", `so in \d+ more places`, reading, func() string {
			return list(repeated(`{"id":"a","campaignId":"b","name":3,"createdAt":4,"shareURL":5}`, 3_000))
		}, 200},
		{"95000-members", "has 95,000 members", `CAMPAIGN-`, update, func() string {
			return `{"data":{"id":25,` + numbered(95_000) + `}}`
		}, 200},
		{"19000-issues", "finds 19,000 issues", `ERR-`, update, func() string { return issues(`{"type":1,"message":2,"relatedField":"`+mark+`"}`, 19_000) }, 422},
		{"status-999", "answers 999", `999`, update, func() string { return representation(`"a"`) }, 999},
	} {
		body := sync.OnceValue(func() []byte { return []byte(b.body()) })
		all = append(all, Target{
			ID: "json/" + b.id, Sentence: b.at + " " + b.sentence, Says: words(b.says),
			Arms: arms{at: b.at, answer: func(*site) behaviour { return answering(b.status, "", body) }},
			Full: slow[b.id],
		})
	}
	return append(all, gzipTargets()...)
}

// gzipTargets compress what nobody asked to have compressed.
func gzipTargets() []Target {
	var all []Target
	for _, b := range []struct {
		id, sentence, says string
		body               func() []byte
	}{
		{"bomb-of-zeros", "sends 1 GiB of zeros in 1 MB", "too-large: .*unpacks to more than", func() []byte { return bomb("", "\x00") }},
		{"bomb-of-json", "sends a name of 1 GiB in 1 MB", "too-large: .*unpacks to more than", func() []byte { return bomb(someJSON, "a") }},
		{"cut-short", "breaks off in the compressed data", "HTTP-2: .*unexpected EOF", func() []byte { b := squeeze(`{"data":{}}`); return b[:len(b)-9] }},
		{"not-gzip", "calls plain JSON gzip", "HTTP-2: .*gzip", func() []byte { return []byte(`{"data":{}}`) }},
	} {
		body := sync.OnceValue(b.body)
		all = append(all, Target{
			ID: "gzip/" + b.id, Sentence: b.sentence, Says: words(b.says),
			Arms: arms{at: "updateCampaign", answer: func(*site) behaviour { return answering(http.StatusOK, "gzip", body) }},
		})
	}
	return all
}

func answering(status int, coding string, body func() []byte) behaviour {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // a request that is cut off is answered all the same
		w.Header().Set("Content-Type", "application/json")
		if coding != "" {
			w.Header().Set("Content-Encoding", coding)
		}
		w.WriteHeader(status)
		w.Write(body())
	}
}

// nested is a value of so many arrays, one in the other.
func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

// repeated is a text so many times, with commas.
func repeated(text string, n int) string { return strings.Repeat(text+",", n-1) + text }

// numbered is so many members with names of their own.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"m`)
		for d := i; d > 0; d /= 26 {
			b.WriteByte(byte('a' + d%26))
		}
		b.WriteString(`":0`)
	}
	return b.String()
}

// bomb is 1 GiB of a letter after a beginning, compressed: gzip lets members
// follow one another, so one of a MiB is enough.
func bomb(first, letter string) []byte {
	return append(squeeze(first), bytes.Repeat(squeeze(strings.Repeat(letter, 1<<20)), 1<<10)...)
}

func squeeze(text string) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // writing into memory cannot fail
	}
	return b.Bytes()
}
