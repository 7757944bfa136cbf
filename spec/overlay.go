package spec

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/speakeasy-api/openapi-overlay/pkg/overlay"
	"gopkg.in/yaml.v3"
)

// LoadOverlaid is Load with an OpenAPI Overlay document applied to openapi.yaml:
// the contract of a vendor whose wire names differ. The overlay has to keep the
// x- marks of what it renames; file is its name, for errors.
func LoadOverlaid(data []byte, file string) (*Contract, error) {
	overlaid, err := Overlay(openapiYAML, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c, err := New(overlaid, clausesYAML, openYAML)
	if err != nil {
		return nil, fmt.Errorf("%s: the overlaid document: %w", file, err)
	}
	if err := c.complete(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}

// Overlay applies an Overlay document (OpenAPI Initiative, Overlay 1.0) to an
// OpenAPI document. An action whose target selects nothing is an error.
func Overlay(openapi, data []byte) ([]byte, error) {
	var o overlay.Overlay
	dec := yaml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&o); err != nil {
		return nil, fmt.Errorf("no Overlay document: %s", oneLine(err))
	}
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("no Overlay document: %s", oneLine(err))
	}
	var root yaml.Node
	if err := yaml.Unmarshal(openapi, &root); err != nil {
		return nil, err
	}
	if err, _ := o.ApplyToStrict(&root); err != nil {
		return nil, fmt.Errorf("%s", oneLine(err))
	}
	return yaml.Marshal(&root)
}

// complete checks that an overlaid document still has what effects are judged
// by: each meaning of the embedded document, in each operation.
func (c *Contract) complete() error {
	original, err := Load()
	if err != nil {
		return err
	}
	for _, op := range original.Operations {
		mine := c.Operation(op.ID)
		if mine == nil {
			return fmt.Errorf("operation %s is gone; an overlay may rename, not remove", op.ID)
		}
		for _, pair := range [][2]*Object{{op.Body, mine.Body}, {op.Success, mine.Success}, {original.Error, c.Error}} {
			if err := pair[1].hasAll(pair[0]); err != nil {
				return fmt.Errorf("%s: %w", op.ID, err)
			}
		}
	}
	for _, op := range c.Operations {
		for _, id := range op.Open {
			if c.open[id] == nil {
				return fmt.Errorf("%s: x-open names %s, which is not in open.yaml", op.ID, id)
			}
		}
	}
	return nil
}

// hasAll checks that each meaning of another object has a property, at any depth.
func (o *Object) hasAll(other *Object) error {
	if other == nil {
		return nil
	}
	for _, f := range other.Fields {
		mine := o.Field(f.Meaning)
		if mine == nil {
			return fmt.Errorf("no property has x-field: %s; keep the mark when you rename %s", f.Meaning, f.Name)
		}
		if len(mine.Enum) != len(f.Enum) {
			return fmt.Errorf("%s lists %d values, want %d, in the order of the original", mine.Name, len(mine.Enum), len(f.Enum))
		}
		if err := mine.Object.hasAll(f.Object); err != nil {
			return err
		}
		if err := mine.Items.hasAll(f.Items); err != nil {
			return err
		}
	}
	return nil
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
