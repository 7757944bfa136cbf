// Package smoke drives a server through the client that oapi-codegen makes of
// the document. A member that the document names otherwise than the server does
// is a zero value here.
package smoke

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
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

func load(t *testing.T) target {
	t.Helper()
	data, err := os.ReadFile(os.Getenv("TARGET"))
	if err != nil {
		t.Fatal(err)
	}
	var of target
	if err := json.Unmarshal(data, &of); err != nil {
		t.Fatal(err)
	}
	return of
}

func (of target) as(t *testing.T, user string) *ClientWithResponses {
	t.Helper()
	client, err := NewClientWithResponses(of.BaseURL, WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		if key := of.Keys[user]; key != "" {
			r.Header.Set(of.Header, key)
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func (of target) id(t *testing.T, object string) int64 {
	t.Helper()
	id, named := of.IDs[object]
	if !named {
		t.Fatalf("the target names no %s", object)
	}
	return id
}

func TestDocumentIsValid(t *testing.T) {
	file, err := os.Open(os.Getenv("DOCUMENT"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, problems, err := openapi.Unmarshal(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

func TestUpdateCampaign(t *testing.T) {
	of := load(t)
	id, name := of.id(t, "campaign"), "Go client"
	answer, err := of.as(t, "owner").UpdateCampaignWithResponse(t.Context(), id, CampaignUpdate{Name: &name})
	if err != nil {
		t.Fatal(err)
	}
	if answer.JSON200 == nil {
		t.Fatalf("%s: %s", answer.Status(), answer.Body)
	}
	got := answer.JSON200.Data
	if got.Id != id || got.Name != name || got.Type == "" || got.ShareURL == "" || got.CreatedAt == "" || got.UpdatedAt == "" ||
		got.AdspecId == 0 || got.UserId == 0 {
		t.Errorf("campaign: %+v", got)
	}
}

func TestUpdateConnectionProfile(t *testing.T) {
	of := load(t)
	id, name := of.id(t, "connectionProfile"), "Go client"
	without, with := ConnectionProfileUpdateWithoutCookiesActionFail, ConnectionProfileUpdateWithCookiesActionPass
	answer, err := of.as(t, "owner").UpdateConnectionProfileWithResponse(t.Context(), id,
		ConnectionProfileUpdate{Name: &name, WithoutCookiesAction: &without, WithCookiesAction: &with})
	if err != nil {
		t.Fatal(err)
	}
	if answer.JSON200 == nil {
		t.Fatalf("%s: %s", answer.Status(), answer.Body)
	}
	got := answer.JSON200.Data
	if got.Id != id || got.Name != name || string(got.WithoutCookiesAction) != string(without) ||
		string(got.WithCookiesAction) != string(with) || got.CreatedAt == "" || got.UpdatedAt == nil {
		t.Errorf("profile: %+v", got)
	}
}

func TestUpdateConnectionProfileRuleHost(t *testing.T) {
	of := load(t)
	id, hostname, regex := of.id(t, "connectionProfileRuleHost"), "go.example.com", "^/go/"
	answer, err := of.as(t, "owner").UpdateConnectionProfileRuleHostWithResponse(t.Context(),
		of.id(t, "connectionProfile"), of.id(t, "connectionProfileRule"), id,
		ConnectionProfileRuleHostUpdate{Hostname: &hostname, RegularExpression: &regex})
	if err != nil {
		t.Fatal(err)
	}
	if answer.JSON200 == nil {
		t.Fatalf("%s: %s", answer.Status(), answer.Body)
	}
	got := answer.JSON200.Data
	if got.Id != id || got.Hostname != hostname || got.RegularExpression == nil || *got.RegularExpression != regex ||
		got.CreatedAt == "" || got.UpdatedAt == nil {
		t.Errorf("host: %+v", got)
	}
}

func TestListCreativeMediaFiles(t *testing.T) {
	of := load(t)
	answer, err := of.as(t, "owner").ListCreativeMediaFilesWithResponse(t.Context(), of.id(t, "vastCreative"))
	if err != nil {
		t.Fatal(err)
	}
	if answer.JSON200 == nil {
		t.Fatalf("%s: %s", answer.Status(), answer.Body)
	}
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
	id, owner := of.Disposables[0], of.as(t, "owner")
	answer, err := owner.DeleteCreativeWithResponse(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode() != http.StatusNoContent || len(answer.Body) > 0 {
		t.Fatalf("%s: %s", answer.Status(), answer.Body)
	}
	again, err := owner.DeleteCreativeWithResponse(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if again.JSON404 == nil || again.JSON404.Error.ResponseCode != http.StatusNotFound {
		t.Errorf("%s: %s", again.Status(), again.Body)
	}
}

func TestErrors(t *testing.T) {
	of := load(t)
	id, name := of.id(t, "campaign"), "Go client"
	nobody, err := of.as(t, "nobody").UpdateCampaignWithResponse(t.Context(), id, CampaignUpdate{Name: &name})
	if err != nil {
		t.Fatal(err)
	}
	if nobody.JSON401 == nil || nobody.JSON401.Error.ResponseCode != http.StatusUnauthorized {
		t.Errorf("%s: %s", nobody.Status(), nobody.Body)
	}
	stranger, err := of.as(t, "stranger").UpdateCampaignWithResponse(t.Context(), id, CampaignUpdate{Name: &name})
	if err != nil {
		t.Fatal(err)
	}
	if stranger.JSON403 == nil || stranger.JSON403.Error.ResponseCode != http.StatusForbidden {
		t.Errorf("%s: %s", stranger.Status(), stranger.Body)
	}
	wrong, err := of.as(t, "owner").UpdateCampaignWithBodyWithResponse(t.Context(), id, "application/json",
		bytes.NewReader([]byte(`{"name":1}`)))
	if err != nil {
		t.Fatal(err)
	}
	if wrong.JSON422 == nil || wrong.JSON422.Error.ResponseCode != http.StatusUnprocessableEntity || len(wrong.JSON422.Error.Issues) == 0 {
		t.Fatalf("%s: %s", wrong.Status(), wrong.Body)
	}
	issue := wrong.JSON422.Error.Issues[0]
	if issue.Type == "" || issue.Message == "" || issue.RelatedField == nil || *issue.RelatedField != "name" {
		t.Errorf("issue: %+v", issue)
	}
}
