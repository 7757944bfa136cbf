package engine

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

// A filter is what Ginkgo's flags select. Ginkgo itself says of a spec only when its turn comes whether it is selected,
// but a run has to know before its first request.
type filter struct {
	focus, skip         *regexp.Regexp
	labels              types.LabelFilter
	focusFiles, notFrom types.FileFilters
	words               []string // of the label filter
}

// ginkgosFilters is how a report names them.
const ginkgosFilters = "Ginkgo's filters"

// newFilter reads Ginkgo's flags.
func newFilter(c types.SuiteConfig) (f *filter, err error) {
	f = &filter{}
	for _, text := range []struct {
		to   **regexp.Regexp
		flag string
		all  []string
	}{{&f.focus, "focus", c.FocusStrings}, {&f.skip, "skip", c.SkipStrings}} {
		if len(text.all) == 0 {
			continue
		}
		if *text.to, err = regexp.Compile(strings.Join(text.all, "|")); err != nil {
			return nil, fmt.Errorf("-ginkgo.%s %q cannot be read: %w", text.flag, strings.Join(text.all, "|"), err)
		}
	}
	if f.labels, err = types.ParseLabelFilter(c.LabelFilter); err != nil {
		return nil, fmt.Errorf("label filter %q cannot be read", c.LabelFilter)
	}
	f.words = strings.FieldsFunc(c.LabelFilter, func(r rune) bool { return strings.ContainsRune("&|!(){}, ", r) })
	var errFocus, errSkip error
	f.focusFiles, errFocus = types.ParseFileFilters(c.FocusFiles)
	f.notFrom, errSkip = types.ParseFileFilters(c.SkipFiles)
	return f, errors.Join(errFocus, errSkip)
}

// selects reports whether a spec is selected. bySuite assumes that the suite has a part in that: that its description,
// which precedes the text of each spec, satisfies the focus, and that it has the labels of the filter that no spec has.
func (f *filter) selects(s *treeSpec, bySuite bool) bool {
	labels := s.labels
	if bySuite {
		labels = append(slices.Clone(labels), f.words...)
	}
	switch {
	case !f.labels(labels):
	case len(f.focusFiles) > 0 && !f.focusFiles.Matches(s.at):
	case len(f.notFrom) > 0 && f.notFrom.Matches(s.at):
	case f.focus != nil && !f.focus.MatchString(" "+s.text) && !bySuite:
	case f.skip != nil && f.skip.MatchString(" "+s.text):
	default:
		return true
	}
	return false
}

// unforeseen is the failure of a spec that is not expected to run, since nothing but Ginkgo knows the suite's own
// description and labels.
const unforeseen = "adconform did not foresee that Ginkgo selects this spec, and sent nothing for it: " +
	"select by the text and labels of specs and containers, not by the suite's"

// choose returns the ids of the specs that Ginkgo's flags select and that are still to come, from the one that runs
// now.
func choose(suite types.SuiteConfig, specs []treeSpec, now ginkgo.SpecReport) (map[string]bool, error) {
	f, err := newFilter(suite)
	if err != nil {
		return nil, err
	}
	all := within(specs, now)
	at := slices.IndexFunc(specs, func(s treeSpec) bool { return s.id == now.LeafNodeText })
	f.words = slices.DeleteFunc(f.words, func(word string) bool {
		return slices.ContainsFunc(all, func(s treeSpec) bool { return slices.Contains(s.labels, word) })
	})
	for _, bySuite := range []bool{false, true} {
		if !f.selects(&all[at], bySuite) {
			continue
		}
		chosen := map[string]bool{}
		for _, s := range all[at:] {
			if f.selects(&s, bySuite) {
				chosen[s.id] = true
			}
		}
		return chosen, nil
	}
	return nil, errors.New(unforeseen)
}

// within returns specs as Ginkgo sees them: with text, labels and places of the containers around them, as of the one
// that runs now.
func within(specs []treeSpec, now ginkgo.SpecReport) []treeSpec {
	around := len(now.ContainerHierarchyTexts) - len([]string{"operation", "class"})
	texts := slices.Clone(now.ContainerHierarchyTexts[:around])
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	labels := slices.Concat(now.ContainerHierarchyLabels[:around]...)
	all := slices.Clone(specs)
	for i := range all {
		s := &all[i]
		s.text = strings.Join(append(slices.Clone(texts), s.text), " ")
		s.labels = slices.Concat(labels, s.labels)
		s.at = slices.Concat(now.ContainerHierarchyLocations[:around], s.at)
	}
	return all
}
