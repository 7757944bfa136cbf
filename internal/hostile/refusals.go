package hostile

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
)

// refusalTargets send elsewhere, put off for ever, or die.
func refusalTargets() []Target {
	all := append(redirectTargets(), rateLimitTargets()...)
	for _, n := range []int64{1, 20, 150} {
		all = append(all, Target{
			ID: fmt.Sprintf("death/after-%d-requests", n), Sentence: fmt.Sprintf("dies after %d requests", n),
			Says: words(`refused: |closed: |reset: |truncated: `),
			Arms: arms{answer: func(s *site) behaviour { return s.dying(n) }},
		})
	}
	return all
}

func redirectTargets() []Target {
	var all []Target
	for _, status := range []int{301, 302, 303, 307, 308} {
		all = append(all, redirect(fmt.Sprintf("another-origin-%d", status), "another origin", status, func(s *site, r *http.Request) string { return s.other + r.URL.Path })...)
	}
	return slices.Concat(
		all,
		redirect("loop", "itself", http.StatusTemporaryRedirect, func(_ *site, r *http.Request) string { return r.URL.String() }),
		redirect("scheme-relative", "another origin without a scheme", http.StatusTemporaryRedirect, func(s *site, _ *http.Request) string { return strings.TrimPrefix(s.other, "http:") + "/x" }),
		redirect("user-info", "another origin that looks like its own", http.StatusPermanentRedirect, func(s *site, r *http.Request) string {
			return "http://" + r.Host + "@" + strings.TrimPrefix(s.other, "http://") + "/x"
		}),
		redirect("file", "a file", http.StatusFound, func(*site, *http.Request) string { return "file:///etc/passwd" }),
		redirect("no-url", "what is no URL", http.StatusFound, func(*site, *http.Request) string { return "::" + mark + "%zz" }),
	)
}

// redirect redirects the requests of one operation, which is a finding, and all, which
// is more likely a wrong base URL.
func redirect(id, where string, status int, location func(*site, *http.Request) string) []Target {
	answer := func(s *site) behaviour {
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			w.Header().Set("Location", location(s, r))
			w.WriteHeader(status)
		}
	}
	full := strings.HasPrefix(id, "another-origin") && status != http.StatusTemporaryRedirect
	return []Target{
		{
			ID: "redirect/" + id + "/everywhere", Sentence: fmt.Sprintf("redirects all requests to %s (%d)", where, status), Full: full,
			Says: words(fmt.Sprintf(`baseURL: redirects every request \(%d\)`, status)), Exits: mistaken, Arms: arms{answer: answer},
		},
		{
			ID: "redirect/" + id + "/" + byNetHTTP, Sentence: fmt.Sprintf("redirects %s to %s (%d)", byNetHTTP, where, status), Full: full,
			Says: words(fmt.Sprintf(`\w+-\d+: .*\b%d\b`, status)), Exits: found, Arms: arms{at: byNetHTTP, answer: answer},
		},
	}
}

func rateLimitTargets() []Target {
	var all []Target
	for _, v := range []struct {
		id, value string
		seconds   int // that a run waits, about
	}{
		{"without-retry-after", "", 20},
		{"huge", "99999999999999999999", 0},
		{"negative", "-5", 15},
		{"garbage", "soon " + mark, 20},
		{"date-in-the-year-9999", "Fri, 31 Dec 9999 23:59:59 GMT", 0},
	} {
		for _, at := range []string{"", "updateCampaign"} {
			where := at
			if at == "" {
				where = "everywhere"
			}
			all = append(all, Target{
				ID: "429/" + v.id + "/" + where, Sentence: fmt.Sprintf("answers 429 for ever (%s)", strings.ReplaceAll(v.id, "-", " ")),
				Says: words(`rate-limited: 429 after \d+ waits`), Full: v.seconds > 1,
				Arms: arms{at: at, answer: func(s *site) behaviour {
					return s.raw(func(c net.Conn) {
						io.WriteString(c, "HTTP/1.1 429 Too Many Requests\r\n")
						if v.value != "" {
							io.WriteString(c, "Retry-After: "+v.value+"\r\n")
						}
						io.WriteString(c, "Content-Length: 0\r\nConnection: close\r\n\r\n")
					})
				}},
			})
		}
	}
	return all
}

// dying answers n requests, breaks off in the next answer and is gone: nothing
// listens any more.
func (s *site) dying(n int64) behaviour {
	var seen atomic.Int64
	die := s.raw(func(c net.Conn) {
		io.WriteString(c, head)
		s.die()
	})
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if seen.Add(1) <= n {
			next.ServeHTTP(w, r)
			return
		}
		die(w, r, next)
	}
}
