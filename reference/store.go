package reference

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// A world is what a server holds at one moment.
type world struct {
	Users     map[string]int64 // by the hash of the key
	Profiles  []fixtures.Profile
	Campaigns []spec.Campaign
	Creatives []spec.Creative
}

func (w *world) clone() *world {
	c := &world{
		w.Users, slices.Clone(w.Profiles), slices.Clone(w.Campaigns),
		slices.Clone(w.Creatives),
	}
	for i := range c.Profiles {
		p := &c.Profiles[i]
		p.Rules = slices.Clone(p.Rules)
		for j := range p.Rules {
			p.Rules[j].Hosts = slices.Clone(p.Rules[j].Hosts)
		}
	}
	return c
}

func (w *world) profile(id int64) *fixtures.Profile {
	return first(w.Profiles,
		func(p *fixtures.Profile) bool { return p.ID == id })
}

func (w *world) creative(id int64) *spec.Creative {
	return first(w.Creatives,
		func(c *spec.Creative) bool { return c.ID == id })
}

// first returns the first matching item, or nil.
func first[T any](items []T, is func(*T) bool) *T {
	for i := range items {
		if is(&items[i]) {
			return &items[i]
		}
	}
	return nil
}

func isFileOf(c *spec.Creative, id int64) bool {
	return c.ParentID != nil && *c.ParentID == id
}

// mediaFiles returns the media files of a creative by id.
func (w *world) mediaFiles(creativeID int64) (files []spec.Creative) {
	for _, c := range w.Creatives {
		if isFileOf(&c, creativeID) {
			files = append(files, c)
		}
	}
	slices.SortFunc(files, func(a, b spec.Creative) int {
		return cmp.Compare(a.ID, b.ID)
	})
	return files
}

// deleteCreative deletes a creative and its media files, which stay without a parent if orphan is set.
func (w *world) deleteCreative(id int64, orphan bool) {
	for i := range w.Creatives {
		if c := &w.Creatives[i]; orphan && isFileOf(c, id) {
			c.ParentID = nil
		}
	}
	w.Creatives = slices.DeleteFunc(w.Creatives, func(c spec.Creative) bool {
		return c.ID == id || isFileOf(&c, id)
	})
}

// store holds a world, and writes it to a file if there is one.
type store struct {
	mu    sync.Mutex
	world *world // never changed, only replaced, so that readers may keep it
	file  *bbolt.DB
}

// openStore fills a store with the contents of the file at path, or else with a world. The path "" means no file.
func openStore(path string, from fixtures.World) (s *store, err error) {
	s = &store{}
	if path != "" {
		if s.file, s.world, err = openFile(path); err != nil {
			return nil, fmt.Errorf("data file %s: %w", path, err)
		}
	}
	if s.world == nil {
		err = s.fill(from)
	} else if users := hashed(from.Users); len(users) > 0 && !maps.Equal(users, s.world.Users) {
		err = fmt.Errorf("data file %s: it was filled from another world, whose users have other keys; "+
			"give another file, or the world that it was filled from", path)
	}
	if err != nil {
		s.close()
	}
	return s, err
}

func (s *store) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// fill replaces the world by one that fixtures has checked. After an error the old world stays.
func (s *store) fill(from fixtures.World) error {
	if len(from.Users) == 0 {
		return errors.New("the world has no users, so no key would work; give a world such as fixtures.DefaultWorld()")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replace((&world{hashed(from.Users), from.Profiles, from.Campaigns, from.Creatives}).clone())
}

func hashed(users []fixtures.User) map[string]int64 {
	all := map[string]int64{}
	for _, u := range users {
		all[hashKey(u.Key)] = u.ID
	}
	return all
}

func (s *store) read() *world {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.world
}

// update lets do change a copy of the world, which replaces the world unless do fails.
func (s *store) update(do func(*world) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.world.clone()
	if err := do(w); err != nil {
		return err
	}
	return s.replace(w)
}

// replace replaces the world: on disk before a request sees it, or not at all.
func (s *store) replace(w *world) error {
	if s.file != nil {
		data, err := json.Marshal(w)
		if err != nil {
			return err
		}
		err = s.file.Update(func(t *bbolt.Tx) error {
			bucket, err := t.CreateBucketIfNotExists(bucketName)
			if err != nil {
				return err
			}
			return bucket.Put(worldName, data)
		})
		if err != nil {
			return err
		}
	}
	s.world = w
	return nil
}

// The bucket marks a file as ours. Another layout gets another number.
var bucketName, worldName = []byte("adconform world 2"), []byte("world")

// openFile opens or makes a data file and reads it; held is nil for a new one. It does not change a file that is not
// ours.
func openFile(path string) (file *bbolt.DB, held *world, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // a damaged file may refer to data beyond its end
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("it is damaged (%v); give another file", cause)
		}
		if err != nil && file != nil {
			file.Close()
		}
	}()
	errForeign := errors.New("it is no data file of adconform serve; give another path, or none yet")
	// The time-out waits for a process that is just ending. Syncing the free list would write to a file that may not be
	// ours.
	file, err = bbolt.Open(path, 0o600,
		&bbolt.Options{Timeout: time.Second, NoFreelistSync: true})
	pathError, ofPath := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, nil, errors.New("another process uses it; end that one, or give another file")
	case ofPath:
		return nil, nil, fmt.Errorf("%w; name a file in an existing folder", pathError.Err)
	case err != nil:
		return nil, nil, errForeign
	}
	return file, held, file.View(func(t *bbolt.Tx) error {
		bucket := t.Bucket(bucketName)
		if bucket == nil {
			return t.ForEach(func([]byte, *bbolt.Bucket) error { return errForeign })
		}
		if err := json.Unmarshal(bucket.Get(worldName), &held); err != nil {
			return fmt.Errorf("it is damaged: %w", err)
		}
		return nil
	})
}

// World returns what the server holds, without the users.
func (s *Server) World() fixtures.World {
	w := s.store.read()
	return fixtures.World{Profiles: w.Profiles, Campaigns: w.Campaigns, Creatives: w.Creatives}
}
