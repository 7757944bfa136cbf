package hostile

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/adconform/adconform/fixtures"
)

// differences says which object of the target file holds other values than the
// file says, "" when none does. It asks the reference itself, with the empty
// update, which changes nothing there.
func (s *site) differences(ctx context.Context) string {
	objects := s.world.Target(s.baseURL).Objects
	rule := func(profile, rule, host *fixtures.Object) string {
		return fmt.Sprintf("/connection-profiles/%d/rules/%d/hosts/%d", profile.ID, rule.ID, host.ID)
	}
	for _, o := range []struct {
		path   string
		object *fixtures.Object
		fields []string
	}{
		{fmt.Sprintf("/campaigns/%d", objects.Campaign.ID), objects.Campaign, []string{"name"}},
		{fmt.Sprintf("/campaigns/%d", objects.OtherCampaign.ID), objects.OtherCampaign, []string{"name"}},
		{fmt.Sprintf("/connection-profiles/%d", objects.ConnectionProfile.ID), objects.ConnectionProfile, []string{"name", "withoutCookiesAction", "withCookiesAction"}},
		{fmt.Sprintf("/connection-profiles/%d", objects.OtherConnectionProfile.ID), objects.OtherConnectionProfile, []string{"name", "withoutCookiesAction", "withCookiesAction"}},
		{rule(objects.ConnectionProfile, objects.ConnectionProfileRule, objects.ConnectionProfileRuleHost), objects.ConnectionProfileRuleHost, []string{"hostname", "regularExpression"}},
		{rule(objects.ConnectionProfile, objects.OtherConnectionProfileRule, objects.OtherConnectionProfileRuleHost), objects.OtherConnectionProfileRuleHost, []string{"hostname", "regularExpression"}},
		{rule(objects.ConnectionProfile, objects.ConnectionProfileRule, objects.SiblingConnectionProfileRuleHost), objects.SiblingConnectionProfileRuleHost, []string{"hostname", "regularExpression"}},
	} {
		held := s.held(ctx, o.path)
		for _, field := range o.fields {
			if want, got := fmt.Sprint(o.object.Values[field]), fmt.Sprint(held[field]); want != got {
				return fmt.Sprintf("%s of %s is %q, the target file says %q", field, o.path, got, want)
			}
		}
	}
	return ""
}

// held is what the reference holds.
func (s *site) held(ctx context.Context, path string) map[string]any {
	r, err := http.NewRequestWithContext(ctx, http.MethodPatch, basePath+path, strings.NewReader("{}"))
	if err != nil {
		return nil
	}
	r.Header.Set(fixtures.DefaultKeyHeader, s.world.Users[0].Key)
	r.Header.Set("Content-Type", "application/json")
	var answer struct{ Data map[string]any }
	if err := json.Unmarshal(record(r, s.reference.Load()).body, &answer); err != nil {
		return nil
	}
	return answer.Data
}
