package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/adconform/adconform/suites/report"
)

func TestThePolicyAllowsThePagesOwnScriptAndStyleOnly(t *testing.T) {
	g := NewWithT(t)
	var b bytes.Buffer
	g.Expect(report.WritePage(&b, report.PageContent{
		Title: "</title><script>", Headline: "<img src=x>", Findings: []report.PlainFinding{{Title: "<b>", Text: "&", Curl: "curl '<'"}},
		Data: []byte(`{"text":"\u003c"}`),
	})).To(Succeed())
	hash := func(element string) string {
		found := regexp.MustCompile(fmt.Sprintf(`(?s)<%[1]s>(.*?)</%[1]s>`, element)).FindSubmatch(b.Bytes())
		g.Expect(found).NotTo(BeNil())
		sum := sha256.Sum256(found[1])
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	policy := regexp.MustCompile(`"Content-Security-Policy" content="(.*?)"`).FindStringSubmatch(b.String())
	g.Expect(policy).NotTo(BeNil())
	g.Expect(html.UnescapeString(policy[1])).To(Equal(fmt.Sprintf(
		"default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'", hash("script"), hash("style"))))
	g.Expect(b.String()).To(ContainSubstring(`<script type="application/json" id="data">{"text":"\u003c"}</script>`))
	g.Expect(b.String()).To(ContainSubstring("<h1>&lt;img src=x&gt;</h1>"))
	g.Expect(b.String()).NotTo(ContainSubstring("<img"))
}
