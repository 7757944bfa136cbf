package consistency

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/internal/reftest"
	"github.com/adconform/adconform/spec"
)

// TestKillLosesNothingAcknowledged: writers change an object each, one request
// after the other, until their server is killed in the middle of it. Then each
// object shows the last acknowledged change, or the one after it, of which
// nobody knows whether it was made.
func TestKillLosesNothingAcknowledged(t *testing.T) {
	kills := reftest.Of(6, 2)
	for _, d := range databases {
		if !d.survives {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			db := d.create(t)
			processes := make([]*process, d.processes)
			for i := range processes {
				processes[i] = serve(t, db)
			}
			writers := newWriters()
			for round := range kills {
				victim := round % len(processes)
				writeUntilKilled(t, writers, processes, victim, 30*(round+1))
				processes[victim] = serve(t, db)
				for _, w := range writers {
					if err := w.verify(processes[victim]); err != nil {
						t.Errorf("kill %d: %v", round+1, err)
					}
				}
			}
			changes := 0
			for _, w := range writers {
				changes += w.acknowledged
			}
			t.Logf("%d changes acknowledged, %d kills", changes, kills)
		})
	}
}

// writeUntilKilled lets the writers write, spread over the processes, and kills
// one of them once so many changes are acknowledged. It returns when the last
// writer has stopped.
func writeUntilKilled(t *testing.T, writers []*writer, processes []*process, victim, enough int) {
	var all sync.WaitGroup
	acknowledged := make(chan struct{})
	killed := make(chan struct{})
	for i, w := range writers {
		all.Go(func() {
			for {
				err := w.write(processes[i%len(processes)])
				if _, refused := errors.AsType[refusal](err); refused {
					t.Errorf("%s: %v", w.object, err)
				}
				if err != nil {
					return
				}
				select {
				case acknowledged <- struct{}{}:
				case <-killed:
					return
				}
			}
		})
	}
	for range enough {
		select {
		case <-acknowledged:
		case <-t.Context().Done():
		}
	}
	go func() { // whoever has an answer goes on, so that requests are under way
		for {
			select {
			case <-acknowledged:
			case <-killed:
				return
			}
		}
	}()
	processes[victim].kill()
	close(killed)
	all.Wait()
}

// writer changes an object that nobody else changes.
type writer struct {
	object, field string
	acknowledged  int    // how many changes
	value         string // that the last of them gave; "" before the first
	attempted     string // by a change that got no answer; "" if there is none
	files         []string
}

func newWriters() []*writer {
	const (
		profile   = "/connection-profiles/12"
		hosts34   = profile + "/rules/34/hosts/"
		mediaFile = "/creatives/220"
	)
	all := []*writer{
		{object: "/campaigns/25", field: "name"},
		{object: "/campaigns/26", field: "name"},
		{object: profile, field: "name"},
		{object: "/connection-profiles/13", field: "name"},
		{object: hosts34 + "56", field: "hostname"},
		{object: hosts34 + "58", field: "hostname"},
		{object: profile + "/rules/35/hosts/57", field: "hostname"},
	}
	deleter := &writer{object: mediaFile}
	for _, c := range world.Creatives {
		if c.ParentID != nil && *c.ParentID == 220 {
			deleter.files = append(deleter.files, fmt.Sprint(c.ID))
		}
	}
	return append(all, deleter)
}

// write makes the next change.
func (w *writer) write(p *process) error {
	if w.field == "" {
		return w.delete(p)
	}
	w.attempted = fmt.Sprintf("n%d.example.com", w.acknowledged+1)
	status, body, err := p.send("PATCH", w.object, fmt.Sprintf(`{%q:%q}`, w.field, w.attempted))
	if err == nil && status != 200 {
		err = unexpected(status, body)
	}
	if err != nil {
		return err
	}
	w.value, w.attempted = w.attempted, ""
	w.acknowledged++
	return nil
}

func (w *writer) delete(p *process) error {
	if w.acknowledged == len(w.files) {
		return errors.New("all is deleted")
	}
	w.attempted = w.files[w.acknowledged]
	status, body, err := p.send("DELETE", "/creatives/"+w.attempted, "")
	if err == nil && status != 204 {
		err = unexpected(status, body)
	}
	if err != nil {
		return err
	}
	w.attempted = ""
	w.acknowledged++
	return nil
}

// verify says what is wrong with the object, and takes for acknowledged what
// turns out to be made.
func (w *writer) verify(p *process) error {
	if w.field == "" {
		return w.verifyFiles(p)
	}
	status, body, err := p.send("PATCH", w.object, `{}`)
	var answer spec.Data[map[string]any]
	if err = errors.Join(err, json.Unmarshal([]byte(body), &answer)); err != nil || status != 200 {
		return fmt.Errorf("%s: %d %s (%w)", w.object, status, body, err)
	}
	shown, _ := answer.Data[w.field].(string)
	switch {
	case w.attempted != "" && shown == w.attempted:
		w.acknowledged++
	case w.value != "" && shown != w.value:
		return fmt.Errorf("%s: expected %q, which was acknowledged, or %q; got %q", w.object, w.value, w.attempted, shown)
	}
	w.value, w.attempted = shown, ""
	return nil
}

func (w *writer) verifyFiles(p *process) error {
	if w.attempted != "" { // deleting it again waits for the first attempt, which the database may still be at
		if status, body, err := p.send("DELETE", "/creatives/"+w.attempted, ""); err != nil || status != 204 && status != 404 {
			return fmt.Errorf("%s: %d %s (%w)", w.attempted, status, body, err)
		}
		w.acknowledged++
		w.attempted = ""
	}
	var shown []string
	for page := 1; ; page++ {
		ids, pages, err := filesOnPage(p, w.object, page)
		if err != nil {
			return err
		}
		shown = append(shown, ids...)
		if page >= pages {
			break
		}
	}
	if left := w.files[w.acknowledged:]; !slices.Equal(shown, left) {
		return fmt.Errorf("%s: expected the files %s; got %s", w.object, strings.Join(left, " "), strings.Join(shown, " "))
	}
	return nil
}

func filesOnPage(p *process, object string, page int) (ids []string, pages int, err error) {
	status, body, err := p.send("GET", fmt.Sprintf("%s/media-files?page=%d", object, page), "")
	var answer spec.List[spec.Creative]
	if err = errors.Join(err, json.Unmarshal([]byte(body), &answer)); err != nil || status != 200 {
		return nil, 0, fmt.Errorf("%s: %d %s (%w)", object, status, body, err)
	}
	for _, c := range answer.Data {
		ids = append(ids, fmt.Sprint(c.ID))
	}
	return ids, int(answer.Meta.Pagination.TotalPages), nil
}
