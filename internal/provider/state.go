package provider

import (
	"maps"
	"slices"
	"time"
)

// State is the progress of a publication. The engine saves it after every step, as JSON that the API shows (the
// scheduled post's providerPublishState), so it holds no secrets: those go into Secrets, which the engine seals and
// saves separately.
type State struct {
	// Ready means that everything is prepared and Commit can be called.
	Ready bool `json:"ready"`
	// Done means that all parts are published.
	Done bool `json:"done"`
	// RequiresPolling means that Poll has something to read or to do. A post can be Done and still be polled, for
	// example when its public id is known only later.
	RequiresPolling bool `json:"requiresPolling"`
	// PollingReason is what the publication is waiting for.
	PollingReason string `json:"pollingReason,omitempty"`
	// NextPollAfter is when to make the next call, either Prepare or Poll; zero means at once.
	NextPollAfter time.Time `json:"nextPollAfter,omitzero"`
	// PollingSince is when the current wait started, so that a provider can give up.
	PollingSince time.Time `json:"pollingSince,omitzero"`

	// PublishID is the network's id of the publication in progress.
	PublishID string `json:"publishId,omitempty"`
	// PlatformPostID is the id of the first part, once it is published.
	PlatformPostID string `json:"platformPostId,omitempty"`
	// ProviderStatus is the network's own status.
	ProviderStatus string `json:"providerStatus,omitempty"`
	// FailureCode is the network's own error code.
	FailureCode string `json:"failureCode,omitempty"`
	// UploadProgress is the progress of the current upload.
	UploadProgress *UploadProgress `json:"uploadProgress,omitempty"`

	// Published are the published parts, in order: the next to commit is the one after them.
	Published []Published `json:"published,omitempty"`
	// Uploads are the media uploaded to the network.
	Uploads []Upload `json:"uploads,omitempty"`
	// ContainerID is the network's draft of the next part, where it has drafts.
	ContainerID string `json:"containerId,omitempty"`
	// Data is the provider's own data.
	Data map[string]string `json:"data,omitempty"`
	// Warnings are problems that did not prevent publishing.
	Warnings []string `json:"warnings,omitempty"`

	// Secrets are values that are as good as credentials, such as upload URLs with a token. A provider must cope with
	// losing them before Commit, by preparing again.
	Secrets map[string]Secret `json:"-"`
}

// UploadProgress is the progress of an upload.
type UploadProgress struct {
	NextByteStart int64 `json:"nextByteStart"`
	UploadSize    int64 `json:"uploadSize"`
}

// Published is a published part.
type Published struct {
	PlatformPostID string    `json:"platformPostId"`
	Permalink      string    `json:"permalink,omitempty"`
	PublishedAt    time.Time `json:"publishedAt"`
}

// Upload is one media file uploaded to the network.
type Upload struct {
	// Part and Media identify the file.
	Part  int `json:"part"`
	Media int `json:"media"`
	// ID is the network's id: a media id, a container id, a URN.
	ID string `json:"id,omitempty"`
	// Step is the provider's own name of the last completed step.
	Step string `json:"step"`
	// NextByte, Size and ChunkSize are the progress of the upload.
	NextByte  int64 `json:"nextByte,omitempty"`
	Size      int64 `json:"size,omitempty"`
	ChunkSize int64 `json:"chunkSize,omitempty"`
	// Tags are the receipts of the chunks, where the network requires them.
	Tags []string `json:"tags,omitempty"`
	// ExpiresAt is when the network discards it; zero means unknown.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	// Redone counts the restarts.
	Redone int `json:"redone,omitempty"`
}

// Clone returns a deep copy: providers change the copy, so that a failed step leaves the original unchanged.
func (st State) Clone() State {
	st.Published = slices.Clone(st.Published)
	st.Uploads = slices.Clone(st.Uploads)
	for i := range st.Uploads {
		st.Uploads[i].Tags = slices.Clone(st.Uploads[i].Tags)
	}
	st.Warnings = slices.Clone(st.Warnings)
	st.Data = maps.Clone(st.Data)
	st.Secrets = maps.Clone(st.Secrets)
	if st.UploadProgress != nil {
		progress := *st.UploadProgress
		st.UploadProgress = &progress
	}
	return st
}

// NextPart returns the index of the next part to publish.
func (st State) NextPart() int { return len(st.Published) }

// Publish adds a published part; parts is the total number.
func (st *State) Publish(p Published, parts int) {
	if len(st.Published) == 0 {
		st.PlatformPostID = p.PlatformPostID
	}
	st.Published = append(st.Published, p)
	st.ContainerID = ""
	st.Done = len(st.Published) >= parts
}

// FoundAt dates the last part by the time that the network tells for it, zero if it does not. It was published after
// the attempt started; the clock of the network may differ.
func (st *State) FoundAt(created time.Time, at Attempt) {
	if last := len(st.Published) - 1; last >= 0 && !created.IsZero() {
		if created.Before(at.StartedAt) {
			created = at.StartedAt
		}
		st.Published[last].PublishedAt = created.UTC()
	}
}

// Upload returns the upload of a media file, or nil.
func (st *State) Upload(part, media int) *Upload {
	for i := range st.Uploads {
		if st.Uploads[i].Part == part && st.Uploads[i].Media == media {
			return &st.Uploads[i]
		}
	}
	return nil
}

// Note sets a value of Data.
func (st *State) Note(key, value string) {
	if st.Data == nil {
		st.Data = map[string]string{}
	}
	st.Data[key] = value
}

// Hide sets a value of Secrets.
func (st *State) Hide(key string, value Secret) {
	if st.Secrets == nil {
		st.Secrets = map[string]Secret{}
	}
	st.Secrets[key] = value
}

// WaitUntil sets when to make the next call, and since when the provider has been waiting for reason.
func (st *State) WaitUntil(at, now time.Time, reason string) {
	if st.PollingReason != reason || st.PollingSince.IsZero() {
		st.PollingSince = now
	}
	st.PollingReason = reason
	st.NextPollAfter = at
}

// StopWaiting undoes WaitUntil.
func (st *State) StopWaiting() {
	st.PollingReason = ""
	st.NextPollAfter = time.Time{}
	st.PollingSince = time.Time{}
}
