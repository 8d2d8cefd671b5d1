package service

import (
	"crier"
	"crier/internal/media"
	"crier/internal/provider"
	"crier/internal/store"
)

// compatibility tells for every network whether it takes an asset in a post of some kind, and what stands in the way
// otherwise.
func (s *Assets) compatibility(a store.Asset, facts assetFacts) []crier.Compatibility {
	m := s.networkMedia(a, facts)
	if m.JPEG == nil && needsJPEG(facts.Info) {
		m.JPEG = jpegToCome(m)
	}
	networks := s.providers.All()
	list := make([]crier.Compatibility, len(networks))
	for i, network := range networks {
		info := network.Info()
		list[i] = crier.Compatibility{Provider: crier.Provider(info.Name), Issues: []string{}}
		for _, problem := range formatIssues(info, suitedMedia(info, m)) {
			list[i].Issues = append(list[i].Issues, "The file "+problem+".")
		}
		if a.Status == crier.AssetFailed {
			list[i].Issues = []string{a.FailureMessage}
		}
		list[i].OK = len(list[i].Issues) == 0
	}
	return list
}

// jpegToCome is what the JPEG of a picture will be like when it is made.
func jpegToCome(m provider.Media) *provider.Media {
	jpeg := m
	jpeg.MIMEType, jpeg.Size = media.TypeJPEG, min(m.Size, jpegBytes)
	if side := max(m.Width, m.Height); side > jpegSide {
		jpeg.Width, jpeg.Height = max(1, m.Width*jpegSide/side), max(1, m.Height*jpegSide/side)
	}
	return &jpeg
}
