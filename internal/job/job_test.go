package job_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/internal/job"
)

const (
	one   crier.ID = "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e41"
	two   crier.ID = "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e42"
	three crier.ID = "018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e43"
)

// wire has the ids that #1 to #3 stand for.
func wire(text string) string {
	return strings.NewReplacer("#1", string(one), "#2", string(two), "#3", string(three)).Replace(text)
}

var noon = crier.TimeOf(time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC))

// onTheWire are all jobs as they wait in somebody's database. Nothing in here may change but by growing: a job that was
// written by an older version has to be read as what it was. #1 to #3 are ids.
var onTheWire = []struct {
	kind string
	args job.Args
	json string
	// old is what a version before wrote, when it was less, and what it means now.
	old     string
	oldArgs job.Args
}{
	{kind: "team.purge", args: job.PurgeTeam{TeamID: one}, json: `{"teamId":"#1"}`},
	{kind: "upkeep.sweep", args: job.Sweep{}, json: `{}`},
	{kind: "post.publish", args: job.Publish{ID: one, Action: true, Epoch: 3, Provider: "x", SocialAccountID: two},
		json: `{"id":"#1","action":true,"epoch":3,"provider":"x","socialAccountId":"#2"}`,
		old:  `{"id":"#1","epoch":0,"provider":"x"}`, oldArgs: job.Publish{ID: one, Provider: "x"}},
	{kind: "tokens.renew", args: job.RenewTokens{}, json: `{}`},
	{kind: "post.enrich", args: job.EnrichPost{PostID: one, PayloadID: two, TeamID: three},
		json: `{"postId":"#1","payloadId":"#2","teamId":"#3"}`,
		old:  `{"postId":"#1","payloadId":"#2"}`, oldArgs: job.EnrichPost{PostID: one, PayloadID: two}},
	{kind: "post.retag", args: job.RetagPosts{AssetID: one, TeamID: two}, json: `{"assetId":"#1","teamId":"#2"}`,
		old: `{"assetId":"#1"}`, oldArgs: job.RetagPosts{AssetID: one}},
	{kind: "post.unpublish", args: job.Unpublish{ScheduledPostID: one, Provider: "x", TeamID: two},
		json: `{"scheduledPostId":"#1","provider":"x","teamId":"#2"}`,
		old:  `{"scheduledPostId":"#1"}`, oldArgs: job.Unpublish{ScheduledPostID: one}},
	{kind: "invitation.mail", args: job.MailInvitation{InvitationID: one, OrganizationID: two},
		json: `{"invitationId":"#1","organizationId":"#2"}`,
		old:  `{"invitationId":"#1"}`, oldArgs: job.MailInvitation{InvitationID: one}},
	{kind: "password.mail", args: job.MailReset{UserID: one}, json: `{"userId":"#1"}`},
	{kind: "asset.process", args: job.ProcessAsset{AssetID: one, TeamID: two}, json: `{"assetId":"#1","teamId":"#2"}`,
		old: `{"assetId":"#1"}`, oldArgs: job.ProcessAsset{AssetID: one}},
	{kind: "key.reseal", args: job.Reseal{}, json: `{}`},
	{kind: "asset.sweep", args: job.SweepAssets{}, json: `{}`},
	{kind: "post.metrics", args: job.Snapshot{ScheduledPostID: one, Round: 2, Early: 1, Provider: "x", TeamID: two},
		json: `{"scheduledPostId":"#1","round":2,"early":1,"provider":"x","teamId":"#2"}`,
		old:  `{"scheduledPostId":"#1","round":0}`, oldArgs: job.Snapshot{ScheduledPostID: one}},
	{kind: "account.metrics", args: job.AccountSnapshot{SocialAccountID: one, Provider: "x", Before: noon, TeamID: two},
		json:    `{"socialAccountId":"#1","provider":"x","before":"2026-11-16T12:00:00.000Z","teamId":"#2"}`,
		old:     `{"socialAccountId":"#1","provider":"x","before":"2026-11-16T12:00:00.000Z"}`,
		oldArgs: job.AccountSnapshot{SocialAccountID: one, Provider: "x", Before: noon}},
	{kind: "webhook.deliver", args: job.DeliverWebhook{DeliveryID: one, Epoch: 4}, json: `{"deliveryId":"#1","epoch":4}`},
	{kind: "webhook.replay", args: job.ReplayWebhook{WebhookID: one, From: noon, To: noon, After: 5,
		OrganizationID: two}, json: `{"webhookId":"#1","from":"2026-11-16T12:00:00.000Z",` +
		`"to":"2026-11-16T12:00:00.000Z","after":5,"organizationId":"#2"}`,
		old:     `{"webhookId":"#1","from":"2026-11-16T12:00:00.000Z","to":"2026-11-16T12:00:00.000Z"}`,
		oldArgs: job.ReplayWebhook{WebhookID: one, From: noon, To: noon}},
	{kind: "webhook.mail_disabled", args: job.MailWebhookDisabled{WebhookID: one, UserID: two, OrganizationID: two},
		json: `{"webhookId":"#1","userId":"#2","organizationId":"#2"}`,
		old:  `{"webhookId":"#1"}`, oldArgs: job.MailWebhookDisabled{WebhookID: one}},
}

// read decodes the arguments of a job of the type of like.
func read(t *testing.T, data string, like job.Args) any {
	t.Helper()
	args := reflect.New(reflect.TypeOf(like))
	if err := json.Unmarshal([]byte(data), args.Interface()); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	return args.Elem().Interface()
}

func TestEncodedJobsStayCompatible(t *testing.T) {
	t.Parallel()
	for _, c := range onTheWire {
		c.json, c.old = wire(c.json), wire(c.old)
		if got := c.args.Kind(); got != c.kind {
			t.Errorf("the kind %q was renamed to %q: old jobs would never be worked", c.kind, got)
		}
		data, err := json.Marshal(c.args)
		if err != nil || string(data) != c.json {
			t.Errorf("%s is written as %s, want %s (%v)", c.kind, data, c.json, err)
		}
		if got := read(t, c.json, c.args); !reflect.DeepEqual(got, c.args) {
			t.Errorf("%s is read as %+v, want %+v", c.json, got, c.args)
		}
		if c.old == "" {
			continue
		}
		if got := read(t, c.old, c.args); !reflect.DeepEqual(got, c.oldArgs) {
			t.Errorf("%s is read as %+v, want %+v", c.old, got, c.oldArgs)
		}
		if data, err := json.Marshal(c.oldArgs); err != nil || string(data) != c.old {
			t.Errorf("what an older version wrote as %s is written as %s (%v): a node of it might not read that", c.old,
				data,
				err)
		}
	}
}

func TestJobKindsAreUniqueAndListed(t *testing.T) {
	t.Parallel()
	kinds, listed := map[string]bool{}, []string{}
	for _, c := range onTheWire {
		if kinds[c.kind] {
			t.Errorf("two jobs are of the kind %s", c.kind)
		}
		kinds[c.kind] = true
		listed = append(listed, reflect.TypeOf(c.args).Name())
	}
	file, err := parser.ParseFile(token.NewFileSet(), "job.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Name.Name != "Kind" {
			continue
		}
		if name := f.Recv.List[0].Type.(*ast.Ident).Name; !slices.Contains(listed, name) {
			t.Errorf("what %s looks like in a database is not in the list", name)
		}
	}
}
