package front

import (
	"context"
	"net/http"

	"github.com/adconform/adconform/reference"
)

// reset puts the world back and answers 204.
func reset(do func(context.Context) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := do(r.Context()); err != nil {
			reference.WriteError(w, http.StatusInternalServerError, "resetFailed", "The world could not be put back; the log says why.")
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// fromHereOnly refuses what a page of another origin makes a browser send: the
// reset asks for no key.
func fromHereOnly(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reference.WriteError(w, http.StatusForbidden, "crossOrigin", "A page of another origin may not use this path.")
	}))
	return protection.Handler(next)
}
