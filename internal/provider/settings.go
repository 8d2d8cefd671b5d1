package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"crier"
)

// Settings are publish settings by key, as JSON values that passed CheckSettings. A provider decodes its own into a
// struct whose JSON tags are the keys.
type Settings map[string]json.RawMessage

// Decode decodes the settings into the struct that v points to.
func (s Settings) Decode(v any) error {
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("decode settings: %w", err)
	}
	return nil
}

// SettingType is the JSON type of a setting.
type SettingType string

// The types of settings.
const (
	TypeString  SettingType = "string"
	TypeBoolean SettingType = "boolean"
	TypeInteger SettingType = "integer"
	TypeNumber  SettingType = "number"
	TypeArray   SettingType = "array"
	TypeObject  SettingType = "object"
)

// SettingFormat restricts a string.
type SettingFormat string

// The formats of strings.
const (
	FormatDigits SettingFormat = "digits"    // a decimal id
	FormatURL    SettingFormat = "uri"       // http or https
	FormatTime   SettingFormat = "date-time" // RFC 3339
	FormatAsset  SettingFormat = "asset"     // the id of an asset of the team; it arrives in Content.Assets
	FormatURN    SettingFormat = "urn"       // urn:…
)

// Setting describes one publish setting, or one value inside it.
type Setting struct {
	// Key is the full key (provider's name and the sheet's key) at the top level, the plain name inside objects, empty
	// for items.
	Key         string        `json:"key,omitempty"`
	Type        SettingType   `json:"type"`
	Format      SettingFormat `json:"format,omitempty"`
	Description string        `json:"description,omitempty"`
	Enum        []string      `json:"enum,omitempty"`
	// Default is the value if the setting is absent.
	Default any `json:"default,omitempty"`
	// Minimum and Maximum bound numbers, the length of strings in characters, or the number of items.
	Minimum *float64 `json:"minimum,omitempty"`
	Maximum *float64 `json:"maximum,omitempty"`
	// Required means that the value must be set: at the top level for every post, inside objects for every object.
	Required bool `json:"required,omitempty"`
	// Choices means that the network lists the possible values for the account; see Chooser.
	Choices bool `json:"choices,omitempty"`
	// Items describes the items of an array, Fields the members of an object.
	Items  *Setting  `json:"items,omitempty"`
	Fields []Setting `json:"fields,omitempty"`
}

// Between returns both bounds of a setting.
func Between(low, high float64) (minimum, maximum *float64) { return &low, &high }

// AtMost returns an upper bound of a setting.
func AtMost(high float64) *float64 { return &high }

// AtLeast returns a lower bound of a setting.
func AtLeast(low float64) *float64 { return &low }

// check returns the issues of a value.
func (s Setting) check(raw json.RawMessage, path []string) []crier.Issue {
	switch s.Type {
	case TypeString:
		return s.checkString(raw, path)
	case TypeBoolean:
		var v bool
		return wrongType(raw, &v, "true or false", path)
	case TypeInteger, TypeNumber:
		return s.checkNumber(raw, path)
	case TypeArray:
		return s.checkArray(raw, path)
	}
	return s.checkObject(raw, path)
}

func wrongType(raw json.RawMessage, v any, expected string, path []string) []crier.Issue {
	if isNull(raw) || json.Unmarshal(raw, v) != nil {
		return []crier.Issue{crier.At("must be "+expected, path...)}
	}
	return nil
}

func (s Setting) checkString(raw json.RawMessage, path []string) []crier.Issue {
	var v string
	if issues := wrongType(raw, &v, "a string", path); issues != nil {
		return issues
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		return []crier.Issue{crier.At("must be one of "+strings.Join(s.Enum, ", "), path...)}
	}
	if problem := s.boundProblem(float64(utf8.RuneCountInString(v)), "characters long"); problem != "" {
		return []crier.Issue{crier.At(problem, path...)}
	}
	if problem := s.Format.problem(v); problem != "" {
		return []crier.Issue{crier.At(problem, path...)}
	}
	return nil
}

func (s Setting) checkNumber(raw json.RawMessage, path []string) []crier.Issue {
	if s.Type == TypeInteger {
		var v int64
		if issues := wrongType(raw, &v, "a whole number", path); issues != nil {
			return issues
		}
	}
	var v float64
	if issues := wrongType(raw, &v, "a number", path); issues != nil {
		return issues
	}
	if problem := s.boundProblem(v, ""); problem != "" {
		return []crier.Issue{crier.At(problem, path...)}
	}
	return nil
}

