package service

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crier"
	"crier/internal/auth"
	"crier/internal/publish"
	"crier/internal/store"
	"crier/internal/store/storetest"
)

const freshSecret = "ffffffffffffffffffffffffffffffff"

// notSealed are the binary columns that hold hashes.
var notSealed = map[string]bool{
	"access_tokens.hash": true, "api_key_secrets.hash": true, "authorization_codes.hash": true,
	"connections.state_hash": true, "device_logins.device_hash": true, "idempotency_keys.fingerprint": true,
	"invitations.token_hash": true, "refresh_tokens.hash": true, "sessions.token_hash": true,
	"setup_links.token_hash": true,
}

// A column that is not in the list would keep records of an old key, and be unreadable once the key is removed.
func TestEverySealedColumnIsListed(t *testing.T) {
	t.Parallel()
	databases.EachStore(t, func(t *testing.T, st *store.Store) {
		text := `SELECT m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c
			WHERE m.type = 'table' AND lower(c.type) = 'blob' AND m.name NOT LIKE 'river%'`
		if st.Dialect() == store.Postgres {
			text = `SELECT c.table_name || '.' || c.column_name FROM information_schema.columns c
				JOIN information_schema.tables t ON t.table_name = c.table_name AND t.table_schema = c.table_schema
				WHERE c.table_schema = 'public' AND c.data_type = 'bytea' AND t.table_type = 'BASE TABLE'
				AND c.table_name NOT LIKE 'river%'`
		}
		rows, err := st.Reader().QueryContext(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		listed := map[string]bool{}
		for _, records := range sealed {
			listed[records.Table+"."+records.Column] = true
		}
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				t.Fatal(err)
			}
			if listed[name] == notSealed[name] {
				t.Errorf("%s is in both lists or none: add it to sealed, or to notSealed if it is a hash", name)
			}
			delete(listed, name)
		}
		if err := rows.Err(); err != nil || len(listed) > 0 {
			t.Errorf("there is no column %v, %v", listed, err)
		}
	})
}

