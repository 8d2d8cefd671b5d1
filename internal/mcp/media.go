package mcp

import (
	"context"
	"net/http"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
)

// assetBrief is the short form of an asset.
type assetBrief struct {
	ID              crier.ID        `json:"id"`
	FileName        string          `json:"fileName"`
	Kind            crier.AssetKind `json:"kind"`
	ByteSize        int64           `json:"byteSize"`
	Width           *int            `json:"width,omitempty"`
	Height          *int            `json:"height,omitempty"`
	DurationSeconds *float64        `json:"durationSeconds,omitempty"`
	AltText         string          `json:"altText,omitempty"`
	Status          string          `json:"status"`
	Failure         string          `json:"failure,omitempty"`
	// RefusedBy are the networks that do not accept the file.
	RefusedBy []crier.Provider `json:"refusedBy,omitempty"`
}

func briefAsset(a crier.Asset) assetBrief {
	out := assetBrief{
		ID: a.ID, FileName: a.FileName, Kind: a.Kind, ByteSize: a.ByteSize, Width: a.Width, Height: a.Height,
		DurationSeconds: a.DurationSeconds,
		Status:          a.Status, Failure: a.FailureMessage,
	}
	if a.AltText != nil {
		out.AltText = *a.AltText
	}
	for _, c := range a.Compatibility {
		if !c.OK {
			out.RefusedBy = append(out.RefusedBy, c.Provider)
		}
	}
	return out
}

func (d *server) addMediaTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "list_assets", title: "List media", effect: reads,
		description: "Lists the images and videos of the team's media library, with the networks that reject each. " +
			"Only ready ones can be published.",
	}, listAssets)
	addTool(d, s, tool{
		name: "import_asset", title: "Import media", effect: adds, repeatable: true, outside: true,
		description: "Imports an image or video from a public URL into the media library. It is fetched by the " +
			"server and is free.",
	}, importAsset)
	addTool(d, s, tool{
		name: "upload_asset", title: "Upload a local file", effect: adds,
		description: "Returns a URL and a curl command to upload one image, video or PDF from the person's own " +
			"machine into the media library. The call itself uploads nothing: run the command where the file is, " +
			"within 15 minutes; it prints the asset with its id. The URL works once and needs no token, so treat it " +
			"like a secret. It is free. For a file on the web use import_asset.",
	}, uploadAsset)
}

type uploadAssetInput struct {
	inTeam
	FileName string  `json:"fileName" jsonschema:"name of the file, such as picture.jpg; the command uploads this file from the directory where it is run"`
	MimeType string  `json:"mimeType,omitempty" jsonschema:"required type of the file, such as image/jpeg; absent: any that the library accepts"`
	MaxBytes int64   `json:"maxBytes,omitempty" jsonschema:"maximum size of the file in bytes; absent: 1 GiB"`
	AltText  *string `json:"altText,omitempty" jsonschema:"what the file shows, for people who cannot see it"`
}

// uploadOffer is an upload URL and the command that uses it.
type uploadOffer struct {
	URL       string     `json:"url"`
	Method    string     `json:"method"`
	Command   string     `json:"command"`
	MaxBytes  int64      `json:"maxBytes"`
	MimeType  string     `json:"mimeType,omitempty"`
	ExpiresAt crier.Time `json:"expiresAt"`
}

func uploadAsset(ctx context.Context, c *call, in uploadAssetInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	base := path.Base(in.FileName)
	if in.FileName == "" || base == "." || base == ".." || base == "/" {
		return nil, invalid(crier.At("must be the name of a file, such as picture.jpg", "fileName"))
	}
	name := crier.FileName(base)
	upload, err := c.CreateUploadAddress(ctx, team, crier.UploadAddressCreate{FileName: &name, MimeType: in.MimeType,
		MaxBytes: in.MaxBytes, AltText: in.AltText})
	if err != nil {
		return nil, err
	}
	return uploadOffer{URL: upload.URL, Method: http.MethodPut, MaxBytes: upload.MaxBytes, MimeType: upload.MimeType,
		ExpiresAt: upload.ExpiresAt,
		Command:   "curl --fail-with-body -T " + shellWord(in.FileName) + " " + shellWord(upload.URL)}, nil
}

// shellWord quotes a word for a POSIX shell. A name that looks like an option becomes a path.
func shellWord(word string) string {
	if strings.HasPrefix(word, "-") {
		word = "./" + word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

type listAssetsInput struct {
	inTeam
	inPage
}

func listAssets(ctx context.Context, c *call, in listAssetsInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	found, err := c.ListAssets(ctx, team, in.options())
	if err != nil {
		return nil, err
	}
	return pageOf(found, briefAsset), nil
}

type importAssetInput struct {
	inTeam
	URL     string  `json:"url" jsonschema:"http or https URL of the file"`
	AltText *string `json:"altText,omitempty" jsonschema:"what the file shows, for people who cannot see it"`
}

func importAsset(ctx context.Context, c *call, in importAssetInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	e, err := c.effect(team, "", "")
	if err != nil {
		return nil, err
	}
	var asset crier.Asset
	err = e.apply(ctx, func(ctx context.Context) (err error) {
		asset, err = c.ImportAsset(ctx, team, crier.AssetImport{URL: crier.WebURL(in.URL), AltText: in.AltText})
		return err
	})
	return briefAsset(asset), err
}
