package main

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/adconform/adconform/spec"
)

func readBases(text string) (bases []spec.Basis, err error) {
	for word := range strings.SplitSeq(text, ",") {
		basis, err := ReadOneOf(strings.TrimSpace(word), spec.Bases())
		if err != nil {
			return nil, err
		}
		bases = append(bases, basis)
	}
	return bases, nil
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

// ReadCount reads a number that is not 0.
func ReadCount(text string) (int, error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n, nil
	}
	return 0, errors.New("want a number, more than 0")
}

// ReadTime reads a time that is not 0.
func ReadTime(text string) (time.Duration, error) {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, errors.New("want a time such as 10s, 500ms or 1m30s, more than 0")
}