func (s Setting) checkArray(raw json.RawMessage, path []string) []crier.Issue {
	var items []json.RawMessage
	if issues := wrongType(raw, &items, "a list", path); issues != nil {
		return issues
	}
	var issues []crier.Issue
	if problem := s.boundProblem(float64(len(items)), "items long"); problem != "" {
		issues = append(issues, crier.At(problem, path...))
	}
	for i, item := range items {
		issues = append(issues, s.Items.check(item, join(path, strconv.Itoa(i)))...)
	}
	return issues
}

func (s Setting) checkObject(raw json.RawMessage, path []string) []crier.Issue {
	var members map[string]json.RawMessage
	if issues := wrongType(raw, &members, "an object", path); issues != nil {
		return issues
	}
	var issues []crier.Issue
	for _, field := range s.Fields {
		value, there := members[field.Key]
		delete(members, field.Key)
		switch {
		case there:
			issues = append(issues, field.check(value, join(path, field.Key))...)
		case field.Required:
			issues = append(issues, crier.At("is required", join(path, field.Key)...))
		}
	}
	for _, key := range sortedKeys(members) {
		issues = append(issues, crier.At("is not known here; allowed: "+strings.Join(keys(s.Fields), ", "),
			join(path, key)...))
	}
	return issues
}

func (s Setting) boundProblem(v float64, unit string) string {
	tooLow := s.Minimum != nil && v < *s.Minimum
	tooHigh := s.Maximum != nil && v > *s.Maximum
	if !tooLow && !tooHigh {
		return ""
	}
	var bounds string
	switch {
	case s.Minimum == nil:
		bounds = fmt.Sprintf("at most %v", *s.Maximum)
	case s.Maximum == nil:
		bounds = fmt.Sprintf("at least %v", *s.Minimum)
	default:
		bounds = fmt.Sprintf("%v to %v", *s.Minimum, *s.Maximum)
	}
	return strings.TrimSpace("must be " + bounds + " " + unit)
}

// The maximum lengths, in bytes, of formats without a natural length.
const (
	MaxURL = 2048
	MaxURN = 255
)

// problem returns why a string does not match the format, or "".
func (f SettingFormat) problem(v string) string {
	switch f {
	case FormatDigits:
		if v == "" || strings.Trim(v, "0123456789") != "" || len(v) > 20 {
			return "must be a number of 1 to 20 digits, as a string"
		}
	case FormatURL:
		if u, err := url.Parse(v); err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" ||
			len(v) > MaxURL {
			return fmt.Sprintf("must be an http or https address of at most %d bytes", MaxURL)
		}
	case FormatTime:
		if _, err := crier.ParseTime(v); err != nil {
			return err.Error()
		}
	case FormatAsset:
		if _, ok := crier.ParseID(v); !ok {
			return "must be the id of an asset"
		}
	case FormatURN:
		if parts := strings.SplitN(v, ":", 3); len(parts) != 3 || parts[0] != "urn" || parts[2] == "" ||
			strings.ContainsAny(v, " \t\r\n") || len(v) > MaxURN {
			return fmt.Sprintf("must be a URN of at most %d bytes, such as urn:li:organization:2414183", MaxURN)
		}
	}
	return ""
}

// AssetIDs returns the assets that settings refer to, with the path of each within the settings.
func (i Info) AssetIDs(s Settings) map[crier.ID][]string {
	found := map[crier.ID][]string{}
	for _, setting := range i.Settings {
		if raw, ok := s[setting.Key]; ok {
			setting.collectAssets(raw, []string{setting.Key}, found)
		}
	}
	return found
}

func (s Setting) collectAssets(raw json.RawMessage, path []string, found map[crier.ID][]string) {
	switch {
	case s.Format == FormatAsset:
		var id crier.ID
		if json.Unmarshal(raw, &id) == nil {
			found[id] = path
		}
	case s.Type == TypeArray:
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items) // not a list: nothing to collect, CheckSettings reports it
		for i, item := range items {
			s.Items.collectAssets(item, join(path, strconv.Itoa(i)), found)
		}
	case s.Type == TypeObject:
		var members map[string]json.RawMessage
		_ = json.Unmarshal(raw, &members) // not an object: as above
		for _, field := range s.Fields {
			if value, ok := members[field.Key]; ok {
				field.collectAssets(value, join(path, field.Key), found)
			}
		}
	}
}

func isNull(raw json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(raw), []byte("null")) }

// join is append that never writes into the caller's array.
func join(path []string, rest ...string) []string { return slices.Concat(path, rest) }

func keys(settings []Setting) []string {
	names := make([]string, len(settings))
	for i, s := range settings {
		names[i] = s.Key
	}
	return names
}

func sortedKeys(m map[string]json.RawMessage) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
