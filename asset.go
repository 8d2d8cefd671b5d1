package crier

// MaxAssetSize bounds an asset, in bytes.
const MaxAssetSize = 5 << 30

// Asset is a file of the media library.
type Asset struct {
	ID              ID              `json:"id"`
	TeamID          ID              `json:"teamId"`
	FolderID        *ID             `json:"folderId"`
	FileName        string          `json:"fileName"`
	MimeType        string          `json:"mimeType"`
	ByteSize        int64           `json:"byteSize" number:"true"`
	Width           *int            `json:"width" number:"true"`
	Height          *int            `json:"height" number:"true"`
	DurationSeconds *float64        `json:"durationSeconds"`
	SHA256          *string         `json:"sha256"`
	ThumbnailURL    *string         `json:"thumbnailUrl"`
	AltText         *string         `json:"altText"`
	Status          string          `json:"status" enum:"processing,ready,failed"`
	FailureMessage  string          `json:"failureMessage,omitempty"`
	AssetTags       []string        `json:"assetTags"`
	Compatibility   []Compatibility `json:"compatibility"`
	CreatedAt       Time            `json:"createdAt"`
	UpdatedAt       Time            `json:"updatedAt"`
}

// Compatibility says whether a network takes an asset.
type Compatibility struct {
	Provider Provider `json:"provider"`
	OK       bool     `json:"ok"`
	Issues   []string `json:"issues"`
}

// AssetUpdate is the body that changes an asset; what is absent stays.
type AssetUpdate struct {
	FileName Optional[FileName] `json:"fileName,omitzero"`
	FolderID Optional[ID]       `json:"folderId,omitzero" null:"true"`
	AltText  Optional[string]   `json:"altText,omitzero" null:"true" maxLength:"10000"`
}

// AssetImport is the body that fetches an asset from an address.
type AssetImport struct {
	URL      WebURL    `json:"url"`
	FileName *FileName `json:"fileName,omitempty"`
	FolderID *ID       `json:"folderId,omitempty" null:"true"`
	AltText  *string   `json:"altText,omitempty" null:"true" maxLength:"10000"`
}

// UploadCreate is the body that begins a resumable upload.
type UploadCreate struct {
	FileName FileName `json:"fileName"`
	MimeType string   `json:"mimeType" maxLength:"255"`
	ByteSize int64    `json:"byteSize" minimum:"1" maximum:"5368709120"`
	FolderID *ID      `json:"folderId,omitempty" null:"true"`
	AltText  *string  `json:"altText,omitempty" null:"true" maxLength:"10000"`
}

// Upload is a resumable upload.
type Upload struct {
	UploadID      ID    `json:"uploadId"`
	NextByteStart int64 `json:"nextByteStart" number:"true" doc:"Where to go on, also after a crash of either side."`
	ByteSize      int64 `json:"byteSize" number:"true"`
	ChunkSize     int64 `json:"chunkSize" number:"true" doc:"The size to send at once; the last chunk may be smaller."`
	ExpiresAt     Time  `json:"expiresAt"`
}

// Folder groups assets.
type Folder struct {
	ID        ID     `json:"id"`
	TeamID    ID     `json:"teamId"`
	ParentID  *ID    `json:"parentId"`
	Name      string `json:"name"`
	CreatedAt Time   `json:"createdAt"`
	UpdatedAt Time   `json:"updatedAt"`
}

// FolderCreate is the body that makes a folder.
type FolderCreate struct {
	Name     TagName `json:"name"`
	ParentID *ID     `json:"parentId,omitempty" null:"true"`
}

// FolderUpdate is the body that changes a folder; what is absent stays.
type FolderUpdate struct {
	Name     Optional[TagName] `json:"name,omitzero"`
	ParentID Optional[ID]      `json:"parentId,omitzero" null:"true"`
}
