package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The classes of unusual input, 45 of them, and what each names. Written on 2026-11-22 from
// the interface, by a contributor who had not read the suite, and kept from those who wrote
// the fuzzer until it was measured. A request is of a class when it is any of its members.

var members = slices.Concat(ofPath, ofHeaders, ofBodies)

type member struct {
	class, name string
	is          func(*request) bool
}

func matched(of func(*request) []string, expression string) func(*request) bool {
	re := regexp.MustCompile(expression)
	return func(r *request) bool { return slices.ContainsFunc(of(r), re.MatchString) }
}

func path(expression string) func(*request) bool {
	return matched(func(r *request) []string { return []string{r.path} }, expression)
}

func id(expression string) func(*request) bool {
	return matched(func(r *request) []string { return r.ids }, expression)
}

func segment(expression string) func(*request) bool {
	return matched(func(r *request) []string { return r.segments }, expression)
}

func last(expression string) func(*request) bool {
	return matched(func(r *request) []string { return r.segments[len(r.segments)-1:] }, expression)
}

func query(expression string) func(*request) bool {
	return matched(func(r *request) []string { return []string{r.query} }, expression)
}

func method(expression string) func(*request) bool {
	return matched(func(r *request) []string { return []string{r.method} }, expression)
}

func number(expression string) func(*request) bool {
	return matched(func(r *request) []string { return r.json.numbers }, expression)
}

func names(expression string) func(*request) bool {
	return matched(func(r *request) []string { return r.json.names }, expression)
}

func body(expression string) func(*request) bool {
	return matched(func(r *request) []string { return []string{string(r.body)} }, expression)
}

// headers gives the values of the headers whose names the expression matches.
func headers(name string) func(*request) []string {
	re := regexp.MustCompile("(?i)^(?:" + name + ")$")
	return func(r *request) []string {
		var values []string
		for _, f := range r.fields {
			if re.MatchString(f.name) {
				values = append(values, f.value)
			}
		}
		return values
	}
}

func header(name, expression string) func(*request) bool { return matched(headers(name), expression) }

func long(name string, bytes int) func(*request) bool {
	of := headers(name)
	return func(r *request) bool {
		return slices.ContainsFunc(of(r), func(value string) bool { return len(value) >= bytes })
	}
}

func commas(name string, most int) func(*request) bool {
	of := headers(name)
	return func(r *request) bool {
		return slices.ContainsFunc(of(r), func(value string) bool { return strings.Count(value, ",") >= most })
	}
}

// parameter looks at the values of the parameters whose names the first expression matches.
func parameter(name, expression string) func(*request) bool {
	re := regexp.MustCompile(name)
	return matched(func(r *request) []string {
		var values []string
		for _, p := range r.params {
			if re.MatchString(p.name) {
				values = append(values, p.value)
			}
		}
		return values
	}, expression)
}

// text looks at the texts of the interface's fields, of these alone where there are any.
func text(is func(string) bool, fields ...string) func(*request) bool {
	return func(r *request) bool {
		for name, value := range r.named {
			if (len(fields) == 0 || slices.Contains(fields, name)) && is(value) {
				return true
			}
		}
		return false
	}
}

func texts(expression string, fields ...string) func(*request) bool {
	return text(regexp.MustCompile(expression).MatchString, fields...)
}

func either(all ...func(*request) bool) func(*request) bool {
	return func(r *request) bool {
		return slices.ContainsFunc(all, func(is func(*request) bool) bool { return is(r) })
	}
}

func both(all ...func(*request) bool) func(*request) bool {
	return func(r *request) bool {
		return !slices.ContainsFunc(all, func(is func(*request) bool) bool { return !is(r) })
	}
}

func not(is func(*request) bool) func(*request) bool {
	return func(r *request) bool { return !is(r) }
}

// sized is an id that is a number within these bounds.
func sized(low, high float64) func(*request) bool {
	return func(r *request) bool {
		return slices.ContainsFunc(r.ids, func(id string) bool {
			n, err := strconv.ParseFloat(strings.TrimLeft(id, "+-"), 64)
			return err == nil && wholeNumber.MatchString(id) && n >= low && n < high
		})
	}
}

// paged is a page parameter that is a number within these bounds.
func paged(name string, low, high float64) func(*request) bool {
	re := regexp.MustCompile(name)
	return func(r *request) bool {
		return slices.ContainsFunc(r.params, func(p param) bool {
			n, err := strconv.ParseFloat(p.value, 64)
			return err == nil && re.MatchString(p.name) && n >= low && n < high
		})
	}
}

// given is a header that comes more than once, with values that are all equal or not.
func given(name string, equal bool) func(*request) bool {
	return func(r *request) bool {
		values := r.values(name)
		return len(values) > 1 && equal == (len(slices.Compact(slices.Clone(values))) == 1)
	}
}
