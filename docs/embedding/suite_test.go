package embedding

import (
	"net/http/httptest"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/suites"
	. "github.com/adconform/adconform/suites/match"
)

// A Ginkgo suite of your own, with the conformance suite in it: a spec for each case.
func TestSuite(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "our server")
}

// The objects that the target names say which specs there are; its address and keys may come later.
var config = suites.NewConfig(fixtures.DefaultWorld().Target(""))

var _ = BeforeSuite(func() {
	server := httptest.NewServer(vendorHandler(GinkgoTB()))
	DeferCleanup(server.Close)
	config.Target.BaseURL = server.URL + "/v2"
})

var _ = Describe("version 2", func() {
	It("renames a campaign", func() {
		Expect(patch(vendorHandler(GinkgoTB()), `"Summer"`, ownerKey)).To(BeAccepted().Of("updateCampaign"))
	})

	suites.Describe(config)
})
