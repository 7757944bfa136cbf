package reference

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
)

func TestServersStartTogetherOnAnEmptyDatabase(t *testing.T) { onEach(t, testServersStartTogether) }

func testServersStartTogether(t *testing.T, dsn string) {
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			s, err := New(t.Context(), Options{World: testWorld(), DSN: dsn})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if got := ask(s, "PATCH /campaigns/25", `{}`); got.status != 200 {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	all.Wait()
}

func TestStoresAreFilledTogether(t *testing.T) { onEach(t, testStoresAreFilledTogether) }

func testStoresAreFilledTogether(t *testing.T, dsn string) {
	var stores []*store
	for range 6 {
		s, err := openStore(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		stores = append(stores, s)
	}
	var all sync.WaitGroup
	for _, s := range stores {
		all.Go(func() {
			if err := s.seed(t.Context(), testWorld()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestServersShareADatabase(t *testing.T) { onEach(t, testServersShareADatabase) }

func testServersShareADatabase(t *testing.T, dsn string) {
	a := newServerWith(t, Options{World: testWorld(), DSN: dsn})
	b := newServerWith(t, Options{World: testWorld(), DSN: dsn})
	ask(a, "PATCH /campaigns/25", `{"name":"of a"}`).is(t, 200)
	ask(b, "PATCH /campaigns/25", `{}`).shows(t, "data.name", `"of a"`)
	ask(b, "DELETE /creatives/203", "").is(t, 204)
	ask(a, "DELETE /creatives/203", "").is(t, 404)
	if got := ids(t, ask(a, "GET /creatives/200/media-files", "")); got != "201 202 204 205" {
		t.Errorf("got %s", got)
	}
}

// TestNamesStayUnique: two campaigns are given the same name at once.
func TestNamesStayUnique(t *testing.T) { onEach(t, testNamesStayUnique) }

func testNamesStayUnique(t *testing.T, dsn string) {
	o := Options{World: testWorld(), DSN: dsn, Choices: DefaultChoices()}
	o.Choices.UniqueNames = true
	servers := []*Server{newServerWith(t, o), newServerWith(t, o)}
	for round := range 25 {
		var all sync.WaitGroup
		statuses := make([]int, 2)
		for i, campaign := range []string{"25", "26"} {
			all.Go(func() {
				statuses[i] = ask(servers[i], "PATCH /campaigns/"+campaign, fmt.Sprintf(`{"name":"round %d"}`, round)).status
			})
		}
		all.Wait()
		if statuses[0]+statuses[1] != 200+422 {
			t.Fatalf("round %d: got %v, want one 200 and one 422", round, statuses)
		}
	}
}

func TestNewerTablesAreLeftAlone(t *testing.T) { onEach(t, testNewerTablesAreLeftAlone) }

func testNewerTablesAreLeftAlone(t *testing.T, dsn string) {
	s := newServerWith(t, Options{World: testWorld(), DSN: dsn})
	err := s.store.write(t.Context(), func(t *tx) error {
		return t.exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (7, $1)`, true)
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = New(t.Context(), Options{World: testWorld(), DSN: dsn})
	if err == nil || !strings.Contains(err.Error(), "of version 7, newer than the 1 ") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

// TestReplacedObjectIsNeverMissing: while a write deletes a campaign and inserts
// it again, others find the old one or the new one.
func TestReplacedObjectIsNeverMissing(t *testing.T) { onEach(t, testReplacedObjectIsNeverMissing) }

func testReplacedObjectIsNeverMissing(t *testing.T, dsn string) {
	s := newServerWith(t, Options{World: testWorld(), DSN: dsn})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n := range 25 {
				if got := ask(s, "PATCH /campaigns/25", fmt.Sprintf(`{"name":"%d"}`, n)); got.status != 200 {
					t.Errorf("%d %s", got.status, got.body)
				}
			}
		})
	}
	for range 25 {
		err := s.store.write(t.Context(), func(t *tx) error {
			c, err := t.campaign(25)
			if err != nil {
				return err
			}
			if err := t.exec(`DELETE FROM campaigns WHERE id = 25`); err != nil {
				return err
			}
			return t.insertWorld(fixtures.World{Campaigns: []spec.Campaign{c}})
		})
		if err != nil {
			t.Error(err)
		}
	}
	all.Wait()
}
