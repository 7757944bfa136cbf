package spec

import (
	"crypto/sha256"
	"encoding/hex"
)

// Source is a document that a contract was loaded from.
type Source struct {
	Name   string `json:"name"`           // "spec/openapi.yaml"; an overlay has the name of its file
	SHA256 string `json:"sha256"`         // of its bytes, in hexadecimal
	Text   string `json:"text,omitempty"` // of an overlay, which nothing else holds
}

func newSource(name string, data []byte) Source {
	sum := sha256.Sum256(data)
	return Source{Name: name, SHA256: hex.EncodeToString(sum[:])}
}

// OpenAPIFile is the path of openapi.yaml in the module.
const OpenAPIFile = "spec/openapi.yaml"

// Sources are the embedded documents, in the order in which they are read.
func Sources() []Source {
	return []Source{
		newSource(OpenAPIFile, openapiYAML), newSource("spec/clauses.yaml", clausesYAML), newSource("spec/open.yaml", openYAML),
	}
}
