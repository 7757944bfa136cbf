package passive_test

import (
	"net/http"
	"testing"

	"github.com/adconform/adconform/suites/passive"
)

func ExampleTransport() {
	_ = func(t *testing.T) { // a test of your client; answers that break the contract fail it
		client := &http.Client{Transport: passive.Transport(t, "http://127.0.0.1:8080/v2", nil)}
		response, err := client.Get("http://127.0.0.1:8080/v2/creatives/200/media-files")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
	}
}
