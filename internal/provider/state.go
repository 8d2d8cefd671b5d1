package provider

import (
	"maps"
	"slices"
	"time"
)

// State is how far a publication is. The engine saves it after every step, as JSON for everybody to see (it is the
// scheduled post's providerPublishState), so it holds no secret: what must not be seen goes into Secrets, which the
// engine seals and saves beside it.
type State struct {
	// Ready means that everything is prepared and only Commit is missing.
	Ready bool `json:"ready"`
	// Done means that all parts are public.
	Done bool `json:"done"`
	// RequiresPolling means that Poll has something to ask or to do. A post can be Done and still be polled for, as
	// when its public id is told later.
	RequiresPolling bool `json:"requiresPolling"`
	// PollingReason says what is waited for.
	PollingReason string `json:"pollingReason,omitempty"`
	// NextPollAfter is when the next call makes sense, be it Prepare or Poll; zero means at once.
	NextPollAfter time.Time `json:"nextPollAfter,omitzero"`
	// PollingSince is when the present wait began, so that a provider can give up.
	PollingSince time.Time `json:"pollingSince,omitzero"`

	// PublishID is the network's name for the publication while it is under way.
	PublishID string `json:"publishId,omitempty"`
	// PlatformPostID is the id of the first part, once it is public.
	PlatformPostID string `json:"platformPostId,omitempty"`
	// ProviderStatus is the network's own word for where it is.
	ProviderStatus string `json:"providerStatus,omitempty"`
	// FailureCode is the network's own word for what went wrong.
	FailureCode string `json:"failureCode,omitempty"`
	// UploadProgress is how far the file that is being sent is.
	UploadProgress *UploadProgress `json:"uploadProgress,omitempty"`

	// Published are the parts that are public, in order: the next to commit is the one behind them.
	Published []Published `json:"published,omitempty"`
	// Uploads are the media as the network knows them.
	Uploads []Upload `json:"uploads,omitempty"`
	// ContainerID is the network's draft of the part that is next, where it has such a thing.
	ContainerID string `json:"containerId,omitempty"`
	// Data is what a provider notes for itself.
	Data map[string]string `json:"data,omitempty"`
	// Warnings are what went wrong without standing in the way.
	Warnings []string `json:"warnings,omitempty"`

	// Secrets are values with which others could act, such as upload addresses that carry a token. A provider must cope
	// with losing them before Commit, by preparing again.
	Secrets map[string]Secret `json:"-"`
}

// UploadProgress is how far a file is.
type UploadProgress struct {
	NextByteStart int64 `json:"nextByteStart"`
	UploadSize    int64 `json:"uploadSize"`
}

// Published is a part that is public.
type Published struct {
	PlatformPostID string    `json:"platformPostId"`
	Permalink      string    `json:"permalink,omitempty"`
	PublishedAt    time.Time `json:"publishedAt"`
}

// Upload is one media as the network knows it.
type Upload struct {
	// Part and Media say which one it is.
	Part  int `json:"part"`
	Media int `json:"media"`
	// ID is the network's name for it: a media id, a container id, a URN.
	ID string `json:"id,omitempty"`
	// Step is the provider's own word for what was done last.
	Step string `json:"step"`
	// NextByte, Size and ChunkSize say how far the bytes are.
	NextByte  int64 `json:"nextByte,omitempty"`
	Size      int64 `json:"size,omitempty"`
	ChunkSize int64 `json:"chunkSize,omitempty"`
	// Tags are the receipts of the chunks, where the network wants them back.
	Tags []string `json:"tags,omitempty"`
	// ExpiresAt is when the network forgets it; zero means that this is not known.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	// Redone counts how often it was begun anew.
	Redone int `json:"redone,omitempty"`
}

// Clone returns a copy that shares nothing: providers change the copy, so that a failed step leaves the original alone.
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

// NextPart returns the index of the part that is to become public next.
func (st State) NextPart() int { return len(st.Published) }

// Publish enters a part that has become public; parts is how many there are in all.
func (st *State) Publish(p Published, parts int) {
	if len(st.Published) == 0 {
		st.PlatformPostID = p.PlatformPostID
	}
	st.Published = append(st.Published, p)
	st.ContainerID = ""
	st.Done = len(st.Published) >= parts
}

// Upload returns the entry of a media, or nil.
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

// WaitUntil notes that the next call makes sense at a time, and since when the provider has been waiting for reason.
func (st *State) WaitUntil(at, now time.Time, reason string) {
	if st.PollingReason != reason || st.PollingSince.IsZero() {
		st.PollingSince = now
	}
	st.PollingReason = reason
	st.NextPollAfter = at
}

// StopWaiting clears what WaitUntil noted.
func (st *State) StopWaiting() {
	st.PollingReason = ""
	st.NextPollAfter = time.Time{}
	st.PollingSince = time.Time{}
}
