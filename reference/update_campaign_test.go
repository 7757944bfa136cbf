package reference

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/adconform/adconform/spec"
)

func TestUpdateCampaign(t *testing.T) {
	now := created.Add(48 * time.Hour)
	s := newServerWith(t, Options{World: testWorld(), Now: func() time.Time { return now }})
	r := ask(s, "PATCH /campaigns/25", `{"name":"Summer"}`).is(t, 200)
	const want = `{"data":{"id":25,"name":"Summer","createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-03T09:00:00Z",` +
		`"type":"video","shareURL":"https://example.com/c","adspecId":3,"userId":1}}`
	if r.body != want {
		t.Errorf("expected %s, got %s", want, r.body)
	}
	ask(s, "PATCH /campaigns/26", `{}`).is(t, 200).shows(t, "data.name", `"Campaign 26"`)
}

// TestUpdatedAtFollowsChanges: a request that changes nothing leaves it, and it
// never runs backwards.
func TestUpdatedAtFollowsChanges(t *testing.T) {
	now := created.Add(2 * time.Hour)
	s := newServerWith(t, Options{World: testWorld(), Now: func() time.Time { return now }})
	for _, step := range []struct {
		clock      time.Duration
		body, want string
	}{
		{2 * time.Hour, `{}`, `"2024-03-01T10:00:00Z"`},
		{2 * time.Hour, `{"name":"Campaign 25"}`, `"2024-03-01T10:00:00Z"`},
		{2 * time.Hour, `{"name":"A"}`, `"2024-03-01T11:00:00Z"`},
		{3 * time.Hour, `{"name":"A","type":"display"}`, `"2024-03-01T11:00:00Z"`},
		{-time.Hour, `{"name":"B"}`, `"2024-03-01T11:00:00Z"`},
		{4 * time.Hour, `{"name":"C"}`, `"2024-03-01T13:00:00Z"`},
	} {
		now = created.Add(step.clock)
		ask(s, "PATCH /campaigns/25", step.body).is(t, 200).shows(t, "data.updatedAt", step.want).shows(t, "data.type", `"video"`)
	}
}

func TestNamesComeBackAsSent(t *testing.T) {
	s := newServer(t, nil)
	for _, name := range []string{
		"0815", "true", "é", "e\u0301", "日本", "😀", "'", `"`, `\`, "&<b>x</b>", "<script>", "SELECT a FROM b", "+%41", " a ", "a\u2028b",
		strings.Repeat("é", 255),
	} {
		body, _ := json.Marshal(map[string]string{"name": name})
		var got spec.Data[spec.Campaign]
		r := ask(s, "PATCH /campaigns/25", string(body)).is(t, 200)
		if err := json.Unmarshal([]byte(r.body), &got); err != nil || got.Data.Name != name {
			t.Errorf("expected %q, got %q (%v)", name, got.Data.Name, err)
		}
	}
	for _, name := range []string{"", " ", "\u00a0", "a\tb", "a\nb", "a\x00b", "a\u0085b", strings.Repeat("é", 256)} {
		body, _ := json.Marshal(map[string]string{"name": name})
		ask(s, "PATCH /campaigns/25", string(body)).refuses(t, 422, "invalidValue name")
	}
}
