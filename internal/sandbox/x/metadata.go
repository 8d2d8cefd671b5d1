package x

import (
	"encoding/json"
	"net/http"
	"unicode/utf8"

	"crier/internal/sandbox/sim"
)

// maxAltText is the maximum length of an alt text, in characters.
const maxAltText = 1000

type metadataInput struct {
	ID       string `json:"id"`
	Metadata struct {
		AltText *struct {
			Text string `json:"text"`
		} `json:"alt_text,omitempty"`
		AllowDownload      json.RawMessage `json:"allow_download_status,omitempty"`
		SensitiveMedia     json.RawMessage `json:"sensitive_media_warning,omitempty"`
		DomainRestrictions json.RawMessage `json:"domain_restrictions,omitempty"`
		GeoRestrictions    json.RawMessage `json:"geo_restrictions,omitempty"`
		PreviewImage       json.RawMessage `json:"preview_image,omitempty"`
	} `json:"metadata"`
}

// describe adds an alt text to a file that is not posted yet.
func (n *network) describe(r *http.Request, c caller) sim.Reply {
	var in metadataInput
	if err := sim.DecodeStrictJSON(r, &in); err != nil {
		return invalid("", "", err.Error())
	}
	alt := in.Metadata.AltText
	if alt != nil && (alt.Text == "" || utf8.RuneCountInString(alt.Text) > maxAltText) {
		return invalid("metadata.alt_text.text", "", "alt_text must have 1 to 1000 characters")
	}
	_, refusal := n.change(in.ID, c, func(m *medium) *sim.Reply {
		if alt != nil {
			m.AltText = alt.Text
		}
		return nil
	})
	if refusal != nil {
		return *refusal
	}
	n.charge(priceMetadata)
	return sim.Reply{Status: http.StatusOK, Body: data{map[string]any{"id": in.ID, "associated_metadata": in.Metadata}}}
}
