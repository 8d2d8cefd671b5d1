package library

import (
	"crier"
	"crier/internal/media"
	"crier/internal/provider"
	"crier/internal/publish"
	"crier/internal/store"
)

// compatibility returns for every network whether it accepts an asset in some kind of post, and otherwise why not.
func (s *Assets) compatibility(a store.Asset, facts media.Facts) []crier.Compatibility {
	m := s.engine.Content.NetworkMedia(a, facts)
	if a.Status == crier.AssetProcessing {
		m.JPEG = jpegsToCome(m, facts.Info)
	}
	networks := s.providers.All()
	list := make([]crier.Compatibility, len(networks))
	for i, network := range networks {
		info := network.Info()
		c := crier.Compatibility{Provider: crier.Provider(info.Name), PostTypes: []crier.PostTypeCompatibility{}}
		c.Issues = fileIssues(a, info, m)
		c.OK = len(c.Issues) == 0
		for _, format := range info.Formats {
			c.PostTypes = append(c.PostTypes, formatCompatibility(a, info, format, m)...)
		}
		list[i] = c
	}
	return list
}

// formatCompatibility returns for each post type that could carry an asset whether a format of a network accepts it.
func formatCompatibility(a store.Asset, info provider.Info, format provider.Format,
	m provider.Media) []crier.PostTypeCompatibility {
	info.Formats, info.Comment = []provider.Format{format}, nil
	var list []crier.PostTypeCompatibility
	for _, t := range format.PostTypes {
		if !carries(crier.PostType(t), a.Kind) {
			continue
		}
		issues := fileIssues(a, info, m)
		list = append(list, crier.PostTypeCompatibility{PostType: crier.PostType(t), Format: format.Name,
			OK: len(issues) == 0, Issues: issues})
	}
	return list
}

// carries reports whether posts of a type can have assets of a kind.
func carries(t crier.PostType, kind crier.AssetKind) bool {
	switch t {
	case crier.TextImage:
		return kind != crier.VideoAsset
	case crier.Carousel:
		return kind == crier.ImageAsset
	case crier.TextVideo:
		return kind == crier.VideoAsset
	}
	return false
}

// fileIssues returns why a network does not accept an asset; the list is never nil.
func fileIssues(a store.Asset, info provider.Info, m provider.Media) []string {
	if a.Status == crier.AssetFailed {
		return []string{a.FailureMessage}
	}
	issues := []string{}
	for _, problem := range publish.FormatIssues(info, publish.AdaptMedia(info, m)) {
		issues = append(issues, "The file "+problem+".")
	}
	return issues
}

// jpegsToCome predicts the JPEGs of a picture that are not created yet.
func jpegsToCome(m provider.Media, info media.Info) *provider.Media {
	var small *provider.Media
	if needsSmall(info) {
		small = jpegToCome(m, smallSide(m.Width, m.Height))
	}
	if !needsJPEG(info) {
		return small
	}
	jpeg := jpegToCome(m, jpegSide)
	jpeg.JPEG = small
	return jpeg
}

func jpegToCome(m provider.Media, most int) *provider.Media {
	m.MIMEType, m.Size = media.TypeJPEG, min(m.Size, jpegBytes)
	m.Width, m.Height = media.Fit(m.Width, m.Height, jpegSide) // the size at which a picture is decoded
	m.Width, m.Height = media.Fit(m.Width, m.Height, most)
	return &m
}
