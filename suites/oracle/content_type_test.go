package oracle

import (
	"strings"
	"testing"
)

func TestContentType(t *testing.T) {
	good := []string{
		"application/json", "APPLICATION/Json", "application/json; charset=utf-8", `application/json;charset="UTF-8"`,
		"application/problem+json", "application/vnd.acme.v2+JSON; version=2", "application/json; profile=x", "application/json;",
		"application/json; charset",
	}
	bad := []string{
		"", "text/plain", "text/json", "text/html; charset=utf-8", "json", "application/jsonp", "application/json-patch",
		"application/+json", "application json", "application/json, application/json", "application/json; charset=iso-8859-1",
		"application/json; charset=utf-16", "/json", "application/xml",
	}
	var rows []row
	for _, v := range good {
		rows = append(rows, row{v, updateCampaign, headed(answer(200, campaign), "Content-Type", v), nil})
		rows = append(rows, row{"error " + v, deleteCreative, headed(answer(422, errorBody), "Content-Type", v), nil})
	}
	for _, v := range bad {
		rows = append(rows, row{v, updateCampaign, headed(answer(200, campaign), "Content-Type", v), []string{"HTTP-3 header:Content-Type"}})
		rows = append(rows,
			row{"error " + v, deleteCreative, headed(answer(422, errorBody), "Content-Type", v), []string{"HTTP-3 header:Content-Type"}})
	}
	rows = append(rows,
		row{"none", updateCampaign, headed(answer(200, campaign), "Content-Type"), []string{"OPEN-3 header:Content-Type"}},
		row{"none, error", updateCampaign, headed(answer(422, errorBody), "Content-Type"), []string{"OPEN-3 header:Content-Type"}},
		row{
			"two", updateCampaign, headed(answer(200, campaign), "Content-Type", "application/json", "text/html"),
			[]string{"HTTP-3 header:Content-Type"},
		},
		row{
			"two kinds", updateCampaign, headed(answer(200, campaign), "Content-Type", "application/json", "application/hal+json"),
			[]string{"HTTP-3 header:Content-Type"},
		},
		row{"no body, none", deleteCreative, headed(answer(204, ""), "Content-Type"), nil},
		row{"not described", updateCampaign, headed(answer(400, "oops"), "Content-Type", "text/plain"), nil},
		row{"server error", updateCampaign, headed(answer(500, "oops"), "Content-Type", "text/plain"), []string{"HTTP-1 "}},
	)
	for i := range rows {
		rows[i].name = strings.ReplaceAll(rows[i].name, "/", "|")
	}
	judgeAll(t, rows)
}
