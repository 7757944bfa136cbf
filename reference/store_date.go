package reference

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// date keeps a time as microseconds since 1970, which sorts and compares alike
// in every database. Convert *time.Time to *date to read or write one.
type date time.Time

// Value implements driver.Valuer.
func (d date) Value() (driver.Value, error) { return time.Time(d).UnixMicro(), nil }

// Scan implements sql.Scanner.
func (d *date) Scan(src any) error {
	micros, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a date is stored as %T, want microseconds", src)
	}
	*d = date(time.UnixMicro(micros).UTC())
	return nil
}

// nullDate reads a date that may be null.
type nullDate struct{ at **time.Time }

// Scan implements sql.Scanner.
func (d nullDate) Scan(src any) error {
	*d.at = nil
	if src == nil {
		return nil
	}
	*d.at = new(time.Time)
	return (*date)(*d.at).Scan(src)
}
