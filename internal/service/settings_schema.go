package service

import "crier/internal/provider"

// Catalogue returns rules that know the networks and nothing else: enough to describe the API without a store.
func Catalogue(providers *provider.Registry) *Services {
	return &Services{Schedules: &Schedules{providers: providers}}
}

// SettingsSchema describes the publish settings of all networks as JSON schemas by key, for the OpenAPI document.
func (s *Schedules) SettingsSchema() map[string]any {
	out := map[string]any{}
	if s.providers == nil {
		return out
	}
	for _, p := range s.providers.All() {
		for _, setting := range p.Info().Settings {
			out[setting.Key] = settingSchema(setting)
		}
	}
	return out
}

func settingSchema(s provider.Setting) map[string]any {
	out := map[string]any{"type": string(s.Type)}
	add := func(name string, value any, there bool) {
		if there {
			out[name] = value
		}
	}
	add("description", s.Description, s.Description != "")
	add("default", s.Default, s.Default != nil)
	add("enum", s.Enum, len(s.Enum) > 0)
	low, high := boundNames(s.Type)
	add(low, s.Minimum, s.Minimum != nil)
	add(high, s.Maximum, s.Maximum != nil)
	switch s.Format {
	case provider.FormatDigits:
		out["pattern"] = "^[0-9]{1,20}$"
	case provider.FormatAsset:
		out["format"] = "uuid"
	case provider.FormatURL:
		out["format"], out["maxLength"] = string(s.Format), provider.MaxURL
	case provider.FormatURN:
		out["format"], out["maxLength"] = string(s.Format), provider.MaxURN
	case "":
	default:
		out["format"] = string(s.Format)
	}
	if s.Items != nil {
		out["items"] = settingSchema(*s.Items)
	}
	if len(s.Fields) > 0 {
		addFields(out, s.Fields)
	}
	return out
}

// boundNames returns how JSON schema calls the bounds of a type.
func boundNames(t provider.SettingType) (low, high string) {
	switch t {
	case provider.TypeString:
		return "minLength", "maxLength"
	case provider.TypeArray:
		return "minItems", "maxItems"
	}
	return "minimum", "maximum"
}

func addFields(out map[string]any, fields []provider.Setting) {
	properties := map[string]any{}
	required := []string{}
	for _, f := range fields {
		properties[f.Key] = settingSchema(f)
		if f.Required {
			required = append(required, f.Key)
		}
	}
	out["properties"], out["additionalProperties"] = properties, false
	if len(required) > 0 {
		out["required"] = required
	}
}
