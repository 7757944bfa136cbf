package recording

import (
	"bytes"
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

// value reads the next value, at most maxEntry bytes, into v.
func (d *reader) value(v any) error {
	d.in.left = maxEntry
	return d.Decode(v)
}

// members walks through an object.
func (d *reader) members(each func(name string) error) error {
	if err := d.open('{'); err != nil {
		return err
	}
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
func (r *Recording) read() error {
	in := &allowance{io.NewSectionReader(r.source.file, 0, r.source.size), maxEntry}
	start, err := skipMark(in.Reader)
	switch {
	case err != nil:
		return err
	case start.first == 0:
		return errors.New("it is empty")
	case start.first != '{':
		return errForm
	}
	in.Reader = start
	d := &reader{json.NewDecoder(in), in}
	var members []string
	har := false
	err = d.members(func(name string) error {
		members = append(members, name)
		if name == "log" {
			if har {
				return errors.New("log is there twice")
			}
			har = true
			return r.readHAR(d, start.skipped)
		}
		return d.value(new(json.RawMessage))
	})
	if err == nil {
		if _, after := d.Token(); !errors.Is(after, io.EOF) {
			err = fmt.Errorf("there is more after its end, at byte %d", d.InputOffset())
		}
	}
	isPostman, isNewman := false, false
	for _, m := range members {
		isPostman, isNewman = isPostman || m == "item", isNewman || m == "run"
	}
	switch {
	case har:
		return jsonError(err, d)
	case isNewman:
		return r.readNewman()
	case isPostman:
		return r.readPostman()
	case err != nil:
		return jsonError(err, d)
	}
	return errForm
}

// beginning is a file after its byte order mark.
type beginning struct {
	io.Reader
	skipped int64
	first   byte // that is no white space; 0 where there is none
}

// skipMark leaves out a byte order mark, which Firefox writes.
func skipMark(in io.Reader) (*beginning, error) {
	head := make([]byte, 4<<10)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	head = head[:n]
	b := &beginning{}
	if rest, marked := bytes.CutPrefix(head, []byte("\xef\xbb\xbf")); marked {
		head, b.skipped = rest, 3
	} else if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return nil, errors.New("it is in UTF-16: save it in UTF-8")
	}
	if text := bytes.TrimLeft(head, " \t\r\n"); len(text) > 0 {
		b.first = text[0]
	}
	b.Reader = io.MultiReader(bytes.NewReader(head), in)
	return b, nil
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
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax) && strings.HasPrefix(syntax.Error(), "unexpected end"):
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
