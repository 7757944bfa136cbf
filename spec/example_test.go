package spec_test

import (
	"fmt"

	"github.com/adconform/adconform/spec"
)

func ExampleLoad() {
	contract := spec.Load()
	clause := contract.Clause("AUTH-1")
	fmt.Printf("%s (%s): %s\n", clause.ID, clause.Basis, clause.Text)
	for _, op := range contract.Operations {
		fmt.Println(op.Method, op.Path)
	}
	// Unordered output:
	// AUTH-1 (stated): A request whose user cannot be authenticated is answered 401.
	// PATCH /connection-profiles/{connectionProfileId}
	// PATCH /connection-profiles/{connectionProfileId}/rules/{connectionProfileRuleId}/hosts/{connectionProfileRuleHostId}
	// PATCH /campaigns/{campaignId}
	// DELETE /creatives/{creativeId}
	// GET /creatives/{creativeId}/media-files
}
