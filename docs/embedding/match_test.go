package embedding

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/fixtures"
	. "github.com/adconform/adconform/suites/match"
)

// A test of one answer needs no run: the matchers judge it by the contract.
func TestRename(t *testing.T) {
	g, handler := NewWithT(t), vendorHandler(t)

	g.Expect(patch(handler, `"Summer"`, ownerKey)).To(BeAccepted().Showing(map[string]any{"name": "Summer"}).Of("updateCampaign"))
	g.Expect(patch(handler, "7", ownerKey)).To(BeRefused(422).Naming("name").Of("updateCampaign"))
	g.Expect(patch(handler, `"Autumn"`, "")).To(BeRefused(401).Of("updateCampaign"))
}

// A client's response carries its request, and so shows the operation.
func TestDelete(t *testing.T) {
	g := NewWithT(t)
	server := httptest.NewServer(vendorHandler(t))
	defer server.Close()

	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, server.URL+"/v2/creatives/301", nil)
	g.Expect(err).NotTo(HaveOccurred())
	request.Header.Set("X-API-Key", ownerKey)
	response, err := server.Client().Do(request)
	g.Expect(err).NotTo(HaveOccurred())
	defer response.Body.Close()

	g.Expect(response).To(BeAccepted())
}

var ownerKey = fixtures.DefaultWorld().Target("").Credentials.Owner

// patch stands for what your tests do.
func patch(handler http.Handler, name, key string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPatch, "/v2/campaigns/25", strings.NewReader(fmt.Sprintf(`{"name":%s}`, name)))
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("X-API-Key", key)
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer
}
