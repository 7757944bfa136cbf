package engine_test

import (
	"strings"
	"testing"

	"github.com/adconform/adconform/docs/dialects"
	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/internal/engine"
	"github.com/adconform/adconform/spec"
)

// A value that no target can show is told with its line before anything is sent. In another dialect other values are
// listed.
func TestValuesThatNoTargetShows(t *testing.T) {
	renamed, err := dialects.Contract([]string{"renamed"})
	noError(t, err)
	for _, row := range []struct {
		objects, want string
		contract      *spec.Contract
	}{
		{
			"connectionProfile: {id: 12, withCookiesAction: passs}",
			"4: objects.connectionProfile.withCookiesAction: want pass, warn or fail (did you mean pass?)", nil,
		},
		{
			"otherConnectionProfile: {id: 12, withoutCookiesAction: PASS}",
			"4: objects.otherConnectionProfile.withoutCookiesAction: want pass, warn or fail", nil,
		},
		{"connectionProfile: {id: 12, withCookiesAction: pass, withoutCookiesAction: fail, name: passs}", "", nil},
		{
			"connectionProfile: {id: 12, withCookiesAction: pass}",
			"4: objects.connectionProfile.withCookiesAction: want allow, notice or block", renamed,
		},
		{"connectionProfile: {id: 12, withCookiesAction: allow}", "", renamed},
		{
			"connectionProfileRule: {id: 34, action: wran}",
			"4: objects.connectionProfileRule.action: want pass, warn or fail (did you mean warn?)", nil,
		},
		{
			"connectionProfileRule: {id: 34, type: costum}",
			"4: objects.connectionProfileRule.type: want custom or provider (did you mean custom?)", nil,
		},
		{"connectionProfileRule: {id: 34, type: custom, action: fail}", "", nil},
		{
			"campaign: {id: 25, type: costum, createdAt: 2024-03-01T09:00:00Z, updatedAt: 1 March}",
			"4: objects.campaign.updatedAt: want a date", nil,
		},
		{
			"campaign: {id: 25, createdAt: yesterday}",
			"4: objects.campaign.createdAt: want a date as the target shows it, such as 2024-03-01T09:00:00Z", nil,
		},
		{"disposableCreatives:\n  - 1\n  - {id: 2, createdAt: 2024-02-31}", "6: objects.disposableCreatives[1].createdAt: want a date", nil},
		{"vastCreative: {id: 200, createdAt: '2023-02-29 10:00:00'}", "4: objects.vastCreative.createdAt: want a date", nil},
		{"vastCreative: {id: 200, createdAt: 2024-02-29, updatedAt: 'Thu, 29 Feb 2024 10:00:00 GMT', name: yesterday}", "", nil},
		{"vastCreative: {id: 200, createdAt: '1709202600', updatedAt: '1709202600123'}", "", nil},
		{"vastCreative: {id: 200, createdAt: 29/02/2024}\nopen: {dateFormat: DD/MM/YYYY}", "", nil},
		{"connectionProfile: {id: 12, updatedAt: null, withCookiesAction: warn}", "", nil},
	} {
		file := "baseURL: http://127.0.0.1:9/v2\ncredentials: {owner: {value: k}}\nobjects:\n  " + row.objects
		target, err := fixtures.Parse([]byte(file), "target.yaml", func(string) (string, bool) { return "", false })
		noError(t, err)
		c := engine.NewConfig(target)
		c.Contract = row.contract
		switch _, err := c.Sendable(); {
		case row.want == "" && err != nil:
			t.Errorf("%s: %v", row.objects, err)
		case row.want != "" && (err == nil || !strings.HasPrefix(err.Error(), "target.yaml:"+row.want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s:\ngot  %v\nwant one line target.yaml:%s", row.objects, err, row.want)
		}
	}
}
