package recording

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/adconform/adconform/internal/wording"
)

// reader walks through a file without keeping it.
type reader struct {
	*json.Decoder
	in *allowance
}

// allowance fails when more is read than was granted, so that one value cannot
// take all memory.
type allowance struct {
	io.Reader
	left int64
}

var errLarge = fmt.Errorf("it is larger than %d MiB: record without large bodies", maxEntry>>20)

func (a *allowance) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, errLarge
	}
	n, err := a.Reader.Read(p[:min(int64(len(p)), a.left)])
	a.left -= int64(n)
	return n, err
}

// value reads the next value, of at most so many bytes, into v.
func (d *reader) value(v any, limit int64) error {
	d.in.left = limit
	return d.Decode(v)
}

// members walks through an object that was opened.
func (d *reader) members(each func(name string) error) error {
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		if err := each(name.(string)); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// open reads the bracket that begins an object or array.
func (d *reader) open(bracket json.Delim) error {
	d.in.left = maxEntry
	t, err := d.Token()
	if err == nil && t != bracket {
		return fmt.Errorf("%q stands where %q is wanted", wording.Clip(fmt.Sprint(t), maxShown), bracket.String())
	}
	return err
}

// maxShown is how much of a text an error shows, in characters.
const maxShown = 30

var errForm = errors.New("it is no recording: want a HTTP Archive (.har), a Postman collection or a report of Newman's JSON reporter")

// read finds out what a file is and lists what is in it.
func (r *Recording) read(plain *bufio.Reader) error {
	in := &allowance{plain, maxEntry}
	d := &reader{json.NewDecoder(in), in}
	switch t, err := d.Token(); {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case err != nil || t != json.Delim('{'):
		return errForm
	}
	others := map[string]json.RawMessage{}
	har, size := false, 0
	err := d.members(func(name string) error {
		if name == "log" {
			if har {
				return errors.New("log is there twice")
			}
			har = true
			return r.readHAR(d)
		}
		var raw json.RawMessage
		err := d.value(&raw, maxWhole)
		if size += len(raw); size > maxWhole {
			return fmt.Errorf("it is larger than %d MiB: save less in one file", maxWhole>>20)
		}
		others[name] = raw
		return err
	})
	if err == nil {
		_, err = d.Token()
		switch syntax := (*json.SyntaxError)(nil); {
		case errors.Is(err, io.EOF):
			err = nil
		case err == nil, errors.As(err, &syntax):
			err = fmt.Errorf("there is more after its end, at byte %d", d.InputOffset())
		}
	}
	switch {
	case har || err != nil:
		return jsonError(err, d)
	case others["run"] != nil:
		return r.readNewman(others["run"])
	case others["item"] != nil:
		return r.readPostman(others)
	}
	return errForm
}

// jsonError puts what a JSON decoder says into words of ours.
func jsonError(err error, d *reader) error {
	where := ""
	var in *entryError
	if errors.As(err, &in) {
		where = fmt.Sprintf("entry %d: ", in.number)
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end"):
		return fmt.Errorf("%sit ends too early: is it complete?", where)
	case errors.As(err, &syntax):
		return fmt.Errorf("%sit is not JSON, at byte %d: %s", where, d.InputOffset(), strings.ToValidUTF8(syntax.Error(), "?"))
	}
	return err
}

// entryError is an error within an entry.
type entryError struct {
	number int
	err    error
}

func (e *entryError) Error() string { return fmt.Sprintf("entry %d: %v", e.number, e.err) }
func (e *entryError) Unwrap() error { return e.err }
