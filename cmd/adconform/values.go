package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adconform/adconform/internal/wording"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites"
	"github.com/adconform/adconform/suites/judge"
	"github.com/adconform/adconform/suites/report"
)

// value is a flag whose text is read by a function.
type value[T any] struct {
	read func(string) (T, error)
	to   *T
	kind string // what help calls it
	text string
}

// Set implements pflag.Value.
func (v *value[T]) Set(text string) error {
	read, err := v.read(text)
	if err == nil {
		*v.to, v.text = read, text
	}
	return err
}

// String implements pflag.Value.
func (v *value[T]) String() string { return v.text }

// Type implements pflag.Value.
func (v *value[T]) Type() string { return v.kind }

func depthNames() []string {
	return []string{judge.Quick.String(), judge.Standard.String(), judge.Deep.String()}
}

func readDepth(text string) (judge.Depth, error) {
	i := slices.Index(depthNames(), text)
	if i < 0 {
		return 0, oneOf(text, depthNames())
	}
	return judge.Depth(i), nil
}

func levelNames() []string {
	var all []string
	for _, l := range report.Levels() {
		all = append(all, string(l))
	}
	return all
}

func readLevel(text string) (report.Level, error) {
	_, err := readOneOf(text, levelNames())
	return report.Level(text), err
}

func basisNames() []string {
	var all []string
	for _, b := range spec.Bases() {
		all = append(all, string(b))
	}
	return all
}

func readBases(text string) ([]spec.Basis, error) {
	var bases []spec.Basis
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); !slices.Contains(basisNames(), word) {
			return nil, oneOf(word, basisNames())
		}
		bases = append(bases, spec.Basis(word))
	}
	return bases, nil
}

func readFormat(text string) (string, error) { return readOneOf(text, []string{"text", "json"}) }

func readOneOf(text string, known []string) (string, error) {
	if !slices.Contains(known, text) {
		return "", oneOf(text, known)
	}
	return text, nil
}

func readSubject(text string) (*report.Subject, error) {
	s, err := report.ReadSubject(text)
	if err != nil {
		return nil, err
	}
	return &s, nil
}

func oneOf(word string, known []string) error {
	return fmt.Errorf("want one of %s%s", strings.Join(known, ", "), wording.DidYouMean(word, known))
}

var ratePattern = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)(?:/([smh]))?$`)

// readRate reads requests a second, minute or hour, as a target file has them.
func readRate(text string) (float64, error) {
	if m := ratePattern.FindStringSubmatch(text); m != nil {
		if rate, err := strconv.ParseFloat(m[1], 64); err == nil && rate > 0 && !math.IsInf(rate, 0) {
			return rate / map[string]float64{"": 1, "s": 1, "m": 60, "h": 3600}[m[2]], nil
		}
	}
	return 0, errors.New("want requests a second, minute or hour such as 10/s, 90/m or 500/h, more than 0")
}

func readCount(text string) (int, error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n, nil
	}
	return 0, errors.New("want a number, more than 0")
}

func readTime(text string) (time.Duration, error) {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, errors.New("want a time such as 10s, 500ms or 1m30s, more than 0")
}

// readBudget reads a number of requests or a time.
func readBudget(text string) (suites.Budget, error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return suites.Budget{Requests: n}, nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return suites.Budget{Time: d}, nil
	}
	return suites.Budget{}, errors.New("want a number of requests such as 60 or a time such as 2m, more than 0")
}
