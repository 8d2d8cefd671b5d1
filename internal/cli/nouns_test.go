package cli_test

import (
	"strings"
	"testing"

	"crier"
	"crier/internal/media/mediatest"
)

func TestArgumentsAcceptNames(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x", "linkedin")
	c.run(t, "teams", "create", "Berlin", "--timezone", "Europe/Berlin").want(t, 0, "Created Berlin")
	c.run(t, "teams", "edit", "berlin", "--name", "Hamburg", "--require-approval", "--late", "30").want(t, 0, "Hamburg")
	c.run(t, "teams", "list").want(t, 0, "Hamburg", "Europe/Berlin", "required", "30 min", "2 teams")
	c.run(t, "slots", "list", "--team", "Hamburg").want(t, 0, "Europe/Berlin")
	c.run(t, "slots", "list", "--team", "Nowhere").want(t, 5, "crier teams list")
	c.run(t, "teams", "delete", "Hamburg").want(t, 10, "Hamburg", "--yes")
	c.run(t, "teams", "delete", "Hamburg", "--yes").want(t, 0, "Deleted.")

	c.run(t, "slots", "add", "9:30", "--days", "monday,fri", "--label", "Morning").want(t, 0,
		"09:30 on mon fri, Morning, in the zone UTC of the team")
	c.run(t, "slots", "edit", "09:30", "--at", "10:00", "--days", "sat").want(t, 0, "10:00 on sat, Morning")
	c.run(t, "slots", "next", "--to", "linkedin").want(t, 0, "Sat ")
	for _, count := range []string{"0", "21", "50"} {
		c.run(t, "slots", "next", "--count", count).want(t, 2, "--count must be from 1 to 20, got "+count)
	}
	c.run(t, "slots", "delete", "10:00", "--yes").want(t, 0)

	c.run(t, "tags", "create", "launch", "--colour", "#1d9bf0").want(t, 0)
	c.run(t, "tags", "edit", "launch", "--name", "release").want(t, 0, "release is #1d9bf0")
	post := c.run(t, "posts", "create", "Tagged", "--json").id(t)
	c.run(t, "posts", "tag", post, "release").want(t, 0, "1 tag.")
	c.run(t, "posts", "list", "--tag", "release").want(t, 0, "Tagged", "1 post")
	c.run(t, "posts", "status", post, "archived").want(t, 0, "archived")
	c.run(t, "tags", "delete", "release", "--yes").want(t, 0)

	handle := "a" + string(c.Team[len(c.Team)-8:]) + "_0"
	c.run(t, "accounts", "disable", "@"+handle).want(t, 0, "disabled")
	c.run(t, "accounts", "list").want(t, 0, "disabled", "LinkedIn")
	c.run(t, "post", "Hello", "--to", handle, "--dry-run").want(t, 1, "crier accounts enable")
	c.run(t, "accounts", "enable", "twitter").want(t, 0, "connected")
	c.run(t, "accounts", "connect", "myspace").want(t, 2, "linkedin")
	c.run(t, "accounts", "disconnect", "twitter").want(t, 10, "X ")
	c.run(t, "networks", "tiktok").want(t, 0, "tiktokPrivacyLevel")
	c.run(t, "orgs", "edit", "--name", "Acme").want(t, 0, "Acme")
	c.run(t, "orgs", "list", "--organization", "acme").want(t, 0, "Acme")
}

func TestKeysAreRestrictedRotatedAndRevoked(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	var key crier.APIKeyWithSecret
	c.run(t, "keys", "create", "CI", "--role", "viewer", "--permissions", "read", "--teams", "A crew", "--expires",
		"+90d", "--json").want(t, 0).into(t, &key)
	if len(key.TeamIDs) != 1 || len(key.Permissions) != 1 || key.ExpiresAt == nil {
		t.Errorf("the key is not narrowed: %+v", key)
	}
	narrow := newPerson(t, c.server.URL, key.Secret)
	narrow.run(t, "slots", "add", "09:00").want(t, 4)
	c.run(t, "keys", "list").want(t, 0, "CI", "A crew", "read", "2 keys")
	c.run(t, "keys", "rotate", "CI").want(t, 10, "--grace")
	var next crier.APIKeyWithSecret
	c.run(t, "keys", "rotate", "CI", "--grace", "1h", "--json").want(t, 0).into(t, &next)
	for _, secret := range []string{key.Secret, next.Secret} {
		newPerson(t, c.server.URL, secret).run(t, "posts", "list").want(t, 0)
	}
	c.run(t, "audit", "--actor", "ci").want(t, 0, "0 entries")
	c.run(t, "keys", "revoke", "CI", "--yes").want(t, 0, "Revoked.")
	narrow.run(t, "whoami").want(t, 3, "crier login")
	c.run(t, "audit").want(t, 0, "WHO", "createApiKey", "by key")
	c.run(t, "tags", "create", "launch").want(t, 0)
	c.run(t, "audit", "--action", "createTag").want(t, 0, "createTag", "1 entry").lacks(t, "createApiKey")
	var mine crier.Page[crier.AuditEntry]
	c.run(t, "audit", "--json").want(t, 0).into(t, &mine)
	var found crier.Page[crier.AuditEntry]
	c.run(t, "audit", "--actor", string(mine.Data[0].PrincipalID), "--json").want(t, 0).into(t, &found)
	if found.Total != mine.Total {
		t.Errorf("%d entries of the only key, %d in all", found.Total, mine.Total)
	}
	c.run(t, "audit", "--until", "2020-01-01").want(t, 0, "0 entries")
	c.run(t, "audit", "--from", "2020-01-01", "--limit", "1").want(t, 0, "--from 2020-01-01")
	c.run(t, "audit", "--actor", "nobody").want(t, 5, "crier members list", "crier keys list")
	c.run(t, "audit", "--from", "someday").want(t, 2, "tomorrow 9:00")
}

