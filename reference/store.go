package reference

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"go.etcd.io/bbolt"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

// errNotExist is the error of looking for an object that is not there.
var errNotExist = errors.New("no such object")

// store holds the world: a map under a mutex, and a file too if there is one.
// Nothing in the map is ever written into, only replaced, so what a transaction
// has read may be used when it has ended.
type store struct {
	mu      sync.Mutex
	objects map[key]*object
	users   map[string]int64 // by the hash of the key
	file    *bbolt.DB        // nil for none
}

// key says where an object is.
type key struct {
	kind string
	id   int64
}

func (k key) String() string { return k.kind + " " + strconv.FormatInt(k.id, 10) }

// The kinds of objects.
const (
	userKind     = "users"
	profileKind  = "profiles"
	ruleKind     = "rules"
	hostKind     = "hosts"
	campaignKind = "campaigns"
	creativeKind = "creatives"
)

// object is anything that the world holds.
type object struct {
	Owner  int64 `json:"owner,omitempty"`
	Parent int64 `json:"parent,omitempty"` // the profile of a rule, the rule of a host
	// Value is the wire type; of a user it is the hash of the key.
	Value any `json:"value"`
}

// openStore fills a store with a world, or with what the file at path holds; ""
// stands for no file.
func openStore(path string, w fixtures.World) (*store, error) {
	if path == "" {
		s := &store{}
		return s, s.fill(w)
	}
	file, objects, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("data file %s: %w", path, err)
	}
	s := &store{file: file}
	if len(objects) == 0 {
		err = s.fill(w)
	} else {
		s.use(objects)
		err = s.checkUsers(w)
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("data file %s: %w", path, err)
	}
	return s, nil
}

func (s *store) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// fill puts a world in the place of all that is there. After an error the old
// one still is.
func (s *store) fill(w fixtures.World) error {
	objects, err := objectsOf(w)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		if err := save(s.file, objects, true); err != nil {
			return err
		}
	}
	s.use(objects)
	return nil
}

// use takes over objects. They belong to the store from then on.
func (s *store) use(objects map[key]*object) {
	users := map[string]int64{}
	for k, o := range objects {
		if hash, isUser := o.Value.(string); isUser {
			users[hash] = k.id
		}
	}
	s.objects, s.users = objects, users
}

// checkUsers refuses another world than the one that a file was filled from:
// the keys of its users would not work.
func (s *store) checkUsers(w fixtures.World) error {
	for _, u := range w.Users {
		if s.users[hashKey(u.Key)] != u.ID {
			return fmt.Errorf("it was filled from another world, in which user %d (%s) has another key; "+
				"give another file, or the world that it was filled from", u.ID, u.Name)
		}
	}
	return nil
}

// user returns the user with a key, or errNotExist. Keys are looked up by their
// hashes: the time that it takes says nothing of how much of a key is right.
func (s *store) user(apiKey string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, known := s.users[hashKey(apiKey)]
	if !known {
		return 0, errNotExist
	}
	return id, nil
}

