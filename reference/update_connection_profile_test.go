package reference

import (
	"testing"
	"time"
)

func TestUpdateConnectionProfile(t *testing.T) {
	now := created.Add(48 * time.Hour)
	s := newServerWith(t, Options{World: testWorld(), Now: func() time.Time { return now }})
	r := ask(s, "PATCH /connection-profiles/12", `{"name":"EU","withoutCookiesAction":"fail","withCookiesAction":"pass"}`).is(t, 200)
	const want = `{"data":{"id":12,"name":"EU","createdAt":"2024-03-01T09:00:00Z","updatedAt":"2024-03-03T09:00:00Z",` +
		`"withoutCookiesAction":"fail","withCookiesAction":"pass"}}`
	if r.body != want {
		t.Errorf("expected %s, got %s", want, r.body)
	}
	ask(s, "PATCH /connection-profiles/13", `{}`).is(t, 200).shows(t, "data.name", `"Profile 13"`).shows(t, "data.updatedAt", "null")
}

func TestUpdateConnectionProfileKeepsOmittedFields(t *testing.T) {
	s := newServer(t, nil)
	for _, step := range []struct{ body, name, without, with string }{
		{`{"withCookiesAction":"fail"}`, `"Profile 12"`, `"pass"`, `"fail"`},
		{`{"name":"N"}`, `"N"`, `"pass"`, `"fail"`},
		{`{"withoutCookiesAction":"warn"}`, `"N"`, `"warn"`, `"fail"`},
		{`{}`, `"N"`, `"warn"`, `"fail"`},
	} {
		ask(s, "PATCH /connection-profiles/12", step.body).is(t, 200).
			shows(t, "data.name", step.name).
			shows(t, "data.withoutCookiesAction", step.without).
			shows(t, "data.withCookiesAction", step.with)
	}
}

func TestUpdateConnectionProfileRefusesWrongFields(t *testing.T) {
	s := newServer(t, nil)
	for body, issues := range map[string]string{
		`{"name":5,"withoutCookiesAction":"never","withCookiesAction":null}`: "invalidType name, " +
			"invalidValue withoutCookiesAction, invalidType withCookiesAction",
		`{"name":"ok","withoutCookiesAction":"PASS"}`: "invalidValue withoutCookiesAction",
		`{"name":"ok","withCookiesAction":""}`:        "invalidValue withCookiesAction",
	} {
		ask(s, "PATCH /connection-profiles/12", body).refuses(t, 422, issues)
	}
	ask(s, "PATCH /connection-profiles/12", `{}`).shows(t, "data.name", `"Profile 12"`).shows(t, "data.updatedAt", "null")
}