func TestPeopleAreInvitedAndGetRoles(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	c.run(t, "members", "invite", "ada@example.com").want(t, 10, "to all teams")
	c.run(t, "members", "invite", "ada@example.com", "--teams", "A crew").want(t, 10, "to 1 team alone: A crew")
	c.run(t, "members", "invite", "ada@example.com", "--role", "viewer", "--teams", "A crew", "--yes").want(t, 0,
		"/invitation?token=")
	c.run(t, "members", "invitations").want(t, 0, "ada@example.com", "A crew")
	c.run(t, "members", "withdraw", "ada@example.com", "--yes").want(t, 0)
	c.run(t, "members", "list").want(t, 0, "owner", "1 member")
	c.run(t, "members", "role", "nobody@example.com", "admin").want(t, 5, "crier members list")
	c.run(t, "members", "role", "Owner", "emperor").want(t, 2)
}

func TestMediaIsListedAndDeletedByName(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	photo := writePhoto(t)
	c.run(t, "media", "upload", photo, "--alt", "A chart").want(t, 0, "Uploaded chart.png")
	words := writeFile(t, "words.md", []byte("Words"), 0o600)
	c.run(t, "media", "upload", words).want(t, 2, "the type of the file must be").lacks(t, "mimeType")
	c.run(t, "media", "list").want(t, 0, "chart.png", "A chart", "1 file")
	c.run(t, "media", "import", "http://127.0.0.1/photo.jpg").want(t, 2)
	c.run(t, "media", "delete", "chart.png").want(t, 10, "chart.png")
	c.run(t, "media", "delete", "chart.png", "--yes").want(t, 0)
	c.run(t, "media", "delete", "chart.png", "--yes").want(t, 5, "crier media list")
}

func TestSeveralFilesAreUploadedAndAFailureIsNamed(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	first := writeFile(t, "first.png", mediatest.PNG(64, 64), 0o600)
	second := writeFile(t, "second.png", mediatest.PNG(64, 65), 0o600)
	words := writeFile(t, "words.md", []byte("Words"), 0o600)
	for _, wrong := range [][]string{{first, "missing.png"}, {first, t.TempDir()}, {first, second, "--resume", first},
		{first, second, "--alt", "1", "--alt", "2", "--alt", "3"}} {
		c.run(t, append([]string{"media", "upload"}, wrong...)...).want(t, 2)
	}
	if n := c.assets(t); n != 0 {
		t.Fatalf("%d files were uploaded before it was found that one is not there", n)
	}
	c.run(t, "media", "upload", first, second, "--alt", "A chart").want(t, 0, "Uploaded first.png",
		"Uploaded second.png", "File 2 of 2")
	c.run(t, "media", "list").want(t, 0, "A chart", "2 files")
	c.run(t, "media", "upload", first, words, second).want(t, 1, "Uploaded first.png", "Uploaded second.png",
		"1 of 3 files was not uploaded: "+words, words+": the type of the file must be")
	var results struct {
		Data []struct {
			File, Error string
			Asset       *crier.Asset
		}
	}
	c.run(t, "media", "upload", words, second, "--json").want(t, 1).into(t, &results)
	if len(results.Data) != 2 || results.Data[0].Asset != nil || results.Data[0].Error == "" ||
		results.Data[1].Asset == nil || results.Data[1].File != second {
		t.Errorf("%+v", results)
	}
}

func writePhoto(t *testing.T) string {
	t.Helper()
	return writeFile(t, "chart.png", mediatest.PNG(64, 64), 0o600)
}

