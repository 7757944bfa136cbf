package main

import (
	"io"
	"log/slog"
	"time"
)

// Forms of the log.
const (
	textLog = "text"
	jsonLog = "json"
)

// logger is what --log and --quiet ask for; nil for none.
func (o *options) logger(w io.Writer) *slog.Logger {
	switch {
	case o.quiet || o.log == "none":
		return nil
	case o.log == jsonLog:
		return slog.New(slog.NewJSONHandler(w, nil))
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: forPeople}))
}

// forPeople shortens what one reads line by line: no date, no INFO, no "request".
func forPeople(groups []string, a slog.Attr) slog.Attr {
	if len(groups) > 0 {
		return a
	}
	switch {
	case a.Key == slog.TimeKey:
		a.Value = slog.StringValue(a.Value.Time().Format("15:04:05.000"))
	case a.Key == slog.LevelKey && a.Value.String() == slog.LevelInfo.String(),
		a.Key == slog.MessageKey && a.Value.String() == "request":
		return slog.Attr{}
	case a.Value.Kind() == slog.KindDuration:
		a.Value = slog.DurationValue(a.Value.Duration().Round(10 * time.Microsecond))
	}
	return a
}
