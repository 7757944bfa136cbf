package recording

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Base is a base URL below which operations were called.
type Base struct {
	URL       string
	Exchanges int
}

// Bases are the base URLs of the recordings, that with most exchanges first.
func Bases(recordings []*Recording) []Base {
	count := map[string]int{}
	for _, r := range recordings {
		for _, e := range r.entries {
			if !e.other {
				count[e.base]++
			}
		}
	}
	var bases []Base
	for address, n := range count {
		bases = append(bases, Base{address, n})
	}
	slices.SortFunc(bases, func(a, b Base) int {
		if a.Exchanges != b.Exchanges {
			return b.Exchanges - a.Exchanges
		}
		return strings.Compare(a.URL, b.URL)
	})
	return bases
}

// maxNamed is how many base URLs an error names.
const maxNamed = 5

// ChooseBase picks the base URL to be judged: the only one, that of baseURL, or
// the only one whose path is basePath; both may be empty. It is "" where no
// exchange is below the one asked for, or none belongs to an operation.
func ChooseBase(bases []Base, baseURL, basePath string) (string, error) {
	if baseURL != "" {
		origin, target, ok := split(baseURL)
		if !ok || strings.Contains(target, "?") {
			return "", fmt.Errorf("--base-url %s: want a URL such as https://api.example.com/v2", withoutUser(baseURL))
		}
		wanted := origin + strings.TrimRight(target, "/")
		if slices.ContainsFunc(bases, func(b Base) bool { return b.URL == wanted }) {
			return wanted, nil
		}
		return "", nil
	}
	if basePath != "" {
		if !strings.HasPrefix(basePath, "/") || strings.ContainsAny(basePath, "?#") {
			return "", fmt.Errorf("--base-path %s: want a path such as /v2, or / for none", basePath)
		}
		bases = slices.DeleteFunc(slices.Clone(bases), func(b Base) bool {
			u, err := url.Parse(b.URL)
			return err != nil || u.EscapedPath() != strings.TrimRight(basePath, "/")
		})
	}
	switch len(bases) {
	case 0:
		return "", nil
	case 1:
		return bases[0].URL, nil
	}
	return "", fmt.Errorf("the operations were called at several base URLs: %s; choose one with --base-url", Name(bases))
}

// Name names base URLs, with how often each was called.
func Name(bases []Base) string {
	var names []string
	for _, b := range bases[:min(len(bases), maxNamed)] {
		names = append(names, fmt.Sprintf("%s (%d)", b.URL, b.Exchanges))
	}
	if more := len(bases) - maxNamed; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

func withoutUser(address string) string {
	if u, err := url.Parse(address); err == nil {
		return u.Redacted()
	}
	return "is no URL"
}
