package recording

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adconform/adconform/spec"
)

// Bounds on what a recording may make of disk and memory.
const (
	maxFile  = 8 << 30  // bytes, unpacked
	maxEntry = 32 << 20 // bytes of an entry of a HTTP Archive
	maxWhole = 64 << 20 // bytes of what is read as a whole: a collection, a Newman report
)

// source is a recorded file that can be read at any place.
type source struct {
	file *os.File
	size int64
	temp bool // made here, so to be removed
}

// Find lists the recordings of a folder: what is named as recorders name it.
func Find(folder string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && slices.ContainsFunc([]string{".har", ".har.gz", ".postman_collection.json"}, func(end string) bool { return strings.HasSuffix(strings.ToLower(path), end) }) {
			found = append(found, path)
		}
		return err
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: no recording in this folder: want *.har, *.har.gz or *.postman_collection.json", folder)
	}
	return found, err
}

// Open reads a recording, packed by gzip or not; - is standard input. Errors name
// file, entry and reason.
func Open(path string, stdin io.Reader, c *spec.Contract) (*Recording, error) {
	name := path
	in := stdin
	if path == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, reason(err))
		}
		in = f
	}
	r := &Recording{Name: name, contract: c}
	err := r.unpack(in)
	if err == nil {
		err = r.read()
	}
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

// Close ends reading; nothing can be judged any more.
func (r *Recording) Close() {
	if r.source == nil {
		return
	}
	r.source.file.Close()
	if r.source.temp {
		os.Remove(r.source.file.Name())
	}
}

// unpack makes a file that can be read at any place of what is none: standard
// input, or a packed file.
func (r *Recording) unpack(in io.Reader) error {
	file, isFile := in.(*os.File)
	if isFile {
		info, err := file.Stat()
		if err == nil && info.IsDir() {
			file.Close()
			return errors.New("it is a folder")
		}
		isFile = err == nil && info.Mode().IsRegular()
		r.source = &source{file: file}
		if isFile {
			r.source.size = info.Size()
		}
	}
	peeked := bufio.NewReaderSize(in, 64<<10)
	magic, _ := peeked.Peek(2)
	packed := string(magic) == "\x1f\x8b"
	if isFile && !packed {
		return nil
	}
	var plain io.Reader = peeked
	if packed {
		unpacked, err := gzip.NewReader(peeked)
		if err != nil {
			return fmt.Errorf("it is not whole: %w", err)
		}
		plain = unpacked
	}
	temp, err := os.CreateTemp("", "adconform-recording-*") // only its owner may read it
	if err != nil {
		return err
	}
	n, err := io.Copy(temp, io.LimitReader(plain, maxFile+1))
	r.Close() // what was read from
	r.source = &source{temp, n, true}
	switch {
	case err != nil && packed:
		return fmt.Errorf("it cannot be unpacked: %w", err)
	case err != nil:
		return err
	case n > maxFile:
		return fmt.Errorf("it is larger than %d GiB: record less", maxFile>>30)
	}
	return nil
}

// whole reads all of a file that is small enough for it.
func (s *source) whole() ([]byte, error) {
	if s.size > maxWhole {
		return nil, fmt.Errorf("it is larger than %d MiB: save less in one file", maxWhole>>20)
	}
	data := make([]byte, s.size)
	if _, err := s.file.ReadAt(data, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, reason(err)
	}
	return data, nil
}

// reason is what is wrong with a file, without its name.
func reason(err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
