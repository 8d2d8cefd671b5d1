package crier_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"crier"
)

// TestEnumsAreWrittenOut has the values of the wire in full and in order: they are only added to, because clients and
// stored rows have them.
func TestEnumsAreWrittenOut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		enum interface{ Enum() []string }
		want string
	}{
		{"Provider", crier.Provider(""), "x tiktok instagram facebook youtube linkedin threads"},
		{"PostType", crier.PostType(""), "text_post text_image text_video carousel"},
		{"PostStatus", crier.PostStatus(""), "idea proposed_render draft approved rejected archived deleted"},
		{"DeliveryState", crier.DeliveryState(""),
			"unscheduled scheduled publishing published partially_published failed unknown missed"},
		{"ScheduledPostStatus", crier.ScheduledPostStatus(""),
			"scheduled publishing processing published failed canceled missed unknown"},
		{"FollowUpStatus", crier.FollowUpStatus(""),
			"waiting scheduled publishing processing published failed canceled missed unknown"},
		{"AccountStatus", crier.AccountStatus(""), "connected disabled refresh_needed disconnected"},
		{"AssetKind", crier.AssetKind(""), "image video document"},
		{"Role", crier.Role(""), "owner admin editor viewer"},
		{"Permission", crier.Permission(""), "manage_organization manage_members manage_api_keys manage_billing " +
			"manage_webhooks create_teams manage_teams delete_teams manage_social_accounts manage_slots manage_media " +
			"write_posts approve_posts publish_posts delete_posts read read_analytics read_live_analytics"},
		{"MetricsPolicy", crier.MetricsPolicy(""), "free all"},
		{"AnalyticsBasis", crier.AnalyticsBasis(""), "published gained"},
		{"FacetField", crier.FacetField(""),
			"language hashtags mentions linkDomains topics sentiment assetTags userTags postType"},
		{"WebhookStatus", crier.WebhookStatus(""), "enabled disabled"},
		{"WebhookDeliveryStatus", crier.WebhookDeliveryStatus(""), "pending delivered failed"},
		{"EventType", crier.EventType(""), "post.created post.updated post.deleted post.status_changed " +
			"scheduled_post.created scheduled_post.moved scheduled_post.changed scheduled_post.canceled " +
			"scheduled_post.publishing scheduled_post.published scheduled_post.failed scheduled_post.missed " +
			"scheduled_post.unknown scheduled_post.resolved scheduled_post.removed scheduled_post.action_done " +
			"scheduled_post.action_failed social_account.connected social_account.reconnected " +
			"social_account.health_changed social_account.disconnected social_account.connection_failed asset.ready " +
			"asset.failed credits.low credits.granted credits.recharged member.invited member.joined member.changed " +
			"member.removed api_key.created api_key.revoked webhook.disabled webhook.test metrics.updated"},
	} {
		if got := tc.enum.Enum(); !slices.Equal(got, strings.Fields(tc.want)) {
			t.Errorf("%s has %v, want %s", tc.name, got, tc.want)
		}
	}
}

// TestListsOfTheVocabularyBelongToTheirCaller: who changes what he got changes nobody else's.
func TestListsOfTheVocabularyBelongToTheirCaller(t *testing.T) {
	t.Parallel()
	crier.Permissions()[0] = "changed"
	crier.Providers()[0] = "changed"
	crier.EventTypes()[0] = "changed"
	crier.Roles()[0] = "changed"
	if crier.Permissions()[0] != crier.ManageOrganization || crier.Providers()[0] != crier.ProviderX ||
		crier.EventTypes()[0] != crier.PostCreated || crier.Roles()[0] != crier.RoleOwner {
		t.Error("a list was changed from outside")
	}
}

func TestScheduledPostStatusesLiveAndRunning(t *testing.T) {
	t.Parallel()
	live, running := []string{}, []string{}
	for _, s := range append(crier.ScheduledPostStatuses(), "", "waiting") {
		if s.Live() {
			live = append(live, string(s))
		}
		if s.Running() {
			running = append(running, string(s))
		}
	}
	if got := strings.Join(live, " "); got != "scheduled publishing processing unknown" {
		t.Errorf("live are %s", got)
	}
	if got := strings.Join(running, " "); got != "publishing processing" {
		t.Errorf("running are %s", got)
	}
}

func TestEventTypesAreNounsAndVerbs(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[a-z_]+\.[a-z_]+$`)
	seen := map[crier.EventType]bool{}
	for _, e := range crier.EventTypes() {
		if !form.MatchString(string(e)) || seen[e] {
			t.Errorf("%s is misspelt, or there twice", e)
		}
		seen[e] = true
	}
}

func TestCheckEventTypesNamesTheUnknownOnes(t *testing.T) {
	t.Parallel()
	for _, e := range crier.EventTypes() {
		if issues := crier.CheckEventTypes([]string{string(e)}); issues != nil {
			t.Errorf("%s: %v", e, issues)
		}
	}
	wantIssues(t, "all", crier.CheckEventTypes([]string{"*"}, "types"))
	wantIssues(t, "none", crier.CheckEventTypes(nil, "types"))
	unknown := func(path, quoted string) string {
		return path + ": has " + quoted + ", which is not a type of event; GET …/events lists them in its description"
	}
	wantIssues(t, "some", crier.CheckEventTypes([]string{"post.created", "post.*", "", "Post.Created",
		strings.Repeat("x", 100), "*"}, "webhook", "types"),
		unknown("webhook.types.1", `"post.*"`), unknown("webhook.types.2", `""`),
		unknown("webhook.types.3", `"Post.Created"`), unknown("webhook.types.4", `"`+strings.Repeat("x", 60)+`"`))
	path := make([]string, 1, 8)
	path[0] = "types"
	wantIssues(t, "paths are of their own", crier.CheckEventTypes([]string{"a", "b"}, path...),
		unknown("types.0", `"a"`), unknown("types.1", `"b"`))
}

func TestCatalogueListsWhoHoldsWhat(t *testing.T) {
	t.Parallel()
	catalogue := crier.Catalogue().Data
	if len(catalogue) != len(crier.Permissions()) {
		t.Fatalf("it has %d entries", len(catalogue))
	}
	holders := map[crier.Permission]string{"read": "owner admin editor viewer", "approve_posts": "owner admin",
		"write_posts": "owner admin editor", "manage_billing": "owner admin",
		"read_live_analytics": "owner admin editor"}
	for i, entry := range catalogue {
		if entry.Permission != crier.Permissions()[i] {
			t.Errorf("entry %d is %s", i, entry.Permission)
		}
		roles := make([]string, len(entry.Roles))
		for j, r := range entry.Roles {
			roles[j] = string(r)
		}
		if want, there := holders[entry.Permission]; there && strings.Join(roles, " ") != want {
			t.Errorf("%s is held by %v, want %s", entry.Permission, roles, want)
		}
	}
}