func TestListsContinueWithACursor(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	for _, name := range []string{"One", "Two", "Three"} {
		c.run(t, "posts", "create", name).want(t, 0)
	}
	first := c.run(t, "posts", "list", "--limit", "2", "--status", "draft").want(t, 0, "Three", "Two", "2 of 3 posts",
		"more: crier posts list --limit 2 --status draft --cursor ").lacks(t, "One")
	_, line, _ := strings.Cut(first.stdout, "more: crier ")
	c.run(t, strings.Fields(line)...).want(t, 0, "One").lacks(t, "Two")
	c.run(t, "posts", "list", "--search", "nothing like it", "--all", "--json").want(t, 0, `"data": []`)
	var all crier.Page[crier.Post]
	c.run(t, "posts", "list", "--limit", "2", "--all", "--json").want(t, 0).into(t, &all)
	if len(all.Data) != 3 || all.Total != 3 || all.NextCursor != nil {
		t.Errorf("%d of %d posts", len(all.Data), all.Total)
	}
	c.run(t, "posts", "list", "--limit", "1000").want(t, 2, "--limit").lacks(t, "The request is not valid")
	c.run(t, "posts", "list", "--cursor", "nonsense").want(t, 2, "more:").lacks(t, "nextCursor")
}

func TestWebhooksAreRotatedReplayedAndRedelivered(t *testing.T) {
	t.Parallel()
	c := newCrew(t)
	const hook = "https://hooks.example.com/crier"
	c.run(t, "webhooks", "create", hook, "--types", "nonsense").want(t, 2, "TAB after --types").lacks(t, "GET ")
	c.run(t, "webhooks", "create", hook, "--types", "post.created").want(t, 0, "whsec_")
	c.run(t, "webhooks", "disable", hook).want(t, 0, "disabled")
	for _, args := range [][]string{{"test", hook}, {"replay", hook, "--from", "today 00:00"}} {
		c.run(t, append([]string{"webhooks"}, args...)...).want(t, 6, "crier webhooks enable WEBHOOK").lacks(t, "PATCH")
	}
	c.run(t, "webhooks", "enable", hook).want(t, 0, "enabled")
	c.run(t, "webhooks", "rotate", hook, "--grace", "1h").want(t, 0, "whsec_")
	c.run(t, "webhooks", "replay", hook, "--from", "today 00:00").want(t, 0, "event")
	c.run(t, "webhooks", "deliveries", hook).want(t, 0, "NEXT TRY")
	c.run(t, "webhooks", "redeliver", hook, "nonsense").want(t, 2, "crier webhooks deliveries")
	c.run(t, "webhooks", "redeliver", hook, "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d").want(t, 5)
	c.run(t, "webhooks", "list").want(t, 0, hook, "1 webhook")
	c.run(t, "webhooks", "delete", hook, "--yes").want(t, 0)
}

func TestCompletionAsksTheServer(t *testing.T) {
	t.Parallel()
	c := newCrew(t, "x")
	post := c.run(t, "posts", "create", "Complete me", "--json").id(t)
	c.run(t, "tags", "create", "launch").want(t, 0)
	handle := "a" + string(c.Team[len(c.Team)-8:]) + "_0"
	for want, args := range map[string][]string{
		post + "\t":            {"posts", "show", ""},
		"linkedin\t":           {"post", "Hello", "--to", ""},
		"twitter\t":            {"post", "Hello", "--to", "tw"},
		"weekly":               {"post", "Hello", "--repeat", ""},
		handle + "\tX":         {"post", "Hello", "--to", "x,"},
		handle + "\t":          {"accounts", "disable", ""},
		"A crew\t":             {"posts", "list", "--team", ""},
		"launch\t":             {"posts", "list", "--tag", ""},
		"09:00\t":              {"slots", "delete", ""},
		"First key\t":          {"keys", "rotate", ""},
		"editor":               {"members", "role", "Owner", ""},
		"threads\t":            {"accounts", "connect", ""},
		"scheduled_post.faile": {"events", "--types", ""},
		"tiktokPrivacyLevel=":  {"post", "Hello", "--set", ""},
	} {
		c.run(t, append([]string{"__complete"}, args...)...).want(t, 0, want)
	}
	c.run(t, "__complete", "posts", "list", "--status", "").want(t, 0, "archived").lacks(t, "deleted")
	// completion neither waits for an unavailable server nor prints its error into the command line
	away := newPerson(t, "http://127.0.0.1:1", "crier_key")
	away.run(t, "__complete", "post", "Hello", "--to", "").want(t, 0, "linkedin\t")
	away.run(t, "__complete", "posts", "show", "").want(t, 0).lacks(t, "cannot reach")
}