// A sealed record in a column of text would pass the test above.
func TestEveryPlaceThatSealsIsKnown(t *testing.T) {
	t.Parallel()
	seals := regexp.MustCompile(`\bkeys\.Seal\(`)
	got := map[string]int{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		if n := len(seals.FindAll(data, -1)); n > 0 {
			got[filepath.ToSlash(path)] = n
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{
		"../access/idempotency.go":       1,
		"../oauth/authorizations.go":     1, // a ticket in the form of a page, which is not stored
		"../publish/progress.go":         1,
		"../publish/tokens.go":           1,
		"../service/keys.go":             1,
		"../service/sealed.go":           1,
		"../social/connections.go":       1,
		"../social/connections_offer.go": 1,
		"../webhook/dispatcher.go":       1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("list what these seal in sealed, and then here (-want +got):\n%s", diff)
	}
}

// vault is a fixture with one record in every sealed column.
type vault struct {
	f *storetest.Fixture
	// places of the records, by column.
	places map[string][]string
}

func columnName(c store.SealedColumn) string { return c.Table + "." + c.Column }

// plain is what the record of a column says.
func plain(c store.SealedColumn) string { return "secret of " + columnName(c) }

// newVault seals one record of every column with the first key of secrets.
func newVault(t *testing.T, f *storetest.Fixture, secrets string) *vault {
	t.Helper()
	v := &vault{f: f, places: map[string][]string{}}
	key, post := f.NewKey("Key"), f.Schedule(f.NewPost("Hello"))
	webhook, principal := crier.NewID(), crier.NewID()
	verifying, choosing := strings.Repeat("v", 32), strings.Repeat("c", 32)
	place := func(c store.SealedColumn, place ...string) { v.places[columnName(c)] = place }
	place(store.SealedTokens, string(f.Account.ID))
	place(store.SealedWebhookSecrets, string(webhook))
	place(store.SealedOldWebhookSecrets, string(webhook))
	place(store.SealedKeySecrets, string(key.ID))
	place(store.SealedStates, string(post.ID))
	place(store.SealedVerifiers, verifying)
	place(store.SealedChoices, choosing)
	place(store.SealedAnswers, string(principal), "repeat")
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := f.Writer().ExecContext(t.Context(), query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	exec(`UPDATE social_accounts SET token = $2 WHERE id = $1`, f.Account.ID, v.seal(t, secrets, store.SealedTokens))
	exec(`INSERT INTO webhooks (id, organization_id, url, types, status, secret, old_secret, after_sequence,
		created_at, updated_at) VALUES ($1, $2, 'https://a.example', '[]', 'enabled', $3, $4, 0, $5, $5)`, webhook,
		f.Organization.ID, v.seal(t, secrets, store.SealedWebhookSecrets),
		v.seal(t, secrets, store.SealedOldWebhookSecrets), f.Now)
	exec(`UPDATE api_key_secrets SET sealed = $2 WHERE api_key_id = $1`, key.ID,
		v.seal(t, secrets, store.SealedKeySecrets))
	exec(`UPDATE publications SET state_secrets = $2 WHERE id = $1`, post.ID, v.seal(t, secrets, store.SealedStates))
	f.Tx(func(ctx context.Context, tx *store.Tx) error {
		for _, hash := range []string{verifying, choosing} {
			if err := tx.InsertConnection(ctx, store.Connection{StateHash: []byte(hash), TeamID: f.Team.ID,
				Provider: f.Account.Provider, Verifier: v.seal(t, secrets, store.SealedVerifiers), ExpiresAt: f.Now,
				PrincipalKind: store.UserPrincipal, PrincipalID: f.Owner.ID, PersonID: f.Owner.ID}); err != nil {
				return err
			}
		}
		if err := tx.OfferChoices(ctx, []byte(choosing), []byte(choosing),
			v.seal(t, secrets, store.SealedChoices)); err != nil {
			return err
		}
		if _, err := tx.ClaimKey(ctx, store.StoredResponse{PrincipalID: principal, Key: "repeat",
			Fingerprint: []byte{1}, Status: 200, ExpiresAt: f.Now}, f.Now); err != nil {
			return err
		}
		return tx.SaveResponse(ctx, principal, "repeat", v.seal(t, secrets, store.SealedAnswers), "")
	})
	return v
}

func ringOf(t *testing.T, secrets string) *auth.Keyring {
	t.Helper()
	ring, err := auth.NewKeyring(secrets)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// seal seals the record of a column.
func (v *vault) seal(t *testing.T, secrets string, c store.SealedColumn) []byte {
	t.Helper()
	for _, records := range sealed {
		if columnName(records.SealedColumn) == columnName(c) {
			data, err := ringOf(t, secrets).Seal([]byte(plain(c)), records.context(v.places[columnName(c)]))
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
	t.Fatalf("%s is not listed", columnName(c))
	return nil
}

// opens reports an error unless every record opens with the secrets.
func (v *vault) opens(t *testing.T, secrets string) {
	t.Helper()
	ring := ringOf(t, secrets)
	for _, records := range sealed {
		found, err := v.f.SealedOtherwise(t.Context(), records.SealedColumn,
			store.SealedQuery{Mark: []byte("none"), Now: v.f.Now, Limit: 10})
		if err != nil || len(found) != 1 {
			t.Errorf("%s has %d records, %v", columnName(records.SealedColumn), len(found), err)
			continue
		}
		data, err := ring.Open(found[0].Sealed, records.context(found[0].Place))
		if err != nil || string(data) != plain(records.SealedColumn) {
			t.Errorf("%s says %q, %v", columnName(records.SealedColumn), data, err)
		}
	}
}

func TestKeysAreRotated(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		v, ctx := newVault(t, f, testSecret), t.Context()
		node := func(secrets string) *rules { return newRules(t, f.Store, secrets) }
		left := func(secrets string, want int64) {
			t.Helper()
			got, err := node(secrets).Instance.SealedByOthers(ctx)
			if err != nil || got.Total != want {
				t.Errorf("%s are left, want %d (%v)", got, want, err)
			}
		}
		start := func(secrets string) {
			t.Helper()
			if err := node(secrets).Instance.BindKey(ctx); err != nil {
				t.Errorf("%.4s… of %d: %v", secrets, len(secrets), err)
			}
		}
		reseal := func(secrets string) {
			t.Helper()
			if err := node(secrets).Upkeep.Reseal(ctx); err != nil {
				t.Error(err)
			}
		}
		const before, during, after = testSecret + "," + freshSecret, freshSecret + "," + testSecret, freshSecret
		start(testSecret)
		start(before)
		start(during)
		left(during, int64(len(sealed)))
		err := node(after).Instance.BindKey(ctx)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d records in the database are sealed with a "+
			"secret key that is not in CRIER_SECRET_KEY (account tokens: 1,", len(sealed)-1)) { // API keys are not read
			t.Errorf("a node that lacks the key of records: %v", err)
		}
		start(before) // a node that is not changed yet
		reseal(after) // has nothing to open them with
		v.opens(t, testSecret)
		reseal(during)
		reseal(during)
		left(during, 0)
		left(before, int64(len(sealed)))
		v.opens(t, freshSecret)
		start(after)
		if err := node(testSecret).Instance.BindKey(ctx); err == nil {
			t.Error("a node with the old key alone starts")
		}
	})
}

func TestALostKeyIsAcceptedOnRequest(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := t.Context()
		newVault(t, f, testSecret)
		if err := newRules(t, f.Store, testSecret).Instance.BindKey(ctx); err != nil {
			t.Fatal(err)
		}
		fresh := newRules(t, f.Store, freshSecret).Instance
		err := fresh.BindKey(ctx)
		if err == nil {
			t.Fatal("the key of the store is given up without a request")
		}
		ids := namedIDs(t, err)
		if len(ids) != 2 { // that of the store, and that of its records
			t.Fatalf("%v names the keys %v", err, ids)
		}
		accept := func(ids ...string) error {
			r := newRulesWith(t, f.Store, freshSecret, func(c *Config) { c.AcceptLostKeys = ids })
			return r.Instance.BindKey(ctx)
		}
		for _, incomplete := range [][]string{{"12345678"}, {"12345678", ids[1]}, {ids[1]}} {
			if again := accept(incomplete...); again == nil || again.Error() != err.Error() {
				t.Errorf("%v is accepted as lost: %v", incomplete, again)
			}
		}
		if err := accept(ids[0]); !slices.Equal(namedIDs(t, err), ids[1:]) {
			t.Errorf("the key of records is given up by the name of another: %v", err)
		}
		if err := accept(ids...); err != nil {
			t.Error(err)
		}
		if err := fresh.CheckKey(ctx); err != nil {
			t.Errorf("the store is not bound to the new key: %v", err)
		}
		if err := fresh.BindKey(ctx); err == nil {
			t.Error("the key of records is given up without a request")
		}
	})
}

