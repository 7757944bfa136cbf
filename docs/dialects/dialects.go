// Package dialects holds examples of overlays and target files, a folder for each dialect that a variant of the
// reference speaks.
package dialects

import (
	"embed"

	"github.com/adconform/adconform/spec"
)

// Files holds the folders.
//
//go:embed */*.yaml
var Files embed.FS

// Contract returns the contract with the overlays in some folders.
func Contract(folders []string) (*spec.Contract, error) {
	var overlays []spec.Overlay
	for _, folder := range folders {
		file := folder + "/overlay.yaml"
		data, err := Files.ReadFile(file)
		if err != nil {
			return nil, err
		}
		overlays = append(overlays, spec.Overlay{File: file, Data: data})
	}
	return spec.LoadOverlays(overlays...)
}