// transaction runs do alone. What it changes is kept as a whole: on the disk
// before anybody sees it, or not at all if do fails or panics.
func (s *store) transaction(do func(*tx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &tx{s.objects, map[key]*object{}}
	if err := do(t); err != nil {
		return err
	}
	if s.file != nil && len(t.changes) > 0 {
		if err := save(s.file, t.changes, false); err != nil {
			return err
		}
	}
	for k, o := range t.changes {
		if o == nil {
			delete(s.objects, k)
		} else {
			s.objects[k] = o
		}
	}
	return nil
}

// tx is a transaction. It sees the world as it was when it began.
type tx struct {
	objects map[key]*object
	changes map[key]*object // nil for an object that goes
}

// find returns the object at the end of a path of kinds and ids, or errNotExist:
// each has to be there and to belong to the one before.
func (t *tx) find(kinds []string, ids []int64) (k key, found *object, err error) {
	for i, kind := range kinds {
		k = key{kind, ids[i]}
		if found = t.objects[k]; found == nil || i > 0 && found.Parent != ids[i-1] {
			return k, nil, errNotExist
		}
	}
	return k, found, nil
}

// nameTaken says whether another object of the kind and the owner has the name.
func (t *tx) nameTaken(k key, owner int64, name string) (taken bool) {
	for other, o := range t.objects {
		if other.kind != k.kind || other == k || o.Owner != owner {
			continue
		}
		switch v := o.Value.(type) {
		case spec.ConnectionProfile:
			taken = taken || v.Name == name
		case spec.Campaign:
			taken = taken || v.Name == name
		}
	}
	return taken
}

func (t *tx) creative(id int64) (c spec.Creative, err error) {
	_, found, err := t.find([]string{creativeKind}, []int64{id})
	if err == nil {
		c = found.Value.(spec.Creative)
	}
	return c, err
}

// mediaFiles returns the media files of a creative by id.
func (t *tx) mediaFiles(creativeID int64) (files []spec.Creative) {
	for _, o := range t.objects {
		if c, ok := o.Value.(spec.Creative); ok && c.ParentID != nil && *c.ParentID == creativeID {
			files = append(files, c)
		}
	}
	slices.SortFunc(files, func(a, b spec.Creative) int { return cmp.Compare(a.ID, b.ID) })
	return files
}

// deleteCreative deletes a creative and its media files.
func (t *tx) deleteCreative(id int64) {
	k := key{creativeKind, id}
	if _, done := t.changes[k]; done {
		return
	}
	t.changes[k] = nil
	for _, file := range t.mediaFiles(id) {
		t.deleteCreative(file.ID)
	}
}

// orphanMediaFiles takes the media files of a creative from it.
func (t *tx) orphanMediaFiles(creativeID int64) {
	for _, file := range t.mediaFiles(creativeID) {
		file.ParentID = nil
		t.changes[key{creativeKind, file.ID}] = &object{Owner: file.UserID, Value: file}
	}
}

// objectsOf are the objects of a world.
func objectsOf(w fixtures.World) (objects map[key]*object, err error) {
	objects = map[key]*object{}
	add := func(kind string, id int64, o object) {
		k := key{kind, id}
		switch {
		case err != nil:
		case objects[k] != nil:
			err = fmt.Errorf("the world has two %s with the id %d", kind, id)
		case kind != userKind && objects[key{userKind, o.Owner}] == nil:
			err = fmt.Errorf("the world has no user %d, who owns one of its %s (id %d)", o.Owner, kind, id)
		default:
			objects[k] = &o
		}
	}
	if len(w.Users) == 0 {
		return nil, errors.New("the world has no users, so nobody could use the server; give a world such as fixtures.DefaultWorld()")
	}
	users := map[string]bool{}
	for _, u := range w.Users {
		hash := hashKey(u.Key)
		if u.Key == "" || users[hash] {
			return nil, fmt.Errorf("user %d of the world has no key of its own; give one", u.ID)
		}
		users[hash] = true
		add(userKind, u.ID, object{Value: hash})
	}
	for _, p := range w.Profiles {
		add(profileKind, p.ID, object{Owner: p.UserID, Value: p.ConnectionProfile})
		for _, r := range p.Rules {
			add(ruleKind, r.ID, object{p.UserID, p.ID, r.ConnectionProfileRule})
			for _, h := range r.Hosts {
				add(hostKind, h.ID, object{p.UserID, r.ID, h})
			}
		}
	}
	for _, c := range w.Campaigns {
		add(campaignKind, c.ID, object{Owner: c.UserID, Value: c})
	}
	for _, c := range w.Creatives {
		c.NbMediaFiles = nil // it is counted
		add(creativeKind, c.ID, object{Owner: c.UserID, Value: c})
	}
	return objects, err
}

// Snapshot is what a server holds: by kind and id ("campaigns 25") an object,
// the date of its update left out. Two snapshots that are equal show that
// nothing was changed between them.
type Snapshot map[string]string

// Snapshot reads all that the server holds at one moment.
func (s *Server) Snapshot() (Snapshot, error) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	all := Snapshot{}
	for k, o := range s.store.objects {
		data, err := json.Marshal(o.Value)
		if err != nil {
			return nil, err
		}
		all[k.String()] = dateOfUpdate.ReplaceAllString(string(data), "")
	}
	return all, nil
}

var dateOfUpdate = regexp.MustCompile(`"updatedAt":[^,}]*`)

// Reset puts a world in the place of what the server holds, in one step: requests
// see the old world or the new one. After an error the old one is still there.
func (s *Server) Reset(w fixtures.World) error {
	err := s.store.fill(w)
	if err != nil {
		s.log.Error("reset failed", "error", err)
	}
	return err
}