// namedIDs returns the ids of lost keys that an error tells to set.
func namedIDs(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		t.Fatal("no error names lost keys")
	}
	_, list, _ := strings.Cut(err.Error(), "CRIER_ACCEPT_LOST_KEY=")
	list, _, _ = strings.Cut(list, " ")
	return strings.Split(list, ",")
}

// A new key would hide that the old one is missing.
func TestANodeWithoutAKeyIsRefusedOnAStoreThatHasOne(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx := t.Context()
		newVault(t, f, testSecret)
		if err := CheckNoKey(ctx, f.Store, nil); err != nil {
			t.Errorf("a store that is not bound to a key: %v", err)
		}
		if err := newRules(t, f.Store, testSecret).Instance.BindKey(ctx); err != nil {
			t.Fatal(err)
		}
		ids := namedIDs(t, CheckNoKey(ctx, f.Store, nil))
		if len(ids) != 2 || ids[0] != ringOf(t, testSecret).Fingerprint()[:8] {
			t.Fatalf("the keys are %v", ids)
		}
		if err := CheckNoKey(ctx, f.Store, ids[:1]); err == nil {
			t.Error("the key of records is given up without a request")
		}
		if err := CheckNoKey(ctx, f.Store, ids); err != nil {
			t.Error(err)
		}
	})
}

// Copies of API keys are never opened, so they keep no node from starting: it would be told to list a key forever.
func TestANodeStartsWithoutTheKeyOfWhatNobodyReads(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		v := newVault(t, f, freshSecret)
		if _, err := f.Writer().ExecContext(t.Context(), `UPDATE api_key_secrets SET sealed = $1`,
			v.seal(t, testSecret, store.SealedKeySecrets)); err != nil {
			t.Fatal(err)
		}
		if err := newRules(t, f.Store, freshSecret).Instance.BindKey(t.Context()); err != nil {
			t.Error(err)
		}
		// Nor do they keep a later rotation from ending.
		const newest = "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"
		rotating := newRules(t, f.Store, newest+","+freshSecret)
		if err := rotating.Upkeep.Reseal(t.Context()); err != nil {
			t.Error(err)
		}
		if left, err := rotating.Instance.SealedByOthers(t.Context()); err != nil || left.Total != 0 {
			t.Errorf("%v are left (%v)", left, err)
		}
	})
}

// The node that renews a token may run an older version, or lack the new key: it would drop the renewed token if the
// one that it sent had changed.
func TestResealWaitsForRenewals(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		v, ctx := newVault(t, f, testSecret), t.Context()
		rotating := newRules(t, f.Store, freshSecret+","+testSecret)
		now := crier.TimeOf(rotating.time)
		read, err := f.SealedOtherwise(ctx, store.SealedTokens,
			store.SealedQuery{Mark: []byte("none"), Now: now, Limit: 10})
		if err != nil || len(read) != 1 {
			t.Fatalf("%d tokens, %v", len(read), err)
		}
		until := crier.TimeOf(now.Add(time.Minute))
		if ok, err := f.ClaimRefresh(ctx, f.Account.ID, crier.NewID(), now, until); err != nil || !ok {
			t.Fatalf("%v, %v", ok, err)
		}
		if done, _, err := rotating.Upkeep.resealBatch(ctx, sealed[0], read); err != nil || done != 0 {
			t.Errorf("%d tokens that are being renewed were sealed again, %v", done, err)
		}
		left := func(want int64) {
			t.Helper()
			if err := rotating.Upkeep.Reseal(ctx); err != nil {
				t.Fatal(err)
			}
			if got, err := rotating.Instance.SealedByOthers(ctx); err != nil || got.Total != want {
				t.Errorf("%s are left, want %d (%v)", got, want, err)
			}
		}
		left(1)
		rotating.time = until.Time
		left(0)
		v.opens(t, freshSecret)
	})
}

