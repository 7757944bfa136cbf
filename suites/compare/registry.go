package compare

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/adconform/adconform/suites/report"
)

// dateFolder is the day of a run; where there are several of a day, they are numbered.
var dateFolder = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)(-[1-9]\d?)?$`)

// placed says what is wrong with the place of a report in a registry, whose folders are
// ORGANISATION/PRODUCT/DATE.
func placed(s source, r *report.Report) error {
	rel, err := filepath.Rel(s.root, s.path)
	if err != nil {
		return err
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	i := r.Target.Implementation
	organisation, product, day := folder(i.Organisation), folder(i.Product), r.Started.UTC().Format("2006-01-02")
	if organisation == "" || product == "" {
		return fmt.Errorf("it does not name organisation and product: give implementation in the target file and run again")
	}
	m := dateFolder.FindStringSubmatch(parts[max(0, len(parts)-2)])
	if len(parts) != 4 || parts[0] != organisation || parts[1] != product || m == nil || m[1] != day {
		return fmt.Errorf("it is a report of %s, %s, of that day: its folder has to be %s/%s/%s, or %[5]s-2 and so on for another of the day",
			clip(i.Organisation), clip(i.Product), organisation, product, day)
	}
	return nil
}

var noFolder = regexp.MustCompile(`[^a-z0-9.]+`)

// folder is the name of a folder for a name: "Acme Ads" is in acme-ads.
func folder(name string) string {
	return strings.Trim(noFolder.ReplaceAllString(strings.ToLower(name), "-"), "-.")
}
