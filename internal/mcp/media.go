package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"crier"
)

// assetBrief is an asset in brief.
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
	// RefusedBy are the networks that do not take the file.
	RefusedBy []crier.Provider `json:"refusedBy,omitempty"`
}

func briefAsset(a crier.Asset) assetBrief {
	out := assetBrief{
		ID: a.ID, FileName: a.FileName, Kind: a.Kind, ByteSize: a.ByteSize, Width: a.Width, Height: a.Height, DurationSeconds: a.DurationSeconds,
		Status: a.Status, Failure: a.FailureMessage,
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

func (d *door) addMediaTools(s *mcp.Server) {
	addTool(d, s, tool{
		name: "list_assets", title: "List media", nature: reads,
		description: "Lists the images and videos of the team's media library, with the networks that refuse each. Only ready ones can be published.",
	}, listAssets)
	addTool(d, s, tool{
		name: "import_asset", title: "Import media", nature: adds, repeatable: true, outside: true,
		description: "Has the server fetch an image or video from a public web address into the media library. It costs nothing.",
	}, importAsset)
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
	URL     string  `json:"url" jsonschema:"http or https address of the file"`
	AltText *string `json:"altText,omitempty" jsonschema:"what the file shows, for people who cannot see it"`
}

func importAsset(ctx context.Context, c *call, in importAssetInput) (any, error) {
	team, err := c.team(ctx, in.inTeam)
	if err != nil {
		return nil, err
	}
	e, err := c.effect("", team)
	if err != nil {
		return nil, err
	}
	var made crier.Asset
	err = e.make(ctx, func(ctx context.Context) (err error) {
		made, err = c.ImportAsset(ctx, team, crier.AssetImport{URL: crier.WebURL(in.URL), AltText: in.AltText})
		return err
	})
	return briefAsset(made), err
}
