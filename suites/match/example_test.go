package match_test

import (
	"fmt"
	"net/http/httptest"

	. "github.com/adconform/adconform/suites/match"
)

func ExampleBeRefused() {
	answer := httptest.NewRecorder()
	answer.Header().Set("Content-Type", "application/json")
	answer.WriteHeader(401)
	answer.WriteString(`{"error": {"responseCode": 401, "issues": []}}`)

	// With gomega: Expect(answer).To(BeRefused(401).Of("updateCampaign"))
	for _, want := range []*Matcher{BeRefused(401), BeRefused(403), BeAccepted()} {
		fits, err := want.Of("updateCampaign").Match(answer)
		fmt.Println(fits, err)
	}
	// Output:
	// true <nil>
	// false <nil>
	// false <nil>
}
