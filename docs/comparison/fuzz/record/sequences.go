package main

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// What the requests before leave, by key and path.
type state struct {
	deleted  map[string]bool
	updated  map[string][]string // the bodies of the last four updates, the last first
	underWay map[string]int
	hosts    map[string][3]string // the last IDs of profile, rule and host under which a host was updated
	parents  map[[3]string]bool   // all of these
	names    map[string]string    // the object that was given a name, by kind of object and name
}

func newState() state {
	return state{map[string]bool{}, map[string][]string{}, map[string]int{}, map[string][3]string{}, map[[3]string]bool{}, map[string]string{}}
}

// An ID that an object may have.
var plausible = regexp.MustCompile(`^[1-9]\d{0,8}$`)

func place(r *request) string { return r.first(keyHeader) + " " + r.path }

func (s *state) begin(r *request) {
	here := place(r)
	r.sequences["at once"] = s.underWay[here] > 0 && r.method != http.MethodGet
	s.underWay[here]++
}

// follows tells what a request is to the one before it on the same connection.
func (r *request) follows(status int) {
	r.sequences["pipelined"] = status == 0
	r.sequences["after a refusal"] = slices.Contains([]int{400, 411, 413, 414, 417, 431}, status) // as malformed
}

// end is when the body is there, or has been broken off.
func (s *state) end(r *request) {
	here := place(r)
	switch {
	case r.method == http.MethodDelete:
		r.sequences["delete twice"] = s.deleted[here]
		s.deleted[here] = true
	case r.method == http.MethodGet:
		r.sequences["list after delete"] = s.deleted[strings.TrimSuffix(here, "/media-files")] && strings.HasSuffix(here, "/media-files")
	case r.method == http.MethodPatch:
		s.crossed(r)
		if len(r.body) <= len("{}") {
			return // which reads
		}
		s.given(r, here)
		last := append([]string{string(r.body)}, s.updated[here]...)
		r.sequences["same three times"] = len(last) > 2 && last[0] == last[1] && last[1] == last[2]
		r.sequences["back and forth"] = len(last) > 3 && last[0] == last[2] && last[1] == last[3] && last[0] != last[1]
		s.updated[here] = last[:min(4, len(last))]
	}
}

func (s *state) given(r *request, here string) {
	for field, value := range r.named {
		if slices.Contains(free, field) {
			key := r.segments[max(0, len(r.segments)-2)] + " " + field + " " + value
			r.sequences["name of another object"] = r.sequences["name of another object"] || s.names[key] != "" && s.names[key] != here
			s.names[key] = here
		}
	}
}

func (s *state) crossed(r *request) {
	if len(r.ids) != 3 || slices.ContainsFunc(r.ids, func(id string) bool { return !plausible.MatchString(id) }) {
		return
	}
	p, rule, host := r.ids[0], r.ids[1], r.ids[2]
	before, ok := s.hosts[host]
	r.sequences["other profile"] = ok && before[0] != p
	r.sequences["other rule"] = ok && before[1] != rule
	r.sequences["in another order"] = p != rule && s.parents[[3]string{rule, p, host}] || rule != host && s.parents[[3]string{p, host, rule}]
	s.hosts[host] = [3]string(r.ids)
	s.parents[[3]string(r.ids)] = true
}
