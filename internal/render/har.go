package render

import (
	"io"

	"github.com/adconform/adconform/suites/report"
)

// harFile is the name of the recorded exchanges in a report foldev.
const harFile = "traffic.har"

// WriteHAR writes the exchanges of a report as an HTTP Archive.
func (v *View) WriteHAR(w io.Writer) error {
	log := object{
		"version": "1.2", "creator": object{
			"name": v.Suite.Name, "version": v.Suite.Version,
		}, "pages": []int{},
		"entries": append([]report.Exchange{}, v.Exchanges...),
	}
	if v.Insecure {
		log["comment"] = Insecure
	}
	return WriteJSON(w, object{"log": log}, "")
}
