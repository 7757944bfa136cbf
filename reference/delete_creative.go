package reference

import "net/http"

// deleteCreative deletes a creative: from then on it does not exist (interface
// document, Endpoints 4). A body or a Content-Type makes no difference.
func (s *Server) deleteCreative(r *http.Request, user int64) (*answer, error) {
	id, err := s.pathID(r, "creativeId")
	if err != nil {
		return nil, err
	}
	err = s.store.transaction(func(t *tx) error {
		creative, err := t.creative(id)
		if err != nil {
			return err
		}
		if err := permit(user, creative.UserID); err != nil {
			return err
		}
		if creative.ParentID != nil && s.choices.DeleteMediaFile == Refuse {
			return unprocessable("mediaFile", "A media file cannot be deleted; delete its VAST creative.")
		}
		if len(t.mediaFiles(id)) > 0 && s.choices.DeleteContainerWithFiles == RefuseContainer {
			return unprocessable("hasMediaFiles", "A creative with media files cannot be deleted; delete them first.")
		}
		if s.choices.DeleteContainerWithFiles == Orphan {
			t.orphanMediaFiles(id)
		}
		t.deleteCreative(id)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusNoContent}, nil
}
