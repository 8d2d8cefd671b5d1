package crier

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// AutosaveWindow is how long a version of a draft may be replaced by the next change of the same credential.
const AutosaveWindow = 10 * time.Minute

// PostVersion is one version of a post's content.
type PostVersion struct {
	ContentPayloadID ID         `json:"contentPayloadId"`
	PostID           ID         `json:"postId"`
	Version          int        `json:"version" number:"true" doc:"From 1, in order of creation."`
	Current          bool       `json:"current" doc:"True for the post's current version."`
	Text             string     `json:"text" doc:"The text, or the texts of a thread joined by a blank line."`
	AssetIDs         []ID       `json:"assetIds"`
	PostInput        *PostInput `json:"postInput"`
	CreatedAt        Time       `json:"createdAt"`
}

// VersionMatch is the condition of an If-Match header: versions of a post's content, one of which must be the current
// one. The zero value is no condition.
type VersionMatch struct {
	given bool
	any   bool
	ids   []ID
}

// MatchVersion returns the condition that the content is one version.
func MatchVersion(id ID) VersionMatch { return VersionMatch{given: true, ids: []ID{id}} }

// UnmarshalText parses the value of an If-Match header.
func (m *VersionMatch) UnmarshalText(text []byte) error {
	*m = VersionMatch{given: true}
	if strings.TrimSpace(string(text)) == "*" {
		m.any = true
		return nil
	}
	for tag := range strings.SplitSeq(string(text), ",") {
		tag = strings.TrimSpace(tag)
		inner, opened := strings.CutPrefix(tag, `"`)
		inner, closed := strings.CutSuffix(inner, `"`)
		id, ok := ParseID(inner)
		if !opened || !closed || !ok {
			return fmt.Errorf(`must be a contentPayloadId in double quotes, got %.60q`, tag)
		}
		m.ids = append(m.ids, id)
	}
	return nil
}

// String returns the value of the header, empty for no condition.
func (m VersionMatch) String() string {
	if m.any {
		return "*"
	}
	tags := make([]string, len(m.ids))
	for i, id := range m.ids {
		tags[i] = `"` + string(id) + `"`
	}
	return strings.Join(tags, ", ")
}

// Check returns nil if the current version meets the condition.
func (m VersionMatch) Check(present ID) error {
	if !m.given || m.any {
		return nil
	}
	if slices.Contains(m.ids, present) {
		return nil
	}
	return PreconditionFailed(present)
}
