package sim

import (
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// put writes rows in one transaction.
func put(t *testing.T, s *Store, fn func(tx *Tx)) {
	t.Helper()
	if err := s.Update(func(tx *Tx) error { fn(tx); return nil }); err != nil {
		t.Fatal(err)
	}
}

// keysOf returns the keys of a table, newest first.
func keysOf(s *Store, table *Table[int]) (keys []string) {
	s.View(func() {
		for key := range table.Newest() {
			keys = append(keys, key)
		}
	})
	return keys
}

func TestTableKeepsTheOrderOfInsertion(t *testing.T) {
	t.Parallel()
	s, table := openStore(t, "")
	put(t, s, func(tx *Tx) { table.Put(tx, "a", 1); table.Put(tx, "b", 2); table.Put(tx, "c", 3) })
	put(t, s, func(tx *Tx) { table.Put(tx, "a", 10) }) // a change keeps the position
	put(t, s, func(tx *Tx) { table.Delete(tx, "b"); table.Delete(tx, "nosuch") })
	if got := keysOf(s, table); !slices.Equal(got, []string{"c", "a"}) {
		t.Errorf("keys are %v", got)
	}
	put(t, s, func(tx *Tx) { table.Put(tx, "b", 20) }) // and returns as the newest
	if got := keysOf(s, table); !slices.Equal(got, []string{"b", "c", "a"}) {
		t.Errorf("keys are %v", got)
	}
	s.View(func() {
		if row, ok := table.Get("a"); !ok || row != 10 || table.Len() != 3 {
			t.Errorf("a is %d, %t, of %d rows", row, ok, table.Len())
		}
		for key := range table.Newest() {
			if key != "b" {
				t.Errorf("continued to %s", key)
			}
			break
		}
	})
}

func TestDeletedRowsAreCompacted(t *testing.T) {
	t.Parallel()
	s, table := openStore(t, "")
	put(t, s, func(tx *Tx) {
		for i := range 200 {
			table.Put(tx, strconv.Itoa(i), i)
		}
	})
	put(t, s, func(tx *Tx) {
		for i := range 190 {
			table.Delete(tx, strconv.Itoa(i))
		}
	})
	if len(table.keys) > 100 || table.Len() != 10 {
		t.Errorf("%d keys for %d rows", len(table.keys), table.Len())
	}
	put(t, s, func(tx *Tx) { table.Delete(tx, "195") }) // positions are still valid
	if got := strings.Join(keysOf(s, table), " "); got != "199 198 197 196 194 193 192 191 190" {
		t.Errorf("keys are %s", got)
	}
}

func TestReadsInsideATransactionSeeTheStateBeforeIt(t *testing.T) {
	t.Parallel()
	s, table := openStore(t, "")
	put(t, s, func(tx *Tx) {
		table.Put(tx, "a", 1)
		if _, ok := table.Get("a"); ok {
			t.Error("a row is visible before its transaction ends")
		}
	})
}

func TestRowThatCannotBeWrittenFailsTheTransaction(t *testing.T) {
	t.Parallel()
	s, numbers := openStore(t, "")
	floats := NewTable[float64](s, "floats")
	err := s.Update(func(tx *Tx) error {
		numbers.Put(tx, "a", 1)
		floats.Put(tx, "nan", math.NaN())
		return nil
	})
	if err == nil || !strings.HasPrefix(err.Error(), "encode row nan of floats: ") || numbers.Len() != 0 {
		t.Errorf("error %v, %d rows", err, numbers.Len())
	}
}

func TestAttemptReturnsTheRefusal(t *testing.T) {
	t.Parallel()
	s, table := openStore(t, "")
	refusal, err := s.Attempt(func(tx *Tx) *Reply { table.Put(tx, "a", 1); return &Reply{Status: 403} })
	if err != nil || refusal == nil || refusal.Status != 403 || table.Len() != 0 {
		t.Errorf("%v, %v, %d rows", refusal, err, table.Len())
	}
	refusal, err = s.Attempt(func(tx *Tx) *Reply { table.Put(tx, "a", 1); return nil })
	if err != nil || refusal != nil || table.Len() != 1 {
		t.Errorf("%v, %v, %d rows", refusal, err, table.Len())
	}
}

func TestPostsAreIndexedByAccountParentAndKind(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t, "")
	posts := newPosts(s)
	seen := 0
	posts.Watch(func(string, *Post, *Post) { seen++ })
	put(t, s, func(tx *Tx) {
		posts.Put(tx, Post{ID: "1", AccountID: "ada", Kind: KindPost})
		posts.Put(tx, Post{ID: "2", AccountID: "bob", Kind: KindComment, ParentID: "1"})
		posts.Put(tx, Post{ID: "3", AccountID: "bob", Kind: KindRepost, ParentID: "1"})
		posts.Put(tx, Post{ID: "4", AccountID: "ada", Kind: KindPost, ParentID: "1"})
		posts.Put(tx, Post{ID: "5", AccountID: "ada", Kind: KindComment, ParentID: "2", QuotedID: "1"})
		posts.Put(tx, Post{ID: "6", AccountID: "ada", Kind: KindComment, ParentID: "2", QuotedID: "1"})
	})
	put(t, s, func(tx *Tx) {
		for _, id := range []string{"3", "6"} {
			p, _ := posts.Get(id)
			posts.Delete(tx, p)
		}
	})
	s.View(func() {
		for name, got := range map[string][]string{"1 4 5 6": posts.ByAccount("ada"), "2 3": posts.ByAccount("bob"),
			"2 3 4": posts.Children("1"), "1 3 4": posts.Roots(), "": posts.Children("4")} {
			if strings.Join(got, " ") != name {
				t.Errorf("%v, want %s", got, name)
			}
		}
		for kind, want := range map[Kind]int{KindComment: 1, KindRepost: 0, KindPost: 1} {
			if got := posts.CountChildren("1", kind); got != want {
				t.Errorf("%d children of kind %s, want %d", got, kind, want)
			}
		}
		if got := posts.CountQuotes("1"); got != 2 {
			t.Errorf("%d quotes, want those of a post and a comment", got)
		}
		gone, ok := posts.Get("3")
		if _, live := posts.Live("3"); live || !ok || !gone.Deleted() {
			t.Errorf("the deleted post is %+v, live %t", gone, live)
		}
	})
	if seen != 8 {
		t.Errorf("the watch saw %d changes", seen)
	}
}