// A previous secret that signs no more would need its key forever.
func TestPreviousSecretsOfWebhooksAreDeleted(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		newVault(t, f, testSecret)
		r := newRules(t, f.Store, testSecret)
		ends := crier.TimeOf(r.time.Add(time.Minute))
		if _, err := f.Writer().ExecContext(t.Context(), `UPDATE webhooks SET old_secret_ends_at = $1`, ends); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{1, 0} {
			if err := r.Upkeep.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := f.Scan(`SELECT count(old_secret) FROM webhooks`); got != int64(want) {
				t.Errorf("%d previous secrets, want %d", got, want)
			}
			r.time = ends.Time
		}
	})
}

// The start of a node looks at the publications that are due next, and not at those that have ended.
func TestACompleteCheckReadsEveryRecord(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		post := f.Schedule(f.NewPost("Hello"), func(p *store.Publication) { p.Status, p.WakeAt = crier.Published, nil })
		secrets, err := ringOf(t, testSecret).Seal([]byte("x"), publish.StateContext(post.ID))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Writer().ExecContext(t.Context(), `UPDATE publications SET state_secrets = $2 WHERE id = $1`,
			post.ID, secrets); err != nil {
			t.Fatal(err)
		}
		fresh := newRules(t, f.Store, freshSecret).Instance
		if err := fresh.CheckRecords(t.Context(), true); err != nil {
			t.Errorf("a node does not start: %v", err)
		}
		if err := fresh.CheckRecords(t.Context(), false); err == nil {
			t.Error("the record is not found")
		}
	})
}

func TestResealGoesOnBehindDamagedRecords(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		ctx, ring := t.Context(), ringOf(t, testSecret)
		person := crier.NewID()
		const damaged = resealBatch + 3 // more than one batch of them, in front of all others
		for i := range damaged + resealBatch {
			key := fmt.Sprintf("key %04d", i)
			context := "answer " + string(person) + " " + key
			if i < damaged {
				context = "another place"
			}
			body, err := ring.Seal([]byte("x"), context)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Writer().ExecContext(ctx, `INSERT INTO idempotency_keys (principal_id, key, fingerprint,
				status, body, expires_at) VALUES ($1, $2, $3, 200, $4, $5)`, person, key, []byte{1}, body,
				f.Now); err != nil {
				t.Fatal(err)
			}
		}
		rotating := newRules(t, f.Store, freshSecret+","+testSecret)
		if err := rotating.Upkeep.Reseal(ctx); err != nil {
			t.Fatal(err)
		}
		left, err := rotating.Instance.SealedByOthers(ctx)
		if err != nil || left.Total != damaged {
			t.Errorf("%s are left, want %d (%v)", left, damaged, err)
		}
	})
}

// A token that was refreshed between the reading of the old one and its replacement stays.
func TestResealReplacesOnlyWhatItRead(t *testing.T) {
	t.Parallel()
	databases.EachFixture(t, func(t *testing.T, f *storetest.Fixture) {
		v, ctx := newVault(t, f, testSecret), t.Context()
		rotating := newRules(t, f.Store, freshSecret+","+testSecret)
		marks := ringOf(t, freshSecret).Marks()
		for _, records := range sealed {
			read, err := f.SealedOtherwise(ctx, records.SealedColumn,
				store.SealedQuery{Mark: marks[0], Now: f.Now, Limit: 10})
			if err != nil || len(read) != 1 {
				t.Fatalf("%d records, %v", len(read), err)
			}
			newer := v.seal(t, testSecret, records.SealedColumn)
			f.Tx(func(ctx context.Context, tx *store.Tx) error {
				done, err := tx.Reseal(ctx, records.SealedColumn, read[0], newer, f.Now)
				if !done {
					t.Errorf("%s was not written", columnName(records.SealedColumn))
				}
				return err
			})
			if done, damaged, err := rotating.Upkeep.resealBatch(ctx, records, read); done != 0 || damaged != 0 ||
				err != nil {
				t.Errorf("%s: %d replaced, %d damaged, %v", columnName(records.SealedColumn), done, damaged, err)
			}
		}
		v.opens(t, testSecret)
	})
}
