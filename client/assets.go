package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"crier"
)

func assetsPath(team crier.ID) string { return teamPath(team) + "/assets" }

// ListAssets returns a page of the media library.
func (c *Client) ListAssets(ctx context.Context, team crier.ID, o ListOptions) (crier.Page[crier.Asset], error) {
	return get[crier.Page[crier.Asset]](ctx, c, assetsPath(team), o.query())
}

// GetAsset returns an asset.
func (c *Client) GetAsset(ctx context.Context, team, id crier.ID) (crier.Asset, error) {
	return get[crier.Asset](ctx, c, assetsPath(team)+"/"+string(id), nil)
}

// UpdateAsset changes an asset.
func (c *Client) UpdateAsset(ctx context.Context, team, id crier.ID, in crier.AssetUpdate) (crier.Asset, error) {
	return change[crier.Asset](ctx, c, http.MethodPatch, assetsPath(team)+"/"+string(id), in)
}

// DeleteAsset deletes an asset.
func (c *Client) DeleteAsset(ctx context.Context, team, id crier.ID) (crier.Deleted, error) {
	return change[crier.Deleted](ctx, c, http.MethodDelete, assetsPath(team)+"/"+string(id), nil)
}

// CreateAsset sends a file of known size in one request, which is not retried: Upload is better for large files.
func (c *Client) CreateAsset(ctx context.Context, team crier.ID, fileName string, file io.Reader,
	details crier.AssetDetails) (crier.Asset, error) {
	var out crier.Asset
	body, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	go func() { writer.CloseWithError(writeAssetForm(form, fileName, file, details)) }()
	err := c.send(ctx, request{
		method: http.MethodPost, path: assetsPath(team), raw: body, rawLength: -1,
		contentType: form.FormDataContentType(),
	}, &out)
	return out, errors.Join(err, body.Close()) // closed, so that the writer ends however the request ended
}

func writeAssetForm(form *multipart.Writer, fileName string, file io.Reader, details crier.AssetDetails) error {
	for _, field := range []struct {
		name  string
		value *string
	}{
		{"fileName", (*string)(details.FileName)}, {"folderId", (*string)(details.FolderID)},
		{"altText", details.AltText},
	} {
		if field.value == nil {
			continue
		}
		if err := form.WriteField(field.name, *field.value); err != nil {
			return err
		}
	}
	part, err := form.CreateFormFile("file", fileName)
	if err != nil {
		return err
	}
	if _, err := io.Copy(part, file); err != nil {
		return err
	}
	return form.Close()
}

// ImportAsset makes the server fetch an asset from a URL.
func (c *Client) ImportAsset(ctx context.Context, team crier.ID, in crier.AssetImport) (crier.Asset, error) {
	return change[crier.Asset](ctx, c, http.MethodPost, assetsPath(team)+"/import", in)
}

// AssetContent writes the bytes of an asset to w.
func (c *Client) AssetContent(ctx context.Context, team, id crier.ID, w io.Writer) error {
	return c.send(ctx, request{method: http.MethodGet, path: assetsPath(team) + "/" + string(id) + "/content"}, w)
}

func uploadPath(team, upload crier.ID) string {
	return assetsPath(team) + "/uploads/" + url.PathEscape(string(upload))
}

// CreateUploadAddress creates a URL that accepts one file without a token.
func (c *Client) CreateUploadAddress(ctx context.Context, team crier.ID, in crier.UploadAddressCreate) (
	crier.UploadAddress, error) {
	return change[crier.UploadAddress](ctx, c, http.MethodPost, assetsPath(team)+"/upload-addresses", in)
}

// CreateUpload starts a resumable upload.
func (c *Client) CreateUpload(ctx context.Context, team crier.ID, in crier.UploadCreate) (crier.Upload, error) {
	return change[crier.Upload](ctx, c, http.MethodPost, assetsPath(team)+"/uploads", in)
}

// GetUpload returns the state of an upload.
func (c *Client) GetUpload(ctx context.Context, team, upload crier.ID) (crier.Upload, error) {
	return get[crier.Upload](ctx, c, uploadPath(team, upload), nil)
}

// AppendUpload sends the bytes from start.
func (c *Client) AppendUpload(ctx context.Context, team, upload crier.ID, start, length, total int64,
	data io.Reader) (crier.Upload, error) {
	var out crier.Upload
	header := http.Header{"Content-Range": {fmt.Sprintf("bytes %d-%d/%d", start, start+length-1, total)}}
	return out, c.send(ctx, request{
		method: http.MethodPut, path: uploadPath(team, upload), raw: data, rawLength: length, header: header,
		contentType: "application/octet-stream",
	}, &out)
}

// CompleteUpload creates an asset from an upload.
func (c *Client) CompleteUpload(ctx context.Context, team, upload crier.ID) (crier.Asset, error) {
	return change[crier.Asset](ctx, c, http.MethodPost, uploadPath(team, upload)+"/complete", nil)
}

// Upload sends a whole file in chunks. After a failed chunk it asks the server where to continue. It reports progress.
func (c *Client) Upload(ctx context.Context, team crier.ID, in crier.UploadCreate, file io.ReaderAt,
	progress func(sent, total int64)) (crier.Asset, error) {
	u, err := c.CreateUpload(ctx, team, in)
	if err != nil {
		return crier.Asset{}, err
	}
	return c.ResumeUpload(ctx, team, u, file, progress)
}

// ResumeUpload continues an upload where the server says it stopped.
func (c *Client) ResumeUpload(ctx context.Context, team crier.ID, u crier.Upload, file io.ReaderAt,
	progress func(sent, total int64)) (crier.Asset, error) {
	for failures := 0; u.NextByteStart < u.ByteSize; {
		progress(u.NextByteStart, u.ByteSize)
		length := min(u.ChunkSize, u.ByteSize-u.NextByteStart)
		chunk := io.NewSectionReader(file, u.NextByteStart, length)
		next, err := c.AppendUpload(ctx, team, u.UploadID, u.NextByteStart, length, u.ByteSize, chunk)
		if err == nil {
			u, failures = next, 0
			continue
		}
		wait := waitForPiece(err)
		if failures++; wait < 0 || wait > longestWait || failures >= c.tries {
			return crier.Asset{}, err
		}
		if err := c.pause(ctx, max(wait, backoff(failures)), err); err != nil {
			return crier.Asset{}, err
		}
		if u, err = c.GetUpload(ctx, team, u.UploadID); err != nil {
			return crier.Asset{}, err
		}
	}
	progress(u.ByteSize, u.ByteSize)
	return c.CompleteUpload(ctx, team, u.UploadID)
}

// waitForPiece returns how long to wait before asking the server where to continue; negative if that would not help. A
// conflict means that the upload continues at another offset.
func waitForPiece(err error) time.Duration {
	refused, ok := errors.AsType[*Error](err)
	if !ok || refused.Kind == crier.KindConflict {
		return 0
	}
	return refused.wait()
}
