package crier_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"crier"
)

// wireTypes returns the bodies of requests and answers, and what is kept as JSON.
func wireTypes() []any {
	return []any{
		crier.AccountAnalytics{}, crier.AccountChoices{}, crier.AccountHint{}, crier.AccountMetrics{},
		crier.AccountTotals{}, crier.AgentContext{}, crier.AnalyticsDelivery{}, crier.AnalyticsPost{},
		crier.AnalyticsSeries{},
		crier.AnalyticsSummary{}, crier.APIKey{}, crier.APIKeyCreate{}, crier.APIKeyRotate{}, crier.APIKeyWithSecret{},
		crier.AssetDetails{}, crier.AssetImport{}, crier.AssetUpdate{}, crier.AtomicPost{}, crier.BearerTokens{},
		crier.BestTimes{}, crier.Calendar{}, crier.Capabilities{}, crier.Comment{}, crier.Compatibility{},
		crier.ConnectRequest{}, crier.ConnectResponse{}, crier.ContentValidation{}, crier.CreditTransaction{},
		crier.Credits{}, crier.CreditsEvent{}, crier.Deleted{}, crier.DeviceCode{}, crier.EngagementTrigger{},
		crier.Event{}, crier.EventPage{}, crier.Facets{}, crier.FailedConnection{}, crier.Folder{},
		crier.FolderCreate{},
		crier.FolderUpdate{}, crier.FollowUp{}, crier.Invitation{}, crier.Issue{}, crier.Member{}, crier.MemberInvite{},
		crier.MemberUpdate{}, crier.MentionList{}, crier.Metrics{}, crier.MetricsEvent{}, crier.OAuthError{},
		crier.OnboardingData{}, crier.Organization{}, crier.OrganizationCreate{}, crier.OrganizationUpdate{},
		crier.Page[crier.Tag]{}, crier.PermissionCatalogue{}, crier.PlannedActions{}, crier.PlatformDelete{},
		crier.Post{}, crier.PostCreate{}, crier.PostDeletion{}, crier.PostMetrics{}, crier.PostNowRequest{},
		crier.PostPublishActions{}, crier.PostStatusUpdate{}, crier.PostTagsUpdate{}, crier.PostUpdate{},
		crier.PostVersion{}, crier.ProviderInfo{}, crier.ProviderList{}, crier.ProviderPublishState{},
		crier.PublishResults{}, crier.Recurrence{}, crier.RepostAfter{},
		crier.Resolution{}, crier.ScheduledPost{}, crier.ScheduledPostAction{}, crier.ScheduledPostUpdate{},
		crier.ScheduleRequest{}, crier.ScheduleResult{}, crier.SchedulingSlot{}, crier.SchedulingSlots{},
		crier.SessionEnded{}, crier.SessionList{}, crier.SlotCalendar{}, crier.SlotCreate{}, crier.SlotUpdate{},
		crier.SocialAccount{}, crier.SocialAccountList{}, crier.SocialAccountUpdate{}, crier.Tag{}, crier.TagCreate{},
		crier.TagUpdate{}, crier.Team{}, crier.TeamCreate{}, crier.TeamUpdate{}, crier.ThreadPost{},
		crier.TokenRevocation{}, crier.UpcomingSlots{}, crier.Upload{}, crier.UploadAddress{},
		crier.UploadAddressCreate{}, crier.UploadCreate{},
		crier.User{}, crier.ValidationResult{}, crier.Webhook{}, crier.WebhookCreate{}, crier.WebhookDelivery{},
		crier.WebhookReplay{}, crier.WebhookReplayed{}, crier.WebhookRotate{}, crier.WebhookTested{},
		crier.WebhookTestEvent{}, crier.WebhookUpdate{}, crier.WebhookWithSecret{},
	}
}

// TestWireTypesSurviveTheWire fills every field of every type with a value, and looks for what is lost or changed on
// the way: two fields of one name, a method of an embedded type that hides the fields beside it, a tag that is
// misspelt.
func TestWireTypesSurviveTheWire(t *testing.T) {
	t.Parallel()
	for _, zero := range wireTypes() {
		name := reflect.TypeOf(zero).Name()
		value := reflect.New(reflect.TypeOf(zero))
		fill(value.Elem(), 0)
		written, err := json.Marshal(value.Interface())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again := reflect.New(reflect.TypeOf(zero))
		if err := json.Unmarshal(written, again.Interface()); err != nil {
			t.Errorf("%s: %v in %s", name, err, written)
			continue
		}
		if rewritten, _ := json.Marshal(again.Interface()); string(rewritten) != string(written) {
			t.Errorf("%s is written as %s, and then as %s", name, written, rewritten)
		}
		if !reflect.DeepEqual(value.Interface(), again.Interface()) {
			t.Errorf("%s comes back as %+v, want %+v", name, again.Elem(), value.Elem())
		}
	}
}

// fill sets every field to a value that is not zero. What is below other things of its own kind is left out at some
// depth.
func fill(v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case crier.ID:
		v.SetString("018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d")
		return
	case crier.Time:
		v.Set(reflect.ValueOf(crier.TimeOf(time.Date(2026, 11, 15, 9, 0, 0, 123e6, time.UTC))))
		return
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)))
		return
	case json.RawMessage:
		v.SetBytes([]byte(`{"k":[1]}`))
		return
	case crier.Attachment:
		v.Set(reflect.ValueOf(crier.Attachment{Link: &crier.LinkAttachment{Kind: "link", URL: "https://a.example", Title: "T"}}))
		return
	case crier.PostInput:
		v.Set(reflect.ValueOf(crier.PostInput{Atomic: &crier.AtomicPost{
			Kind: "atomic", Text: "A", Attachments: []crier.Attachment{}}}))
		return
	}
	if _, ok := reflect.TypeAssert[json.Unmarshaler](v.Addr()); ok && !strings.HasPrefix(v.Type().Name(), "Optional[") {
		v.Addr().MethodByName("UnmarshalJSON").Call([]reflect.Value{reflect.ValueOf([]byte(`{"k":1}`))})
		return
	}
	fillKind(v, depth)
}

