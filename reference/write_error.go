package reference

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/adconform/adconform/spec"
)

// WriteError answers in the error shape (interface document, Errors). It is for
// what stands in front of a Server, which has its own way for the contract.
func WriteError(w http.ResponseWriter, status int, issueType, message string) {
	section := spec.ErrorSection{ResponseCode: status, Issues: []spec.Issue{{Type: issueType, Message: message}}}
	body, err := json.Marshal(spec.ErrorBody{Error: section})
	if err != nil {
		panic(err) // numbers and strings always can be encoded
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client has gone
}
