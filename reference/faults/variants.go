package faults

// Variants lists every variant, sorted by id.
func Variants() []Variant { return nil }
