package reference

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/adconform/adconform/spec"
)

// creative returns what decides on operations on a creative: its owner, parent
// and type. It is errNotExist when there is none.
func (t *tx) creative(id int64) (c spec.Creative, err error) {
	err = t.rowToChange("creatives", `SELECT id, user_id, parent_id, source_type FROM creatives WHERE id = $1`, []any{id},
		&c.ID, &c.UserID, &c.ParentID, &c.SourceType)
	return c, err
}

// countMediaFiles counts the media files of a creative.
func (t *tx) countMediaFiles(creativeID int64) (n int64, err error) {
	err = t.row(`SELECT COUNT(*) FROM creatives WHERE parent_id = $1`, []any{creativeID}, &n)
	return n, err
}

// mediaFiles returns the media files of a creative by id, at most limit after
// the first offset.
func (t *tx) mediaFiles(creativeID int64, order ListOrder, limit, offset int64) ([]spec.Creative, error) {
	direction := "ASC"
	if order == Descending {
		direction = "DESC"
	}
	rows, err := t.sql.QueryContext(t.ctx, fmt.Sprintf(`
		SELECT c.id, c.campaign_id, c.name, c.created_at, c.updated_at, c.parent_id, c.source_type,
			c.source_type_label, c.share_url, c.live_preview_url, c.preview_animation_url, c.width, c.height,
			c.user_id, c.nb_variations, (SELECT COUNT(*) FROM creatives f WHERE f.parent_id = c.id),
			s.id, s.created_at, s.updated_at, s.finished_at, s.sequence_type, s.nb_issues, s.processing_status
		FROM creatives c
		LEFT JOIN scans s ON s.creative_id = c.id
		WHERE c.parent_id = $1
		ORDER BY c.id %s
		LIMIT $2 OFFSET $3`, direction), creativeID, limit, offset)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var files []spec.Creative
	for rows.Next() {
		c, err := scanCreative(rows)
		if err != nil {
			return nil, err
		}
		files = append(files, c)
	}
	return files, rows.Err()
}

func scanCreative(rows *sql.Rows) (c spec.Creative, err error) {
	var (
		scan                   spec.Scan
		scanID, issues         sql.Null[int64]
		scanCreated            *time.Time
		sequenceType, progress sql.Null[string]
	)
	err = rows.Scan(&c.ID, &c.CampaignID, &c.Name, (*date)(&c.CreatedAt), (*date)(&c.UpdatedAt), &c.ParentID, &c.SourceType,
		&c.SourceTypeLabel, &c.ShareURL, &c.LivePreviewURL, &c.PreviewAnimationURL, &c.Width, &c.Height,
		&c.UserID, &c.NbVariations, &c.NbMediaFiles,
		&scanID, nullDate{&scanCreated}, nullDate{&scan.UpdatedAt}, nullDate{&scan.FinishedAt}, &sequenceType, &issues, &progress)
	if err == nil && scanID.Valid {
		scan.ID, scan.CreatedAt = scanID.V, *scanCreated
		scan.SequenceType, scan.NbIssues, scan.ProcessingStatus = sequenceType.V, issues.V, progress.V
		c.LatestScanStatus = &scan
	}
	return c, err
}

// deleteCreative deletes a creative, its scan and the media files that have it
// as parent (ON DELETE CASCADE).
func (t *tx) deleteCreative(id int64) error {
	return t.exec(`DELETE FROM creatives WHERE id = $1`, id)
}

// orphanMediaFiles takes the media files of a creative from it.
func (t *tx) orphanMediaFiles(creativeID int64) error {
	return t.exec(`UPDATE creatives SET parent_id = NULL WHERE parent_id = $1`, creativeID)
}
