package embedding

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/reference"
	"github.com/adconform/adconform/suites/passive"
)

// In a test of a client or of a server, each answer to what it sends is judged.
func TestClient(t *testing.T) {
	server := httptest.NewServer(vendorHandler(t))
	defer server.Close()

	client := &http.Client{Transport: passive.Transport(t, server.URL+"/v2", nil)} // the line to add

	rename(t, client, server.URL)
}

// vendorHandler stands for your server.
func vendorHandler(t testing.TB) http.Handler {
	t.Helper()
	handler, err := reference.New(reference.Options{World: fixtures.DefaultWorld()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { handler.Close() })
	return handler
}

// rename stands for what your tests do.
func rename(t *testing.T, client *http.Client, address string) {
	t.Helper()
	request, err := http.NewRequest("PATCH", address+"/v2/campaigns/25", strings.NewReader(`{"name":"Spring"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", fixtures.DefaultWorld().Target(address).Credentials.Owner)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Error(response.Status)
	}
}
