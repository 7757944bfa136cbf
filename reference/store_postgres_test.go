package reference

import (
	"testing"

	"github.com/adconform/adconform/reference/postgrestest"
)

func TestX(t *testing.T) {
	dsn := postgrestest.URL(t)
	t.Log(dsn)
	s := newServerWith(t, Options{World: testWorld(), DSN: dsn})
	ask(s, "PATCH /campaigns/25", `{"name":"kept"}`).is(t, 200)
}
