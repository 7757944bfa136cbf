package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/adconform/adconform/internal/files"
	"github.com/adconform/adconform/spec"
)

// Bounds on what a recording may make of memory, in bytes.
const (
	maxEntry = 32 << 20  // an entry of a HTTP Archive, or anything else in it
	maxWhole = 64 << 20  // what is read as a whole: a collection, a Newman report
	maxKept  = 256 << 20 // the exchanges of the operations together
)

// Find lists the recordings of a folder: what is named as recorders name it.
func Find(folder string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && isRecording(strings.ToLower(path)) {
			found = append(found, path)
		}
		return err
	})
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: no recording in this folder: want *.har, *.har.gz or *.postman_collection.json", folder)
	}
	return found, err
}

func isRecording(path string) bool {
	ends := []string{".har", ".har.gz", ".postman_collection.json"}
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(path, end) })
}

// Open reads a recording, packed by gzip or not; - is standard input. Errors name
// file, entry and reason.
func Open(path string, stdin io.Reader, c *spec.Contract) (*Recording, error) {
	name, in := "standard input", stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, reason(err))
		}
		defer f.Close()
		name, in = path, f
	}
	r := &Recording{Name: name, contract: c}
	plain, err := unpacked(in)
	if err == nil {
		err = r.read(plain)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	}
	return r, nil
}

// unpacked is what is read, without its packing and its byte order mark, which
// Firefox writes.
func unpacked(in io.Reader) (*bufio.Reader, error) {
	plain := bufio.NewReaderSize(in, 64<<10)
	if magic, _ := plain.Peek(2); string(magic) == "\x1f\x8b" {
		packed, err := gzip.NewReader(plain)
		if err != nil {
			return nil, fmt.Errorf("it is not whole: %w", err)
		}
		plain = bufio.NewReader(packed)
	}
	switch mark, err := plain.Peek(3); {
	case bytes.HasPrefix(mark, []byte("\xff\xfe")), bytes.HasPrefix(mark, []byte("\xfe\xff")):
		return nil, errors.New("it is in UTF-16: save it in UTF-8")
	case string(mark) == "\xef\xbb\xbf":
		_, err := plain.Discard(len(mark))
		return plain, err
	case len(mark) == 0 && !errors.Is(err, io.EOF):
		return nil, err
	}
	return plain, nil
}

// reason is what is wrong with a file, without its name.
func reason(err error) error {
	if errors.Is(err, syscall.EISDIR) {
		return errors.New("it is a folder")
	}
	return files.WithoutPath(err)
}
