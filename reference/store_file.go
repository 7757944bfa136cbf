package reference

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/adconform/adconform/spec"
)

// dataBucket marks a file as ours. In it are the objects in JSON, by their keys
// in words. Another layout gets another number.
var dataBucket = []byte("adconform world 1")

// lockTimeout is how long is waited for a file that another process uses; one
// that is just ending shall not matter.
const lockTimeout = time.Second

// openFile opens a data file, or makes one, and reads it. A file that is not
// ours is left as it is.
func openFile(path string) (file *bbolt.DB, objects map[key]*object, err error) {
	// Reading a damaged file may run out of the mapped memory.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("it is damaged (%v); give another file", cause)
		}
		if err != nil && file != nil {
			file.Close()
		}
	}()
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return nil, nil, errors.New("it is no regular file")
	case err == nil && info.Size() > 0: // opening it to write might change what is not ours
		if file, err = bbolt.Open(path, 0, &bbolt.Options{Timeout: lockTimeout, ReadOnly: true}); err == nil {
			err = checkOurs(file)
			file.Close()
		}
		if err != nil {
			return nil, nil, openingFailed(err)
		}
	}
	if file, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockTimeout}); err != nil {
		return nil, nil, openingFailed(err)
	}
	objects, err = readObjects(file)
	return file, objects, err
}

var errForeign = errors.New("it is no data file of adconform serve; give another path, or none yet")

func openingFailed(err error) error {
	pathError, ofPath := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return errors.New("another process uses it; end that one, or give another file")
	case ofPath:
		return pathError.Err
	}
	return errForeign
}

// checkOurs accepts a file with our bucket, or with none at all.
func checkOurs(file *bbolt.DB) error {
	return file.View(func(t *bbolt.Tx) error {
		if t.Bucket(dataBucket) != nil {
			return nil
		}
		return t.ForEach(func([]byte, *bbolt.Bucket) error { return errForeign })
	})
}

// decoders read objects by kind.
var decoders = map[string]func([]byte) (*object, error){
	userKind:     decode[string],
	profileKind:  decode[spec.ConnectionProfile],
	ruleKind:     decode[spec.ConnectionProfileRule],
	hostKind:     decode[spec.ConnectionProfileRuleHost],
	campaignKind: decode[spec.Campaign],
	creativeKind: decode[spec.Creative],
}

func decode[T any](data []byte) (*object, error) {
	var value T
	o := &object{Value: &value}
	err := json.Unmarshal(data, o)
	o.Value = value
	return o, err
}

// readObjects reads all that a file holds; nothing in a new one.
func readObjects(file *bbolt.DB) (map[key]*object, error) {
	objects := map[key]*object{}
	err := file.View(func(t *bbolt.Tx) error {
		all := t.Bucket(dataBucket)
		if all == nil {
			return nil
		}
		return all.ForEach(func(name, data []byte) error {
			kind, number, _ := strings.Cut(string(name), " ")
			id, err := strconv.ParseInt(number, 10, 64)
			decode := decoders[kind]
			if err != nil || decode == nil {
				return fmt.Errorf("it is damaged: there is a key %q", name)
			}
			if objects[key{kind, id}], err = decode(data); err != nil {
				return fmt.Errorf("it is damaged: %s: %w", name, err)
			}
			return nil
		})
	})
	return objects, err
}

// save writes changes to a file, or with anew what takes the place of all that it
// holds. They are on the disk when it returns.
func save(file *bbolt.DB, changes map[key]*object, anew bool) error {
	return file.Update(func(t *bbolt.Tx) error {
		if anew && t.Bucket(dataBucket) != nil {
			if err := t.DeleteBucket(dataBucket); err != nil {
				return err
			}
		}
		all, err := t.CreateBucketIfNotExists(dataBucket)
		for k, o := range changes {
			if err != nil {
				return err
			}
			if o == nil {
				err = all.Delete([]byte(k.String()))
				continue
			}
			var data []byte
			if data, err = json.Marshal(o); err == nil {
				err = all.Put([]byte(k.String()), data)
			}
		}
		return err
	})
}