func TestFollowersGrowWithLikesUnlessTheyAreSet(t *testing.T) {
	t.Parallel()
	s, _ := openStore(t, "")
	e := &Env{Store: s, Posts: newPosts(s), Accounts: newAccounts(s), Options: Options{Now: time.Now}}
	views := 7
	put(t, s, func(tx *Tx) {
		e.Accounts.Put(tx, Account{ID: "ada", Handle: "ada"})
		e.Posts.Put(tx, Post{ID: "1", AccountID: "ada", Kind: KindPost, Likes: 25})
		e.Posts.Put(tx, Post{ID: "2", AccountID: "ada", Kind: KindPost, Likes: 9, Views: &views})
	})
	s.View(func() {
		first, _ := e.Posts.Get("1")
		second, _ := e.Posts.Get("2")
		if got := e.Followers("ada"); got != 103 {
			t.Errorf("%d followers", got)
		}
		if first.ViewsOr(50) != 50 || second.ViewsOr(50) != 7 {
			t.Errorf("views are %d and %d", first.ViewsOr(50), second.ViewsOr(50))
		}
	})
	set := 0
	put(t, s, func(tx *Tx) { e.Accounts.Put(tx, Account{ID: "ada", Handle: "ada", Followers: &set}) })
	s.View(func() {
		if got := e.Followers("ada"); got != 0 {
			t.Errorf("%d followers after none were set", got)
		}
	})
}

