package crier

// MaxAssetSize is the maximum size of an asset, in bytes.
const MaxAssetSize = 5 << 30

// Asset is a file of the media library.
type Asset struct {
	ID              ID              `json:"id"`
	TeamID          ID              `json:"teamId"`
	FolderID        *ID             `json:"folderId"`
	FileName        string          `json:"fileName"`
	MimeType        string          `json:"mimeType" doc:"Detected from the content, whatever was declared."`
	Kind            AssetKind       `json:"kind"`
	ByteSize        int64           `json:"byteSize" number:"true"`
	Width           *int            `json:"width" number:"true" doc:"In pixels, as shown: upright."`
	Height          *int            `json:"height" number:"true" doc:"In pixels, as shown: upright."`
	DurationSeconds *float64        `json:"durationSeconds" doc:"Of videos and animations."`
	SHA256          string          `json:"sha256" doc:"Of the content as uploaded, in hex."`
	ThumbnailURL    *string         `json:"thumbnailUrl" doc:"A small JPEG, available for a day without a token; null until it is created."`
	AltText         *string         `json:"altText"`
	Status          string          `json:"status" enum:"processing,ready,failed" doc:"Only a ready asset can be published."`
	FailureMessage  string          `json:"failureMessage,omitempty" doc:"Why the status is failed."`
	AssetTags       []string        `json:"assetTags" doc:"What the file shows: orientation, dominant colours, photo or graphic; orientation and length of a video."`
	Compatibility   []Compatibility `json:"compatibility" doc:"Which networks accept the file, one entry per network."`
	CreatedAt       Time            `json:"createdAt"`
	UpdatedAt       Time            `json:"updatedAt"`
}

// The states of an asset.
const (
	AssetProcessing = "processing"
	AssetReady      = "ready"
	AssetFailed     = "failed"
)

// AssetKind is the kind of an asset. An animated GIF is an image.
type AssetKind string

// The kinds of assets.
const (
	ImageAsset    AssetKind = "image"
	VideoAsset    AssetKind = "video"
	DocumentAsset AssetKind = "document"
)

// Enum lists the kinds.
func (AssetKind) Enum() []string {
	return []string{string(ImageAsset), string(VideoAsset), string(DocumentAsset)}
}

// Compatibility says whether a network accepts an asset.
type Compatibility struct {
	Provider Provider `json:"provider"`
	OK       bool     `json:"ok" doc:"True when some type of post can use the file; an image may be converted to JPEG for it."`
	Issues   []string `json:"issues" doc:"The problems that prevent it."`
	// PostTypes says the same for each kind of post that could use the file.
	PostTypes []PostTypeCompatibility `json:"postTypes" doc:"The same for each type of post that could use the file, and each form that the network has for it."`
}

// PostTypeCompatibility says whether a network accepts an asset in one kind of post.
type PostTypeCompatibility struct {
	PostType PostType `json:"postType"`
	Format   string   `json:"format" doc:"The network's form, such as feed, reel or story; GET /v1/providers describes them."`
	OK       bool     `json:"ok"`
	Issues   []string `json:"issues" doc:"The problems that prevent it."`
}

// AssetDetails are the fields of an upload form besides the file.
type AssetDetails struct {
	FileName *FileName `json:"fileName,omitempty" doc:"Replaces the name of the uploaded file."`
	FolderID *ID       `json:"folderId,omitempty"`
	AltText  *string   `json:"altText,omitempty" maxLength:"10000"`
}

// AssetUpdate is the request to update an asset; absent fields keep their value.
type AssetUpdate struct {
	FileName Optional[FileName] `json:"fileName,omitzero"`
	FolderID Optional[ID]       `json:"folderId,omitzero" null:"true"`
	AltText  Optional[string]   `json:"altText,omitzero" null:"true" maxLength:"10000"`
}

// AssetImport is the request to import an asset from a URL.
type AssetImport struct {
	URL      WebURL    `json:"url"`
	FileName *FileName `json:"fileName,omitempty"`
	FolderID *ID       `json:"folderId,omitempty" null:"true"`
	AltText  *string   `json:"altText,omitempty" null:"true" maxLength:"10000"`
}

// UploadCreate is the request to start a resumable upload.
type UploadCreate struct {
	FileName FileName `json:"fileName" example:"clip.mp4"`
	MimeType string   `json:"mimeType" maxLength:"255" example:"video/mp4"`
	ByteSize int64    `json:"byteSize" minimum:"1" maximum:"5368709120" example:"20971520"`
	FolderID *ID      `json:"folderId,omitempty" null:"true"`
	AltText  *string  `json:"altText,omitempty" null:"true" maxLength:"10000"`
}

// Upload is a resumable upload.
type Upload struct {
	UploadID      ID    `json:"uploadId"`
	NextByteStart int64 `json:"nextByteStart" number:"true" doc:"Where to resume, also after a crash of either side."`
	ByteSize      int64 `json:"byteSize" number:"true"`
	ChunkSize     int64 `json:"chunkSize" number:"true" doc:"Recommended chunk size. The maximum is 64 MiB, and after a thousand chunks the minimum is 256 KiB; the last chunk may be smaller."`
	ExpiresAt     Time  `json:"expiresAt" doc:"The upload is removed if it is not complete by then."`
	AssetID       *ID   `json:"assetId,omitempty" doc:"The asset of the upload, once it is complete."`
}

// UploadAddressCreate is the request to create a URL for the upload of one file.
type UploadAddressCreate struct {
	FileName *FileName `json:"fileName,omitempty"`
	MimeType string    `json:"mimeType,omitempty" maxLength:"255" doc:"Required type of the file; absent: any type that the library accepts."`
	MaxBytes int64     `json:"maxBytes,omitempty" minimum:"1" maximum:"5368709120" doc:"Maximum size of the file in bytes; absent: 1 GiB."`
	FolderID *ID       `json:"folderId,omitempty" null:"true"`
	AltText  *string   `json:"altText,omitempty" null:"true" maxLength:"1000"`
}

// UploadAddress is a URL that accepts one file without a token.
type UploadAddress struct {
	URL       string `json:"url" format:"uri" doc:"PUT the file's content here. Anyone who has the URL can use it: treat it like a secret."`
	MaxBytes  int64  `json:"maxBytes" number:"true"`
	MimeType  string `json:"mimeType,omitempty"`
	ExpiresAt Time   `json:"expiresAt"`
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

// FolderCreate is the request to create a folder.
type FolderCreate struct {
	Name     TagName `json:"name"`
	ParentID *ID     `json:"parentId,omitempty" null:"true"`
}

// FolderUpdate is the request to update a folder; absent fields keep their value.
type FolderUpdate struct {
	Name     Optional[TagName] `json:"name,omitzero"`
	ParentID Optional[ID]      `json:"parentId,omitzero" null:"true"`
}
