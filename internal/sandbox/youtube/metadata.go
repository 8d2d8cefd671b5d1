package youtube

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"crier/internal/sandbox/sim"
)

// metadata is a channel's metadata of its video.
type metadata struct {
	Snippet       snippet         `json:"snippet"`
	Status        visibility      `json:"status"`
	Placement     placement       `json:"paidProductPlacementDetails"`
	Recording     json.RawMessage `json:"recordingDetails,omitempty"`
	Localizations json.RawMessage `json:"localizations,omitempty"`
}

type snippet struct {
	Title                string   `json:"title"`
	Description          string   `json:"description"`
	Tags                 []string `json:"tags,omitempty"`
	CategoryID           string   `json:"categoryId"`
	DefaultLanguage      string   `json:"defaultLanguage,omitempty"`
	DefaultAudioLanguage string   `json:"defaultAudioLanguage,omitempty"`
}

type visibility struct {
	Privacy        string `json:"privacyStatus,omitempty"`
	PublishAt      string `json:"publishAt,omitempty"`
	License        string `json:"license,omitempty"`
	Embeddable     *bool  `json:"embeddable,omitempty"`
	PublicStats    *bool  `json:"publicStatsViewable,omitempty"`
	MadeForKids    bool   `json:"selfDeclaredMadeForKids"`
	SyntheticMedia bool   `json:"containsSyntheticMedia"`
}

type placement struct {
	HasPaid bool `json:"hasPaidProductPlacement"`
}

// The privacy statuses of videos.
const (
	privacyPublic   = "public"
	privacyUnlisted = "unlisted"
	privacyPrivate  = "private"
)

// writableParts are the objects of a video that a channel can write. Those of contentDetails are read-only: YouTube's
// own example of an upload names it.
var writableParts = []string{"snippet", "status", "paidProductPlacementDetails", "recordingDetails", "localizations",
	"contentDetails"}

// only returns the objects that the parts name, merged over the previous ones. Google does not write the others.
func (m metadata) only(parts []string, before metadata) metadata {
	for _, part := range parts {
		switch part {
		case "snippet":
			before.Snippet = m.Snippet
		case "status":
			before.Status = m.Status
		case "paidProductPlacementDetails":
			before.Placement = m.Placement
		case "recordingDetails":
			before.Recording = m.Recording
		case "localizations":
			before.Localizations = m.Localizations
		}
	}
	return before
}

// withDefaults sets YouTube's defaults.
func (m metadata) withDefaults() metadata {
	if m.Snippet.CategoryID == "" {
		m.Snippet.CategoryID = "22"
	}
	if m.Status.Privacy == "" {
		m.Status.Privacy = privacyPublic
	}
	if m.Status.License == "" {
		m.Status.License = "youtube"
	}
	return m
}

// Limits of texts: characters, bytes, and characters of all tags together.
const (
	maxTitle       = 100
	maxDescription = 5000
	maxTags        = 500
)

// check rejects invalid metadata.
func (m metadata) check() *sim.Reply {
	s := m.Snippet
	switch {
	case s.Title == "" || utf8.RuneCountInString(s.Title) > maxTitle || strings.ContainsAny(s.Title, "<>"):
		return refuse(invalidMetadata("invalidTitle", "body.snippet.title",
			"The request metadata specifies an invalid or empty video title."))
	case len(s.Description) > maxDescription || strings.ContainsAny(s.Description, "<>"):
		return refuse(invalidMetadata("invalidDescription", "body.snippet.description",
			"The request metadata specifies an invalid video description."))
	case tagLength(s.Tags) > maxTags || slices.ContainsFunc(s.Tags, badTag):
		return refuse(invalidMetadata("invalidTags", "body.snippet.tags",
			"The request metadata specifies invalid video keywords."))
	case !isAssignable(s.CategoryID):
		return refuse(invalidMetadata("invalidCategoryId", "body.snippet.categoryId",
			"The snippet.categoryId property specifies an invalid category ID."))
	case len(m.Localizations) > 0 && s.DefaultLanguage == "":
		return refuse(invalidMetadata("defaultLanguageNotSet", "body.snippet.defaultLanguage",
			"The request is trying to add localized video details without specifying the default language of the "+
				"video details."))
	case !slices.Contains([]string{privacyPublic, privacyUnlisted, privacyPrivate}, m.Status.Privacy):
		return refuse(invalidMetadata("invalidVideoMetadata", "body.status.privacyStatus",
			"The request metadata specifies an invalid privacy status."))
	case m.Status.License != "youtube" && m.Status.License != "creativeCommon":
		return refuse(invalidMetadata("invalidVideoMetadata", "body.status.license",
			"The request metadata specifies an invalid license."))
	}
	return m.Status.checkPublishAt()
}

// checkPublishAt checks a scheduled publication. A time in the past publishes at once.
func (v visibility) checkPublishAt() *sim.Reply {
	if v.PublishAt == "" {
		return nil
	}
	if _, err := time.Parse(time.RFC3339, v.PublishAt); err != nil || v.Privacy != privacyPrivate {
		return refuse(invalidMetadata("invalidPublishAt", "body.status.publishAt",
			"The request metadata specifies an invalid scheduled publishing time."))
	}
	return nil
}

// privacyAt returns the privacy of the video at a time: a scheduled one becomes public by time alone.
func (v visibility) privacyAt(now time.Time) string {
	at, err := time.Parse(time.RFC3339, v.PublishAt)
	if v.PublishAt != "" && err == nil && !now.Before(at) {
		return privacyPublic
	}
	return v.Privacy
}

// tagLength returns the length of tags as YouTube counts it: with the commas between them, and quotes around those with
// a space.
func tagLength(tags []string) int {
	length := max(0, len(tags)-1)
	for _, tag := range tags {
		length += utf8.RuneCountInString(tag)
		if strings.Contains(tag, " ") {
			length += 2
		}
	}
	return length
}

func badTag(tag string) bool { return tag == "" || strings.ContainsAny(tag, "<>") }
