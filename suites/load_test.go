package suites_test

import (
	"net/http/httptest"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites"
)

// loaded serves the reference over a world with so many lanes.
func loaded(t testing.TB, lanes int) *fixtures.Target {
	t.Helper()
	world := fixtures.WorldWithLanes(lanes - 1)
	server, err := reference.New(t.Context(), reference.Options{World: world, Choices: reference.DefaultChoices(), BasePath: basePath})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(server)
	t.Cleanup(func() { listener.Close(); server.Close() })
	return world.Target(listener.URL + basePath)
}

func TestLoadOnTheReferencePasses(t *testing.T) {
	result, r, err := suites.RunLoad(t.Context(), suites.NewConfig(loaded(t, 4)), suites.Load{Lanes: 4, Requests: 5000})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", *result)
	t.Logf("%s %s", r.Verdict, r.Reason)
	for _, f := range result.Findings {
		t.Logf("%+v", f)
	}
}
