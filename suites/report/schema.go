package report

import (
	"bytes"
	_ "embed"
)

//go:embed report.schema.json
var schemaJSON []byte

// SchemaJSON returns the JSON Schema (2020-12) of report.json.
func SchemaJSON() []byte { return bytes.Clone(schemaJSON) }
