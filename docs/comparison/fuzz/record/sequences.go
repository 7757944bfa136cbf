package main

import (
	"net/http"
	"strings"
	"time"
)

// What the requests before leave, by key and path.
type state struct {
	deleted  map[string]bool
	failed   map[string]bool   // the last update was refused
	updated  map[string]string // the body of the last update
	underWay map[string]int
	broken   bool // the request before was broken off
}

func newState() state {
	return state{map[string]bool{}, map[string]bool{}, map[string]string{}, map[string]int{}, false}
}

func place(r *request) string { return r.first(keyHeader) + " " + r.path }

func (s *state) begin(r *request) {
	here := place(r)
	r.sequences["at the same moment"] = s.underWay[here] > 0 && r.method != http.MethodGet
	s.underWay[here]++
}

// end is when the body is there, or has been broken off.
func (s *state) end(r *request) {
	here := place(r)
	switch {
	case r.method == http.MethodDelete:
		r.sequences["delete twice"] = s.deleted[here]
		s.deleted[here] = true
	case r.method == http.MethodGet:
		r.sequences["list after its parent"] = s.deleted[strings.TrimSuffix(here, "/media-files")] && strings.HasSuffix(here, "/media-files")
	case r.method == http.MethodPatch && len(r.body) > 0:
		r.sequences["update after a failed one"] = s.failed[here]
		r.sequences["same update twice"] = s.updated[here] == string(r.body)
		s.updated[here], s.failed[here] = string(r.body), false
	}
	r.sequences["slow body"] = r.slow > 200*time.Millisecond && len(r.body) > 0 && len(r.body) < 64<<10 && r.first("Expect") == ""
	r.sequences["broken off"] = s.broken
	s.broken = !r.complete
}

func (s *state) answered(r *request, status int) {
	here := place(r)
	s.underWay[here]--
	if r.method == http.MethodPatch && status >= 400 && status != http.StatusUnauthorized {
		s.failed[here] = true
	}
}
