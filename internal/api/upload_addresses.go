package api

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"

	"crier"
	"crier/internal/access"
	"crier/internal/api/contract"
)

type createUploadAddressInput struct {
	teamPath
	Body crier.UploadAddressCreate
}

var createUploadAddressDoc = doc{
	ID: "createUploadAddress", Tag: "Media library", Summary: "Get an upload URL",
	Status: http.StatusCreated, Secret: true,
	Description: "For uploads from where no token is available, such as the computer of an agent's user: `PUT` " +
		"the content to `url` within 15 minutes, without a token; the response is the asset (201). The URL " +
		"accepts one file of at most `maxBytes` and, if given, of type `mimeType`; it counts as an upload by the " +
		"caller, who must still have the permission then. A URL that was altered or has expired is a 403, one " +
		"that was used a 409.",
}

func (s *Server) createUploadAddress(ctx context.Context, scope access.TeamScope, in *createUploadAddressInput) (
	crier.UploadAddress, error) {
	return s.services.UploadAddresses.Create(ctx, scope, in.Body)
}

// receiveUpload accepts a file from anyone who has a signed upload URL. The URL is not written to the audit log.
func (s *Server) receiveUpload(w http.ResponseWriter, r *http.Request) {
	stream := contract.NewStream(w, r)
	defer stream.Drain()
	ctx := access.WithAction(r.Context(), access.Caller{}, access.Action{Operation: "uploadToAddress",
		Target: "/media/uploads", RequestID: infoOf(r).id, Creates: true})
	asset, err := s.services.UploadAddresses.Receive(ctx, chi.URLParam(r, "address"), stream.Length, stream)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.respond(w, r, http.StatusCreated, asset)
}
