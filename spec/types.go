package spec

import (
	"strings"
	"time"
)

// The wire types of the five operations. They are the only thing that the
// reference server and the suite have in common: the reference encodes them,
// the suite's fixtures are described with them.

// ConnectionProfile is the representation that updateConnectionProfile returns.
type ConnectionProfile struct {
	ID                   int64      `json:"id"`
	Name                 string     `json:"name"`
	CreatedAt            time.Time  `json:"createdAt"`
	UpdatedAt            *time.Time `json:"updatedAt"` // null until the first update
	WithoutCookiesAction string     `json:"withoutCookiesAction"`
	WithCookiesAction    string     `json:"withCookiesAction"`
}

// ConnectionProfileRule stands between a profile and its hosts. It is never on
// the wire of the five operations; servers store it.
type ConnectionProfileRule struct {
	ID                int64      `json:"id"`
	Action            string     `json:"action"`
	Type              string     `json:"type"` // "custom" or "provider"
	ProviderID        *int64     `json:"providerId"`
	CustomName        *string    `json:"customName"`
	CustomDescription *string    `json:"customDescription"`
	CreatedAt         time.Time  `json:"createdAt"`
	UpdatedAt         *time.Time `json:"updatedAt"`
}

// ConnectionProfileRuleHost is the representation that
// updateConnectionProfileRuleHost returns.
type ConnectionProfileRuleHost struct {
	ID                int64      `json:"id"`
	Hostname          string     `json:"hostname"`
	RegularExpression *string    `json:"regularExpression"` // null when unset
	CreatedAt         time.Time  `json:"createdAt"`
	UpdatedAt         *time.Time `json:"updatedAt"`
}

// Campaign is the representation that updateCampaign returns.
type Campaign struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
	Type      string    `json:"type"` // "display", "video"; the list is open
	ShareURL  string    `json:"shareURL"`
	AdspecID  int64     `json:"adspecId"`
	UserID    int64     `json:"userId"`
}

// Creative is an item of listCreativeMediaFiles. A media file is a creative
// with the VAST creative as its ParentID.
type Creative struct {
	ID                  int64     `json:"id"`
	CampaignID          int64     `json:"campaignId"`
	Name                string    `json:"name"`
	CreatedAt           time.Time `json:"createdAt"`
	UpdatedAt           time.Time `json:"updatedAt"`
	ParentID            *int64    `json:"parentId"`
	SourceType          string    `json:"sourceType"`
	SourceTypeLabel     string    `json:"sourceTypeLabel"`
	ShareURL            string    `json:"shareURL"`
	LivePreviewURL      string    `json:"livePreviewURL"`
	PreviewAnimationURL *string   `json:"previewAnimationURL"`
	Width               *int64    `json:"width"`  // pixels
	Height              *int64    `json:"height"` // pixels
	UserID              int64     `json:"userId"`
	NbVariations        *int64    `json:"nbVariations"`
	NbMediaFiles        *int64    `json:"nbMediaFiles,omitempty"` // not available in list mode
	LatestScanStatus    *Scan     `json:"latestScanStatus"`
}

// HoldsMediaFiles reports whether a creative is of a type that has media files, not one
// that is a media file itself.
func (c *Creative) HoldsMediaFiles() bool {
	return strings.HasPrefix(c.SourceType, "vast") && !strings.HasPrefix(c.SourceType, "vast-child")
}

// Scan is the latest scan of a creative; only the fact that it is an object
// that carries a status is judged.
type Scan struct {
	ID               int64      `json:"id"`
	CreatedAt        time.Time  `json:"createdAt"`
	UpdatedAt        *time.Time `json:"updatedAt"`
	FinishedAt       *time.Time `json:"finishedAt"`
	SequenceType     string     `json:"sequenceType"`
	NbIssues         int64      `json:"nbIssues"`
	ProcessingStatus string     `json:"processingStatus"` // queued, processing, finished, failed or cancelled
}

// Pagination describes one page of a list; all four are counts from 0 or
// numbers from 1 (page).
type Pagination struct {
	Count      int64 `json:"count"`
	TotalCount int64 `json:"totalCount"`
	Page       int64 `json:"page"`
	TotalPages int64 `json:"totalPages"`
}

// Data is the envelope of a single representation.
type Data[T any] struct {
	Data T `json:"data"`
}

// List is the envelope of a page of items.
type List[T any] struct {
	Meta struct {
		Pagination Pagination `json:"pagination"`
	} `json:"meta"`
	Data []T `json:"data"`
}

// ErrorBody is the body of 401, 403, 404 and 422 (section Errors).
type ErrorBody struct {
	Error struct {
		ResponseCode int     `json:"responseCode"` // the status once more, for checking
		Issues       []Issue `json:"issues"`
	} `json:"error"`
}

// Issue is one cause of an error.
type Issue struct {
	Type         string  `json:"type"` // key to quote to support
	Message      string  `json:"message"`
	RelatedField *string `json:"relatedField"` // null where no field is involved
}
