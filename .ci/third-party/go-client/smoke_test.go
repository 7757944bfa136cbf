// Package smoke drives a server through the client that oapi-codegen makes of
// the document. A member that the document names otherwise than the server does
// is a zero value here.
package smoke

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/speakeasy-api/openapi/openapi"
)

// target is the target.json that target.py writes.
type target struct {
	BaseURL     string
	Header      string
	Keys        map[string]string
	IDs         map[string]int64
	Disposables []int64
}

// got returns a value without its error, which is none of the server's.
func got[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func load(t *testing.T) (of target) {
	t.Helper()
	if err := json.Unmarshal(got(os.ReadFile(os.Getenv("TARGET"))), &of); err != nil {
		t.Fatal(err)
	}
	return of
}

func (of target) as(user string) *ClientWithResponses {
	return got(NewClientWithResponses(of.BaseURL, WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		if key := of.Keys[user]; key != "" {
			r.Header.Set(of.Header, key)
		}
		return nil
	})))
}

func (of target) id(t *testing.T, object string) int64 {
	t.Helper()
	id, named := of.IDs[object]
	if !named {
		t.Fatalf("the target names no %s", object)
	}
	return id
}

// answered fails the test at once unless an answer has the body of its status.
func answered(t *testing.T, hasBody bool, answer interface{ Status() string }) {
	t.Helper()
	if !hasBody {
		t.Fatalf("%s: %+v", answer.Status(), answer)
	}
}

func TestDocumentIsValid(t *testing.T) {
	file := got(os.Open(os.Getenv("DOCUMENT")))
	defer file.Close()
	_, problems, err := openapi.Unmarshal(t.Context(), file)
	if err != nil || len(problems) > 0 {
		t.Error(err, problems)
	}
}

var name = "Go client"

func TestUpdateCampaign(t *testing.T) {
	of := load(t)
	id := of.id(t, "campaign")
	answer := got(of.as("owner").UpdateCampaignWithResponse(t.Context(), id, CampaignUpdate{Name: &name}))
	answered(t, answer.JSON200 != nil, answer)
	if c := answer.JSON200.Data; c.Id != id || c.Name != name || c.Type == "" || c.ShareURL == "" || c.CreatedAt == "" ||
		c.UpdatedAt == "" || c.AdspecId == 0 || c.UserId == 0 {
		t.Errorf("campaign: %+v", c)
	}
}

func TestUpdateConnectionProfile(t *testing.T) {
	of := load(t)
	id := of.id(t, "connectionProfile")
	without, with := ConnectionProfileUpdateWithoutCookiesActionFail, ConnectionProfileUpdateWithCookiesActionPass
	answer := got(of.as("owner").UpdateConnectionProfileWithResponse(t.Context(), id,
		ConnectionProfileUpdate{Name: &name, WithoutCookiesAction: &without, WithCookiesAction: &with}))
	answered(t, answer.JSON200 != nil, answer)
	if p := answer.JSON200.Data; p.Id != id || p.Name != name || string(p.WithoutCookiesAction) != string(without) ||
		string(p.WithCookiesAction) != string(with) || p.CreatedAt == "" || p.UpdatedAt == nil {
		t.Errorf("profile: %+v", p)
	}
}

func TestUpdateConnectionProfileRuleHost(t *testing.T) {
	of := load(t)
	id, hostname, regex := of.id(t, "connectionProfileRuleHost"), "go.example.com", "^/go/"
	answer := got(of.as("owner").UpdateConnectionProfileRuleHostWithResponse(t.Context(),
		of.id(t, "connectionProfile"), of.id(t, "connectionProfileRule"), id,
		ConnectionProfileRuleHostUpdate{Hostname: &hostname, RegularExpression: &regex}))
	answered(t, answer.JSON200 != nil, answer)
	if h := answer.JSON200.Data; h.Id != id || h.Hostname != hostname || h.RegularExpression == nil || *h.RegularExpression != regex ||
		h.CreatedAt == "" || h.UpdatedAt == nil {
		t.Errorf("host: %+v", h)
	}
}

func TestListCreativeMediaFiles(t *testing.T) {
	of := load(t)
	answer := got(of.as("owner").ListCreativeMediaFilesWithResponse(t.Context(), of.id(t, "vastCreative")))
	answered(t, answer.JSON200 != nil, answer)
	page, files := answer.JSON200.Meta.Pagination, answer.JSON200.Data
	if len(files) == 0 || page.Count != int64(len(files)) || page.TotalCount < page.Count || page.Page != 1 || page.TotalPages < 1 {
		t.Fatalf("%d files, %+v", len(files), page)
	}
	for _, file := range files {
		if file.Id == 0 || file.CampaignId == 0 || file.Name == "" || file.SourceType == "" || file.SourceTypeLabel == "" ||
			file.ShareURL == "" || file.LivePreviewURL == "" || file.UserId == 0 {
			t.Errorf("media file: %+v", file)
		}
	}
}

func TestDeleteCreative(t *testing.T) {
	of := load(t)
	if len(of.Disposables) == 0 {
		t.Fatal("the target names no disposable creative")
	}
	id, owner := of.Disposables[0], of.as("owner")
	answer := got(owner.DeleteCreativeWithResponse(t.Context(), id))
	answered(t, answer.StatusCode() == http.StatusNoContent && len(answer.Body) == 0, answer)
	again := got(owner.DeleteCreativeWithResponse(t.Context(), id))
	answered(t, again.JSON404 != nil && again.JSON404.Error.ResponseCode == http.StatusNotFound, again)
}

func TestErrors(t *testing.T) {
	of := load(t)
	id, update := of.id(t, "campaign"), CampaignUpdate{Name: &name}
	nobody := got(of.as("nobody").UpdateCampaignWithResponse(t.Context(), id, update))
	answered(t, nobody.JSON401 != nil && nobody.JSON401.Error.ResponseCode == http.StatusUnauthorized, nobody)
	stranger := got(of.as("stranger").UpdateCampaignWithResponse(t.Context(), id, update))
	answered(t, stranger.JSON403 != nil && stranger.JSON403.Error.ResponseCode == http.StatusForbidden, stranger)
	wrong := got(of.as("owner").UpdateCampaignWithBodyWithResponse(t.Context(), id, "application/json", strings.NewReader(`{"name":1}`)))
	answered(t, wrong.JSON422 != nil && wrong.JSON422.Error.ResponseCode == http.StatusUnprocessableEntity &&
		len(wrong.JSON422.Error.Issues) > 0, wrong)
	issue := wrong.JSON422.Error.Issues[0]
	if issue.Type == "" || issue.Message == "" || issue.RelatedField == nil || *issue.RelatedField != "name" {
		t.Errorf("issue: %+v", issue)
	}
}
