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
	if a.Status == crier.AssetProcessing {
		m.JPEG = jpegsToCome(m, facts.Info)
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

// jpegsToCome is what the JPEGs of a picture will be like when they are made.
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
	if side := max(m.Width, m.Height); side > most {
		m.Width, m.Height = max(1, m.Width*most/side), max(1, m.Height*most/side)
	}
	return &m
}
