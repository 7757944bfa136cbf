package report

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Wrap breaks a text at spaces only: ids and paths are to be copied whole, and
// the wrapping of lipgloss breaks them at hyphens.
func Wrap(text string, width int) []string {
	var rows []string
	row := ""
	for i, word := range strings.Split(text, " ") {
		if i > 0 && lipgloss.Width(row)+1+lipgloss.Width(word) > width {
			rows = append(rows, strings.TrimRight(row, " "))
			row = word
			continue
		}
		if i > 0 {
			row += " "
		}
		row += word
	}
	return append(rows, row)
}
