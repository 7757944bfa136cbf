package oracle

import (
	"maps"
	"strconv"
	"strings"
)

const (
	// partSize is how many items of a long array are shown to kin-openapi at
	// once: it keeps a kibibyte for each mismatch.
	partSize = 500
	// enoughMismatches in one part say that the rest is no better.
	enoughMismatches = 1000
)

// inParts gives the longest array of a body to judge in parts of partSize items,
// each in the place of the whole, until judge has had enough. Of a short body
// there is one part, the body itself. from is the index of a part's first item.
func inParts(body any, judge func(part any, from int) bool) {
	way, items := longestArray(body, nil)
	if len(items) <= partSize {
		judge(body, 0)
		return
	}
	for from := 0; from < len(items); from += partSize {
		part := items[from:min(from+partSize, len(items))]
		if !judge(replaced(body, way, part), from) {
			return
		}
	}
}

// longestArray finds the longest array that is in no other, by the names of the
// members on the way to it. It looks no deeper than a list or an error has one.
func longestArray(v any, way []string) (longestWay []string, items []any) {
	const deepest = 2
	switch v := v.(type) {
	case []any:
		return way, v
	case map[string]any:
		if len(way) == deepest || len(v) > partSize {
			return nil, nil
		}
		for name, member := range v {
			if w, i := longestArray(member, append(way[:len(way):len(way)], name)); len(i) > len(items) {
				longestWay, items = w, i
			}
		}
	}
	return longestWay, items
}

// replaced is a body with another value at the end of a way. What is not on the
// way is shared with the old one.
func replaced(body any, way []string, value any) any {
	if len(way) == 0 {
		return value
	}
	object := maps.Clone(body.(map[string]any))
	object[way[0]] = replaced(object[way[0]], way[1:], value)
	return object
}

// shifted adds to the first index in a pointer.
func shifted(pointer string, by int) string {
	if by == 0 {
		return pointer
	}
	tokens := strings.Split(pointer, "/")
	for i, t := range tokens {
		if n, err := strconv.Atoi(t); err == nil {
			tokens[i] = strconv.Itoa(n + by)
			break
		}
	}
	return strings.Join(tokens, "/")
}
