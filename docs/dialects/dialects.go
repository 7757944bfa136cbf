// Package dialects holds examples of overlays and target files, one folder for each dialect that the reference speaks as
// a variant.
package dialects

import (
	"embed"
	"errors"
	"io/fs"

	"github.com/adconform/adconform/spec"
)

// Files holds the folders.
//
//go:embed */*.yaml
var Files embed.FS

// Contract returns the contract with which a server of a dialect is judged.
func Contract(name string) (*spec.Contract, error) {
	file := name + "/overlay.yaml"
	overlay, err := Files.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return spec.Load(), nil
	}
	if err != nil {
		return nil, err
	}
	return spec.LoadOverlaid(overlay, file)
}
