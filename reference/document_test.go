package reference

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/adconform/adconform/spec"
)

// TestAnswersMatchTheDocument holds each status of each operation against its
// schema in spec/openapi.yaml.
func TestAnswersMatchTheDocument(t *testing.T) {
	contract, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, func(c *Choices) { c.DeleteMediaFile = Refuse }) // else nothing answers a DELETE with 422
	wrong := map[string]reply{
		"deleteCreative":         ask(s, "DELETE /creatives/201", ""),
		"listCreativeMediaFiles": ask(s, "GET /creatives/201/media-files", ""),
	}
	for _, op := range each {
		if wrong[op.name].body == "" {
			wrong[op.name] = ask(s, fill(op.path, op.own), `{"name":1,"hostname":1}`)
		}
		for status, r := range map[int]reply{
			401: request(s, fill(op.path, op.own), op.body),
			403: request(s, fill(op.path, op.own), op.body, "X-API-Key", strangerKey),
			404: ask(s, fill(op.path, "9999"), op.body),
			422: wrong[op.name],
			200: ask(s, fill(op.path, op.own), op.body),
		} {
			if op.name == "deleteCreative" && r.status == 204 {
				continue
			}
			var body any
			if err := json.Unmarshal([]byte(r.body), &body); r.status != status || err != nil {
				t.Errorf("%s: expected %d, got %d (%v)", op.name, status, r.status, err)
			} else if err := contract.Operation(op.name).ResponseSchema(status).VisitJSON(body); err != nil {
				t.Errorf("%s: %d: %v", op.name, status, err)
			}
		}
	}
}
