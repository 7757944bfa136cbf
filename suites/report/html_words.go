package report

import (
	"regexp"
	"slices"
)

// htmlWords is a text in parts that are by turns the same as in the other text
// and different from it; the first may be empty.
type htmlWords []string

var word = regexp.MustCompile(`[\pL\pN_]+|\s+|.`)

// compareWords marks what differs between two short texts, word by word. Texts
// that have little in common are not marked: all would be.
func compareWords(a, b string) (htmlWords, htmlWords) {
	x, y := word.FindAllString(a, -1), word.FindAllString(b, -1)
	// common[i][j] is the length of what x[i:] and y[j:] have in common.
	common := make([][]int, len(x)+1)
	for i := range common {
		common[i] = make([]int, len(y)+1)
	}
	for i := range slices.Backward(x) {
		for j := range slices.Backward(y) {
			if x[i] == y[j] {
				common[i][j] = common[i+1][j+1] + len(x[i])
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	if 3*common[0][0] < max(len(a), len(b)) {
		return htmlWords{a}, htmlWords{b}
	}
	var left, right htmlWords
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			left, right = left.add(x[i], false), right.add(y[j], false)
			i, j = i+1, j+1
		case j == len(y) || i < len(x) && common[i+1][j] >= common[i][j+1]:
			left = left.add(x[i], true)
			i++
		default:
			right = right.add(y[j], true)
			j++
		}
	}
	return left, right
}

// add appends to the last part, or begins the next one.
func (w htmlWords) add(text string, differs bool) htmlWords {
	if len(w) == 0 {
		w = append(w, "")
	}
	if marked := len(w)%2 == 0; marked != differs {
		w = append(w, "")
	}
	w[len(w)-1] += text
	return w
}
