package report_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"
)

func TestThePolicyAllowsThePagesOwnScriptAndStyleOnly(t *testing.T) {
	g := NewWithT(t)
	r := made()
	r.Target.Name, r.Reason = "</title><script>", "<img src=x>"
	page := []byte(pageOf(t, r))
	hash := func(element string) string {
		found := regexp.MustCompile(fmt.Sprintf(`(?s)<%[1]s>(.*?)</%[1]s>`, element)).FindSubmatch(page)
		g.Expect(found).NotTo(BeNil())
		sum := sha256.Sum256(found[1])
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	policy := regexp.MustCompile(`"Content-Security-Policy" content="(.*?)"`).FindStringSubmatch(string(page))
	g.Expect(policy).NotTo(BeNil())
	g.Expect(html.UnescapeString(policy[1])).To(Equal(fmt.Sprintf(
		"default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'", hash("script"), hash("style"))))
	g.Expect(string(page)).To(ContainSubstring(`"reason":"\u003cimg src=x\u003e"`))
	g.Expect(string(page)).To(ContainSubstring("<h1>NONCONFORMING: &lt;img src=x&gt;; tested: "))
	g.Expect(string(page)).NotTo(ContainSubstring("<img"))
}
