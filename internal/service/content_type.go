package service

import (
	"fmt"
	"strings"

	"crier"
	"crier/internal/provider"
	"crier/internal/store"
)

// medium is an asset of a part and its kind.
type medium struct {
	assetRef
	video, document bool
}

// mediaOf sorts the assets of each part by kind. Network rules are checked when the post is scheduled.
func mediaOf(refs [][]assetRef, facts map[crier.ID]store.AssetFacts) [][]medium {
	parts := make([][]medium, len(refs))
	for i, part := range refs {
		for _, ref := range part {
			mimeType := facts[ref.id].MimeType
			parts[i] = append(parts[i], medium{assetRef: ref, video: strings.HasPrefix(mimeType, "video/"),
				document: strings.HasPrefix(mimeType, "application/")})
		}
	}
	return parts
}

// typeRank orders types for threads: a thread has the type of its most demanding part.
var typeRank = map[crier.PostType]int{crier.TextPost: 0, crier.TextImage: 1, crier.Carousel: 2, crier.TextVideo: 3}

// inferType returns the type that follows from the media.
func inferType(parts [][]medium) crier.PostType {
	inferred := crier.TextPost
	for _, media := range parts {
		own := crier.Carousel
		switch {
		case len(media) == 0:
			own = crier.TextPost
		case media[0].video:
			own = crier.TextVideo
		case len(media) == 1:
			own = crier.TextImage
		}
		if typeRank[own] > typeRank[inferred] {
			inferred = own
		}
	}
	return inferred
}

// wrongMedia returns the issues of media that cannot be combined: in a post of the given type or, when it follows the
// media, with the first of its part. A draft may be incomplete: see incompleteProblem.
func wrongMedia(given *crier.PostType, parts [][]medium) []crier.Issue {
	var issues []crier.Issue
	for _, media := range parts {
		wanted := crier.Carousel
		switch {
		case len(media) > 0 && media[0].video:
			wanted = crier.TextVideo
		case len(media) > 0 && media[0].document:
			wanted = crier.TextImage
		}
		if given != nil && *given != inferType(parts) {
			wanted = *given
		}
		issues = append(issues, wrongIn(wanted, media)...)
	}
	return issues
}

func wrongIn(t crier.PostType, media []medium) []crier.Issue {
	var issues []crier.Issue
	images, videos, documents := 0, 0, 0
	for _, m := range media {
		switch {
		case m.video:
			videos++
		case m.document:
			documents++
		default:
			images++
		}
		problem := ""
		switch {
		case t == crier.TextPost:
			problem = "a text_post has no media; with postType null, the type follows the media"
		case t == crier.TextImage && documents > 0 && documents+images > 1:
			problem = "a document does not go together with other media"
		case t == crier.Carousel && m.document:
			problem = "a document does not go together with images; a carousel has images only"
		case t == crier.TextImage && (m.video || images > 1):
			problem = "a text_image has one image; several are a carousel, a video is a text_video"
		case t == crier.TextVideo && (!m.video || videos > 1):
			problem = "a text_video has one video and nothing else"
		case t == crier.Carousel && m.video:
			problem = "a video does not go together with images; a carousel has images only"
		}
		if problem != "" {
			issues = append(issues, crier.At(problem, m.path...))
		}
	}
	return issues
}

// incompleteProblem returns what a post lacks to be scheduled, or nothing.
func incompleteProblem(content provider.Content) string {
	images, videos := 0, 0
	for _, part := range content.Parts {
		count := 0
		for _, m := range part.Media {
			if strings.HasPrefix(m.MIMEType, "video/") {
				videos++
			} else {
				count++
			}
		}
		images = max(images, count)
	}
	switch t := crier.PostType(content.PostType); {
	case t == crier.TextImage && images == 0:
		return "a text_image needs an image"
	case t == crier.TextVideo && videos == 0:
		return "a text_video needs a video"
	case t == crier.Carousel && images < 2:
		return fmt.Sprintf("a carousel needs two images or more, it has %d", images)
	}
	return ""
}