func fillKind(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		optional := strings.HasPrefix(v.Type().Name(), "Optional[")
		for i := range v.NumField() {
			if optional && v.Type().Field(i).Name == "Null" {
				continue
			}
			fill(v.Field(i), depth)
		}
		if kind := v.FieldByName("Kind"); v.Type() == reflect.TypeFor[crier.AtomicPost]() {
			kind.SetString("atomic")
		}
	case reflect.Pointer:
		if depth < 4 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			if depth < 4 {
				fill(v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		key, element := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, depth)
		fill(element, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, element)
	case reflect.Interface:
		v.Set(reflect.ValueOf("value"))
	case reflect.String:
		v.SetString("Grüße & <b>")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(1.5)
	}
}

// TestAnswersNameFieldsOnce: two embedded types with a field of one name would both vanish from the wire without a
// word.
func TestAnswersNameFieldsOnce(t *testing.T) {
	t.Parallel()
	for _, zero := range wireTypes() {
		typ := reflect.TypeOf(zero)
		seen := map[string]string{}
		for _, f := range reflect.VisibleFields(typ) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous {
				if name != "" {
					t.Errorf("%s embeds %s under the name %s", typ.Name(), f.Name, name)
				}
				continue
			}
			if name == "" && f.IsExported() {
				t.Errorf("%s.%s has no name on the wire", typ.Name(), f.Name)
			}
			if other, twice := seen[name]; twice {
				t.Errorf("%s: %s and %s are both %s on the wire", typ.Name(), other, f.Name, name)
			}
			seen[name] = f.Name
		}
	}
}

// TestBoundsInTagsAreThoseOfTheConstants: the OpenAPI document comes from the tags, the rules from the constants.
func TestBoundsInTagsAreThoseOfTheConstants(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in    any
		field string
		tag   string
		want  string
	}{
		{crier.PostPublishActions{}, "RecurrenceIntervalDays", "maximum", "365"},
		{crier.EngagementTrigger{}, "WindowHours", "maximum", "720"},
		{crier.EngagementTrigger{}, "WindowHours", "minimum", "1"},
		{crier.RepostAfter{}, "OffsetDays", "maximum", "30"},
		{crier.RepostAfter{}, "OffsetDays", "minimum", "1"},
		{crier.Comment{}, "Text", "maxLength", "100000"},
		{crier.AtomicPost{}, "Attachments", "maxItems", "20"},
		{crier.ThreadPostInput{}, "Posts", "minItems", "2"},
		{crier.ThreadPostInput{}, "Posts", "maxItems", "50"},
		{crier.ThreadPostInput{}, "Variants", "maxItems", "100"},
		{crier.Targets{}, "SocialAccountIDs", "minItems", "1"},
		{crier.Targets{}, "SocialAccountIDs", "maxItems", "100"},
		{crier.Targets{}, "SocialAccountIDs", "uniqueItems", "true"},
		{crier.SlotCreate{}, "Hour", "maximum", "23"},
		{crier.SlotCreate{}, "Minute", "maximum", "59"},
		{crier.SlotCreate{}, "DaysOfWeek", "maximum", "6"},
		{crier.SlotCreate{}, "DaysOfWeek", "minItems", "1"},
		{crier.TeamUpdate{}, "PublishLateMinutes", "maximum", "1440"},
		{crier.APIKeyRotate{}, "GraceSeconds", "maximum", "86400"},
		{crier.APIKeyCreate{}, "TeamIDs", "maxItems", "100"},
		{crier.PostCreate{}, "Title", "maxLength", "200"},
	} {
		field, ok := reflect.TypeOf(tc.in).FieldByName(tc.field)
		if got := field.Tag.Get(tc.tag); !ok || got != tc.want {
			t.Errorf("%T.%s has the %s %q, want %s", tc.in, tc.field, tc.tag, got, tc.want)
		}
	}
	for name, got := range map[string][2]int{
		"MaxRecurrenceDays": {crier.MaxRecurrenceDays, 365}, "MaxWindowHours": {crier.MaxWindowHours, 720},
		"MaxOffsetDays": {crier.MaxOffsetDays, 30}, "MaxTextLength": {crier.MaxTextLength, 100_000},
		"MaxAttachments": {crier.MaxAttachments, 20}, "MinThreadParts": {crier.MinThreadParts, 2},
		"MaxThreadParts": {crier.MaxThreadParts, 50}, "MaxVariants": {crier.MaxVariants, 100},
		"MaxAccountsPerCall":      {crier.MaxAccountsPerCall, 100},
		"MaxPublishLateMinutes":   {crier.MaxPublishLateMinutes, 1440},
		"MaxRotationGraceSeconds": {crier.MaxRotationGraceSeconds, 86_400}, "MaxKeyTeams": {crier.MaxKeyTeams, 100},
		"MaxLabelLength": {crier.MaxLabelLength, 200}, "MaxNextSlots": {crier.MaxNextSlots, 20},
		"DefaultPageSize": {crier.DefaultPageSize, 25}, "MaxPageSize": {crier.MaxPageSize, 100},
		"DefaultPublishLateMinutes": {crier.DefaultPublishLateMinutes, 60},
		"MaxCalendarDays":           {crier.MaxCalendarDays, 92},
	} {
		if got[0] != got[1] {
			t.Errorf("%s is %d, want %d", name, got[0], got[1])
		}
	}
}
