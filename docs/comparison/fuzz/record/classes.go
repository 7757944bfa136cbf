package main

import (
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// The classes of unusual input, 45 of them, and what each names. The third list, written on
// 2026-11-23 from the interface and from what breaks in web services, by a contributor who had
// not read the fuzzer, and kept from those who wrote the fuzzer until it was measured. A request
// is of a class when it is any of its members.

var members = slices.Concat(ofTargets, ofHeaders, ofBodies, ofTexts)

type member struct {
	class, name string
	is          func(*request) bool
}

func matched(of func(*request) []string, expression string) func(*request) bool {
	re := regexp.MustCompile(expression)
	return func(r *request) bool { return slices.ContainsFunc(of(r), re.MatchString) }
}

func each(of func(*request) []string) func(string) func(*request) bool {
	return func(expression string) func(*request) bool { return matched(of, expression) }
}

var (
	fieldName = each(func(r *request) []string { return namesOf(r.fields) })
	start     = each(func(r *request) []string { return []string{r.start} })
	target    = each(func(r *request) []string { return []string{r.target} })
	path      = each(func(r *request) []string { return []string{r.path} })
	id        = each(func(r *request) []string { return r.ids })
	segment   = each(func(r *request) []string { return r.segments })
	query     = each(func(r *request) []string { return []string{r.query} })
	asked     = each(func(r *request) []string { return namesOf(r.params) })
	method    = each(func(r *request) []string { return []string{r.method} })
	head      = each(func(r *request) []string { return []string{r.head} }) // line ends and all
	body      = each(func(r *request) []string { return []string{r.text} })
	bare      = each(func(r *request) []string { return []string{r.json.bare} })
	word      = each(func(r *request) []string { return r.json.words })
	names     = each(func(r *request) []string { return r.json.names })
	escape    = each(func(r *request) []string { return escapes.FindAllString(r.text, -1) })
	units     = each(func(r *request) []string { return surrogates.FindAllString(r.text, -1) })
	octets    = each(characters)
)

// kind looks at the first bytes of the values of the interface's fields, of which one may be null.
func kind(bytes string) func(*request) bool {
	return func(r *request) bool {
		for i, name := range r.json.names {
			first := r.json.kinds[i]
			if slices.Contains(known, name) && strings.IndexByte(bytes, first) >= 0 && (name != regex || first != 'n') {
				return true
			}
		}
		return false
	}
}

// fields gives the values of those whose names the expression matches.
func fields(of func(*request) []field, name string) func(*request) []string {
	re := regexp.MustCompile(name)
	return func(r *request) []string {
		var values []string
		for _, f := range of(r) {
			if re.MatchString(f.name) {
				values = append(values, f.value)
			}
		}
		return values
	}
}

func headers(name string) func(*request) []string {
	return fields(func(r *request) []field { return r.fields }, "(?i)^(?:"+name+")$")
}

func header(name, expression string) func(*request) bool { return matched(headers(name), expression) }

func has(name string) func(*request) bool { return header(name, ``) }

func parameter(name, expression string) func(*request) bool {
	return matched(fields(func(r *request) []field { return r.params }, name), expression)
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

func both(all ...func(*request) bool) func(*request) bool {
	return func(r *request) bool {
		return !slices.ContainsFunc(all, func(is func(*request) bool) bool { return !is(r) })
	}
}

func not(is func(*request) bool) func(*request) bool {
	return func(r *request) bool { return !is(r) }
}

func either(all ...func(*request) bool) func(*request) bool {
	return func(r *request) bool {
		return slices.ContainsFunc(all, func(is func(*request) bool) bool { return is(r) })
	}
}

// other is a header that is there and does not have this form.
func other(name, form string) func(*request) bool { return both(has(name), not(header(name, form))) }

// bits is an ID that is a positive number of so many bits.
func bits(least, most int) func(*request) bool {
	return func(r *request) bool {
		return slices.ContainsFunc(r.ids, func(id string) bool {
			n, ok := new(big.Int).SetString(id, 10)
			return ok && n.Sign() > 0 && n.BitLen() >= least && n.BitLen() <= most
		})
	}
}

// longer is where one of these is of more than so many bytes.
func longer(of func(*request) []string, most int) func(*request) bool {
	return func(r *request) bool {
		return slices.ContainsFunc(of(r), func(s string) bool { return len(s) > most })
	}
}

// framing is what the reader of chunks came upon.
func framing(name string) func(*request) bool {
	return func(r *request) bool { return slices.Contains(r.framing, name) }
}

// sequence is what only the requests before tell, see state.
func sequence(class, name string) member {
	return member{class, name, func(r *request) bool { return r.sequences[name] }}
}

func updating(r *request) bool { return operations[r.shape()] == http.MethodPatch }
