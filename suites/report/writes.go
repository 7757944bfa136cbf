package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/suites/judge"
)

// WritesSchema names the form of a plan of writes as JSON.
const WritesSchema = "adconform/writes/v1"

// Writes are the requests of a run that could change a target, by object.
type Writes struct {
	Schema   string    `json:"schema"`
	Target   Target    `json:"target"`
	Seed     uint64    `json:"seed"`
	Depth    string    `json:"depth"`
	Requests int       `json:"requests"` // of the run, those that only read included
	Writes   int       `json:"writes"`
	Objects  []Written `json:"objects"`
	Deleted  []Deleted `json:"deleted"` // what will be gone for good
	// Provision is what brings the objects back before the first case and after
	// the last: a command or POST URL; "" for nothing.
	Provision string `json:"provision,omitempty"`
}

// Written is an object of the target file with the requests that name it; with
// an empty key the ids that are none of the target file's.
type Written struct {
	Key      string         `json:"key"`
	ID       int64          `json:"id,omitempty"`
	Foreign  bool           `json:"foreign,omitempty"`
	Unnamed  []string       `json:"unnamed,omitempty"` // fields that are changed and whose values the target file does not give
	Requests []WriteRequest `json:"requests"`
}

// WriteRequest is a request, and how often it is sent.
type WriteRequest struct {
	Operation  string `json:"operation"`
	Method     string `json:"method"`
	Path       string `json:"path"` // from the base URL on
	Credential string `json:"credential"`
	Body       string `json:"body,omitempty"`
	Times      int    `json:"times"`
}

// Deleted is an object that a run deletes.
type Deleted struct {
	Key string `json:"key"`
	ID  int64  `json:"id"`
}

// Add counts a request that names an object.
func (w *Writes) Add(key string, id int64, foreign bool, r WriteRequest) {
	w.Writes++
	i := slices.IndexFunc(w.Objects, func(o Written) bool { return o.Key == key })
	if i < 0 {
		i = len(w.Objects)
		w.Objects = append(w.Objects, Written{Key: key, ID: id, Foreign: foreign})
	}
	of := &w.Objects[i].Requests
	for j := range *of {
		times := (*of)[j].Times
		if r.Times = times; (*of)[j] == r {
			(*of)[j].Times++
			return
		}
	}
	r.Times = 1
	*of = append(*of, r)
}

// WithoutValues says which values of objects that are changed the target file does
// not give.
func WithoutValues(objects []judge.Unnamed) string {
	var parts []string
	for _, u := range objects {
		parts = append(parts, fmt.Sprintf("%s (%s)", strings.TrimPrefix(u.Key, "objects."), strings.Join(u.Fields, ", ")))
	}
	return "the target file does not give all values of " + strings.Join(parts, ", ")
}

// maxUnknown is how many paths with unknown ids are shown.
const maxUnknown = 4

// WritesSummary writes a plan of writes: by object how often which path is sent.
func WritesSummary(w io.Writer, r *Writes, s Style) error {
	p := newScreen(s)
	p.say(0, bold, "DRY RUN: nothing was sent to %s", r.Target.BaseURL)
	p.say(0, plain, "A run sends about %s; %d could change something (depth %s, seed %d).",
		wording.Count(r.Requests, "request"), r.Writes, r.Depth, r.Seed)
	p.say(0, faint, "The requests are those that a conforming server gets. A target that can be read with GET, or answers otherwise, "+
		"may get a few more or less of the same kind, to the same objects and to unknown ids; to no others.")
	if r.Provision != "" {
		p.say(0, plain, "Before the first case and after the last: %s", r.Provision)
	}
	for _, o := range r.Objects {
		p.written(&o)
	}
	if len(r.Deleted) > 0 {
		var names []string
		for _, d := range r.Deleted {
			names = append(names, fmt.Sprintf("%s %d", strings.TrimPrefix(d.Key, "objects."), d.ID))
		}
		p.title("Deleted for good")
		p.say(2, red, "%s", strings.Join(names, ", "))
		p.say(2, faint, "The other media files of a VAST creative may go with it.")
	}
	return p.write(w)
}

// written names an object, what to know of it, and how often which path that names it is sent,
// and as whom.
func (p *screen) written(o *Written) {
	var paths []string // with the methods
	n, by, users := 0, map[string]int{}, map[string][]string{}
	for _, r := range o.Requests {
		path := r.Method + " " + r.Path
		n += r.Times
		by[path+" "+r.Credential] += r.Times
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
		if !slices.Contains(users[path], r.Credential) {
			users[path] = append(users[path], r.Credential)
		}
	}
	heading, shown := fmt.Sprintf("%s %d", strings.TrimPrefix(o.Key, "objects."), o.ID), len(paths)
	if o.Key == "" {
		heading, shown = "unknown ids", maxUnknown
	}
	p.title("%s: %s", heading, wording.Count(n, "request"))
	if o.Foreign {
		p.say(2, faint, "the owner's have to be refused; the stranger's look at it, or put it back")
	}
	if len(o.Unnamed) > 0 {
		p.say(2, red, "%s; unless the target shows them before the first write, they cannot be put back",
			WithoutValues([]judge.Unnamed{{Key: o.Key, Fields: o.Unnamed}}))
	}
	first(p, paths, shown, " such paths; --json has all", func(path string) {
		var as []string
		for _, user := range users[path] {
			as = append(as, fmt.Sprintf("%s %d×", user, by[path+" "+user]))
		}
		p.say(2, plain, "%s as %s", path, strings.Join(as, ", "))
	})
}
