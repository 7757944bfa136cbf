package suites

import (
	"reflect"
	"regexp"
	"testing"

	"github.com/onsi/ginkgo/v2/types"
)

// A filter that filters does not know would be taken for none: the run would send
// what Ginkgo skips. A new version of Ginkgo may have a new one.
func TestEveryFilterOfGinkgoIsKnown(t *testing.T) {
	isFilter := regexp.MustCompile(`Focus|Skip|Filter`)
	config := reflect.TypeFor[types.SuiteConfig]()
	for i := range config.NumField() {
		name := config.Field(i).Name
		if !isFilter.MatchString(name) {
			continue
		}
		var s types.SuiteConfig
		switch f := reflect.ValueOf(&s).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"x"}))
		}
		if filters(s) == "" {
			t.Errorf("filters does not know %s", name)
		}
	}
	if filters(types.SuiteConfig{RandomSeed: 1}) != "" {
		t.Error("a seed is no filter")
	}
}