func TestExpiredLimitWindowsAreRemoved(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	l := newLimits(func() time.Time { return now }, 2)
	for i := range windowsKept {
		l.Take(strconv.Itoa(i), 1, time.Minute, false)
	}
	now = now.Add(30 * time.Second)
	l.Take("late", 1, time.Minute, false)
	if len(l.windows) != windowsKept+1 {
		t.Errorf("%d windows: open ones were swept", len(l.windows))
	}
	now = now.Add(30 * time.Second)
	if u := l.Take("new", 1, time.Minute, false); u.Limit != 2 || u.Remaining != 1 || len(l.windows) != 2 {
		t.Errorf("usage %+v, %d windows", u, len(l.windows))
	}
}

func TestVerifiersOfEitherMethod(t *testing.T) {
	t.Parallel()
	// The example of RFC 7636, appendix B.
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
		"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	for name, c := range map[string]struct {
		code     Code
		verifier string
		want     bool
	}{
		"hashed":          {Code{Challenge: challenge, ChallengeMethod: "S256"}, verifier, true},
		"hashed, wrong":   {Code{Challenge: challenge, ChallengeMethod: "S256"}, verifier + "x", false},
		"plain for hash":  {Code{Challenge: challenge, ChallengeMethod: "S256"}, challenge, false},
		"plain":           {Code{Challenge: "abc", ChallengeMethod: "plain"}, "abc", true},
		"plain, wrong":    {Code{Challenge: "abc", ChallengeMethod: "plain"}, "abd", false},
		"none":            {Code{}, "", true},
		"none, but given": {Code{}, "abc", false},
	} {
		if got := c.code.Verify(c.verifier); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestAppsAuthenticateWithTheirSecret(t *testing.T) {
	t.Parallel()
	listed := Options{Clients: map[string]string{"app": "secret"}}
	for _, c := range []struct {
		options    Options
		id, secret string
		want       bool
	}{
		{Options{}, "any", "thing", true}, {Options{}, "", "thing", false}, {Options{}, "any", "", false},
		{listed, "app", "secret", true}, {listed, "app", "guess", false}, {listed, "other", "secret", false},
	} {
		if got := c.options.KnowsClient(c.id, c.secret); got != c.want {
			t.Errorf("%v %q %q: %t", c.options.Clients, c.id, c.secret, got)
		}
	}
}

func TestSeedsAreReadByTheirNetworkOnly(t *testing.T) {
	t.Parallel()
	account := Account{ID: "1", Handle: "ada", Name: "Ada", Kind: "member"}
	terms := SeedTerms{Scopes: []string{"read"}, AccessPrefix: "at_", AccessLifetime: time.Hour}
	seed, err := NewSeed("net", account, terms)
	if err != nil || seed.RefreshToken != "" || seed.ExpiresIn != time.Hour || seed.AccountKind != "member" ||
		!strings.HasPrefix(seed.AccessToken, "at_seed.") {
		t.Fatalf("seed is %+v, %v", seed, err)
	}
	claims, ok := parseSeed("net", seed.AccessToken)
	if !ok || claims.Account.Handle != "ada" || claims.Lifetime != 3600 || claims.Kind != AccessToken {
		t.Errorf("claims are %+v, %t", claims, ok)
	}
	terms.WithRefresh, terms.RefreshPrefix, terms.RefreshLifetime = true, "rt_", 2*time.Hour
	if seed, err = NewSeed("net", account, terms); err != nil || !strings.HasPrefix(seed.RefreshToken, "rt_seed.") ||
		seed.RefreshExpiresIn != 2*time.Hour {
		t.Errorf("seed is %+v, %v", seed, err)
	}
	if claims, ok := parseSeed("net", seed.RefreshToken); !ok || claims.Kind != RefreshToken ||
		claims.Lifetime != 7200 {
		t.Errorf("claims are %+v, %t", claims, ok)
	}
	body, signature, _ := strings.Cut(strings.TrimPrefix(seed.AccessToken, "at_seed."), ".")
	for name, value := range map[string]string{"empty": "", "issued": "at_ABC", "no signature": "at_seed." + body,
		"cut signature": "at_seed." + body + "." + signature[1:], "cut body": "at_seed." + body[1:] + "." + signature,
		"no JSON": "at_seed.YWJj." + seedSignature("YWJj"), "no base64": "at_seed.!!." + seedSignature("!!")} {
		if claims, ok := parseSeed("net", value); ok {
			t.Errorf("%s is parsed as %+v", name, claims)
		}
	}
	if _, ok := parseSeed("other", seed.AccessToken); ok {
		t.Error("another network accepts the token")
	}
}

func TestRedirectsMustBeAbsoluteURLs(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{"https://app.example/cb": true, "http://localhost:3000/cb?keep=1": true,
		"": false, "/cb": false, "app.example/cb": false, "javascript:alert(1)": false, "https:///cb": false,
		"https://app.example/cb#x": false, "ftp://app.example": false, "https://app.example/%zz": false} {
		if err := checkRedirect(address); (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestNumberFormatting(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KiB", 1536: "1.5 KiB",
		1 << 20: "1.0 MiB", 5 << 29: "2.5 GiB"} {
		if got := formatBytes(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 likes", 1: "1 like", 2: "2 likes"} {
		if got := formatCount(n, "like"); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
	if got := (Fault{Operation: Publish, Kind: Reject}).words(); got != "refuses the next post" {
		t.Errorf("a refusal is described as %q", got)
	}
	if got := (Fault{Operation: Upload, Kind: Slow}).words(); got != "upload meets slow" {
		t.Errorf("a slow upload is described as %q", got)
	}
}

func TestHashThatCannotBeResumedIsAnError(t *testing.T) {
	t.Parallel()
	broken := Digest{Size: 1, State: []byte("nonsense")}
	if _, err := newPreviews().Extend(broken, strings.NewReader("x")); err == nil || !strings.HasPrefix(err.Error(),
		"resume hash: ") {
		t.Errorf("extend: %v", err)
	}
	if _, err := broken.Media(); err == nil {
		t.Error("a file with a broken hash was returned")
	}
	if _, err := newPreviews().Ingest(brokenBody{}, 10); !errors.Is(err, errCut) {
		t.Errorf("a truncated body: %v", err)
	}
}

func TestJournalDirectoryErrors(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(filepath.Join(file, "below"), slog.New(slog.DiscardHandler)); err == nil ||
		!strings.HasPrefix(err.Error(), "create data directory: ") {
		t.Errorf("in a file: %v", err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, journalName), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(dir, slog.New(slog.DiscardHandler)); err == nil || !strings.HasPrefix(err.Error(),
		"open journal: ") {
		t.Errorf("a directory as the journal: %v", err)
	}
}

func TestRewrittenJournalHasOnlyLiveRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, table := openStore(t, dir)
	table.Keep(func(n int) bool { return n != 13 })
	put(t, s, func(tx *Tx) { table.Put(tx, "a", 1); table.Put(tx, "b", 2); table.Put(tx, "over", 13) })
	for i := range 20 {
		put(t, s, func(tx *Tx) { table.Put(tx, "a", 100+i) })
	}
	put(t, s, func(tx *Tx) { table.Delete(tx, "b") })
	s.journal.mu.Lock()
	s.journal.minSize = 1
	s.journal.mu.Unlock()
	put(t, s, func(tx *Tx) { table.Put(tx, "c", 3) })
	if s.journal.records != 2 {
		t.Errorf("%d records remain", s.journal.records)
	}
	put(t, s, func(tx *Tx) { table.Put(tx, "d", 4) })
	if err := s.journal.close(); err != nil {
		t.Fatal(err)
	}
	again, back := openStore(t, dir)
	if got := strings.Join(keysOf(again, back), " "); got != "d c a" {
		t.Errorf("keys are %s", got)
	}
	again.View(func() {
		if row, _ := back.Get("a"); row != 119 {
			t.Errorf("a is %d", row)
		}
	})
	if err := again.journal.close(); err != nil {
		t.Fatal(err)
	}
}
