package main

import (
	"fmt"
	"slices"
	"time"
)

// Figure is what was measured so many times: the median, and the quartiles on
// both sides of it.
type Figure struct {
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Rounds int     `json:"rounds"`
}

// Figures are by id: "suite/one-lane", "lanes/8/50ms/ideal".
type Figures map[string]Figure

func newFigure(values []float64) Figure {
	sorted := slices.Sorted(slices.Values(values))
	at := func(quarters int) float64 { return sorted[(len(sorted)-1)*quarters/4] }
	return Figure{Median: at(2), Low: at(1), High: at(3), Rounds: len(sorted)}
}

// String is the median with the quartiles, as exact as they are.
func (f Figure) String() string {
	if f.Rounds == 1 {
		return number(f.Median)
	}
	return fmt.Sprintf("%s (%s to %s)", number(f.Median), number(f.Low), number(f.High))
}

func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 0.1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// samples collect the values of each figure round by round.
type samples map[string][]float64

func (s samples) add(id string, value float64) { s[id] = append(s[id], value) }

func (s samples) figures() Figures {
	f := Figures{}
	for id, values := range s {
		f[id] = newFigure(values)
	}
	return f
}

// timed is how long do takes.
func timed(do func() error) (time.Duration, error) {
	start := time.Now()
	err := do()
	return time.Since(start), err
}

// spent is the processor time that one of n calls of do takes.
func spent(n int, do func() error) (time.Duration, error) {
	before := processorTime()
	for range n {
		if err := do(); err != nil {
			return 0, err
		}
	}
	return (processorTime() - before) / time.Duration(n), nil
}
