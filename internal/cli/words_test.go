package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crier"
	"crier/client"
)

func TestFractionalDaysFromNow(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 10, 24, 9, 0, 0, 0, berlin) // the clocks change during the night
	for words, want := range map[string]string{
		"+0.5d":           "2026-10-24T21:00:00+02:00",
		"in 1.5 days":     "2026-10-25T21:00:00+01:00",
		"1.5w":            "2026-11-03T21:00:00+01:00",
		"1.5h":            "2026-10-24T10:30:00+02:00",
		"0.5 days and 1h": "2026-10-24T22:00:00+02:00",
		"+1w2d":           "2026-11-02T09:00:00+01:00",
		"90s":             "2026-10-24T09:01:30+02:00",
	} {
		if got, err := parseWhen(words, now); err != nil || got.In(berlin).Format(time.RFC3339) != want {
			t.Errorf("%q is %s, %v; want %s", words, got.In(berlin).Format(time.RFC3339), err, want)
		}
	}
	for _, wrong := range []string{"+1000001d", "+", "1.d", "-3h", "3h ago", "1e9h", "+1 d x"} {
		if got, err := parseWhen(wrong, now); err == nil {
			t.Errorf("%q is read as %s", wrong, got)
		}
	}
}

func TestDurationsUseTheLargestUnit(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0 ms", 999 * time.Millisecond: "999 ms", time.Second: "1.0 s", -2500 * time.Millisecond: "2.5 s",
		10 * time.Second: "10 s", 119 * time.Second: "119 s", 2 * time.Minute: "2 min", 119 * time.Minute: "119 min",
		2 * time.Hour: "2 h", 47 * time.Hour: "47 h", 48 * time.Hour: "2 days", 240 * time.Hour: "10 days",
	} {
		if got := span(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestNameLookup(t *testing.T) {
	t.Parallel()
	one, two := crier.NewID(), crier.NewID()
	things := []named{{id: one, names: []string{"Acme", ""}, label: "the first"},
		{id: two, names: []string{"acme", "beta"}, label: "the second"}, {id: one, names: []string{"Ünï"}}}
	failed := errors.New("the server is away")
	for name, c := range map[string]struct {
		word     string
		err      error
		want     crier.ID
		code     int
		wantText string
	}{
		"an id is taken as it is":  {word: string(two), err: failed, want: two},
		"an id in capital letters": {word: strings.ToUpper(string(two)), err: failed, want: two},
		"a name in any case":       {word: "BETA", want: two},
		"a handle":                 {word: "@beta", want: two},
		"a name with accents":      {word: "üNÏ", want: one},
		"a name of two": {word: "Acme", code: exitUsage,
			wantText: "the first\n  " + string(two) + "  the second"},
		"no name": {word: "gamma", code: exitMissing,
			wantText: `there is no thing "gamma"; 'crier list'`},
		"nothing":                   {word: "", code: exitMissing, wantText: `there is no thing ""`},
		"a list that cannot be had": {word: "beta", err: failed, code: exitFailed, wantText: "away"},
	} {
		got, err := pick("thing", c.word, "crier list", func() ([]named, error) { return things, c.err })
		if got != c.want || (err == nil) != (c.code == 0) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err != nil && (ExitCode(err) != c.code || !strings.Contains(err.Error(), c.wantText)) {
			t.Errorf("%s: %v ends with %d, want %q and %d", name, err, ExitCode(err), c.wantText, c.code)
		}
	}
}

func TestAccountSelection(t *testing.T) {
	t.Parallel()
	handle, other := "@acme", "acme_de"
	account := func(id string, network crier.Provider, name string, handle *string,
		status crier.AccountStatus) crier.SocialAccount {
		return crier.SocialAccount{ID: crier.ID(id), Provider: network, DisplayName: name, ProfileHandle: handle,
			Status: status}
	}
	all := []crier.SocialAccount{
		account("1", crier.ProviderX, "Acme", &handle, crier.AccountConnected),
		account("2", crier.ProviderX, "Acme DE", &other, crier.AccountConnected),
		account("3", crier.ProviderX, "Old", nil, crier.AccountRefreshNeeded),
		account("4", crier.ProviderLinkedIn, "Acme", nil, crier.AccountDisabled),
	}
	for word, want := range map[string]string{
		"x": "1 2", "twitter": "1 2", "X": "1 2", "acme": "1 4", "@ACME_DE": "2", "3": "3", "Old": "3",
		"linkedin": "", "": "", "@": "", "nobody": "",
	} {
		var ids []string
		for _, a := range matchingAccounts(word, all) {
			ids = append(ids, string(a.ID))
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q means %q, want %q", word, got, want)
		}
	}
	for word, want := range map[string]string{
		"linkedin": "is disabled; enable it with 'crier accounts enable'",
		"tiktok":   "no connected account matches --to tiktok; 'crier accounts list'",
	} {
		if got := noAccount(word, all); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	if got := noAccount("x", all[2:]); !strings.Contains(got, "is refresh_needed; connect it again") {
		t.Errorf("an account that lost its connection: %q", got)
	}
}

func TestErrorsUseFlagNames(t *testing.T) {
	t.Parallel()
	for want, issue := range map[string]crier.Issue{
		"--at must be in the future":    {Path: []string{"scheduledAt"}, Message: "must be in the future"},
		"the time must be less than 24": {Path: []string{"hour"}, Message: "must be less than 24"},
		"--set tiktokPrivacyLevel is not allowed": {Path: []string{"platformSettings", "tiktokPrivacyLevel"},
			Message: "is not allowed"},
		"the text is too long": {Path: []string{"postInput", "text"}, Message: "is too long"},
		"the text of part 2 is too long": {Path: []string{"postInput", "posts", "1", "text"},
			Message: "is too long"},
		"--media of part 1 is too large": {Path: []string{"postInput", "posts", "0", "attachments", "3"},
			Message: "is too large"},
		"the text of the thread is empty": {Path: []string{"postInput", "posts"},
			Message: "of the thread is empty"},
		"--until is too early": {Path: []string{"recurrence", "recurrenceEndsAt"},
			Message: "is too early"},
		"--first-comment is too long": {Path: []string{"postPublishActions", "firstComment", "text"},
			Message: "is too long"},
		"--from must not be after --until, 2026-11-19": {Path: []string{"from"},
			Message: "must not be after to, 2026-11-19"},
		"--from must be at most 399 days before --until": {Path: []string{"from"},
			Message: "must be at most 399 days before to"},
		"--until must be after --from": {Path: []string{"to"}, Message: "must be after from"},
		"--after is no id of an event; 'crier events --json' shows the ids": {Path: []string{"after"},
			Message: "is no id of an event; use nextCursor of an earlier answer as it is"},
		"--variant names no network": {Path: []string{"postInput", "variants", "x"},
			Message: "names no network"},
		"the post needs a picture (--media)": {Path: []string{"assetIds"}, Message: "needs a picture"},
		"something.else is wrong":            {Path: []string{"something", "else"}, Message: "is wrong"},
		"give either --at or --next-slot":    {Message: "give either scheduledAt or useNextSlot: true, not both"},
		"It is over. Add --again to publish it again.": {Path: []string{"postInput"},
			Message: "It is over. Send allowRepublish: true to publish it again."},
	} {
		if got := inWords(issue); got != want {
			t.Errorf("%+v is told as %q, want %q", issue, got, want)
		}
	}
	refused := &client.Error{Kind: crier.KindInvalid, Message: "wrong", Issues: []crier.Issue{
		{Path: []string{"hour"}, Message: "is wrong"}, {Path: []string{"minute"}, Message: "is wrong"},
		{Path: []string{"url"}, Message: "is\x1b[31m wrong"}}}
	if got := ErrorText(fmt.Errorf("add a slot: %w",
		refused)); got != "add a slot: the time is wrong\nthe address is\ufffd[31m wrong" {
		t.Errorf("told %q", got)
	}
	if got := reasons(crier.EntryError{Message: "Connect it again."}); !strings.Contains(got,
		"'crier accounts connect'") {
		t.Errorf("told %q", got)
	}
	for want, e := range map[string]error{
		"no account accepts the post, so nothing was stored:\na": &partialError{refused: []string{"a"}, total: 1,
			untried: true, undone: "stored"},
		"no account accepted the post:\na": &partialError{refused: []string{"a"}, total: 1},
		"1 of 2 accounts would reject the post:\na": &partialError{refused: []string{"a"}, total: 2,
			untried: true},
		"1 of 2 accounts did not accept the post:\na":              &partialError{refused: []string{"a"}, total: 2},
		"1 of 3 files was not uploaded: a":                         &uploadsError{failed: []string{"a"}, total: 3},
		"2 of 3 files were not uploaded: a, b":                     &uploadsError{failed: []string{"a", "b"}, total: 3},
		"this costs 3 credits and 1 are free; nothing was changed": &costError{cost: 3, free: 1},
	} {
		if e.Error() != want {
			t.Errorf("told %q, want %q", e.Error(), want)
		}
	}
}

func TestFormatSizes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1.0 KiB",
		1536: "1.5 KiB", 5 << 20: "5.0 MiB", 3 << 30: "3.0 GiB", 1<<20 - 1: "1.0 MiB", 1<<20 - 51: "1.0 MiB",
		1<<20 - 52: "1023.9 KiB", 1<<30 - 1: "1.0 GiB", 5 << 40: "5120.0 GiB"} {
		if got := byteSize(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestFileTypeFromNameOrContent(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, c := range map[string]struct{ data, want string }{
		"photo.jpg": {"anything", "image/jpeg"}, "photo.PNG": {"", "image/png"}, "page.html": {"", "text/html"},
		"without": {"\x89PNG\r\n\x1a\n", "image/png"}, "nothing": {"", "text/plain"},
		"strange.zzz": {"GIF89a", "image/gif"},
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := strings.Cut(typeOf(file), ";"); got != c.want {
			t.Errorf("%s is %q, want %q", name, got, c.want)
		}
		_ = file.Close()
	}
}

func TestUnreadableFilesAreFoundBeforeUploading(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	good := filepath.Join(folder, "good.png")
	if err := os.WriteFile(good, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := readable([]string{good}); err != nil {
		t.Error(err)
	}
	for wantText, name := range map[string]string{"no such file": filepath.Join(folder, "x.png"),
		"is a directory": folder} {
		if err := readable([]string{good, name}); err == nil || ExitCode(err) != exitUsage ||
			!strings.Contains(err.Error(), wantText) || strings.Count(err.Error(), folder) > 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEquivalentServerURLs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"https://crier.example", "https://crier.example:443/", true},
		{"http://crier.example", "http://crier.example:80", true},
		{"http://localhost:8080", "http://127.0.0.1:8080/app", true},
		{"http://[::1]:8080", "http://localhost:8080", true},
		{"https://crier.example", "http://crier.example", false},
		{"https://crier.example", "https://other.example", false},
		{"https://crier.example:8443", "https://crier.example", false},
		{"", "", false}, {"nonsense", "nonsense", false}, {"http://[", "http://[", false},
	} {
		if SameServer(c.a, c.b) != c.same || SameServer(c.b, c.a) != c.same {
			t.Errorf("%q and %q: %v", c.a, c.b, !c.same)
		}
	}
}

func TestClockSkewIsReported(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	for skew, ok := range map[time.Duration]bool{0: true, MaxClockSkew: true, -MaxClockSkew: true,
		MaxClockSkew + 1: false, -MaxClockSkew - 1: false, time.Hour: false} {
		f := ClockFinding(now.Add(skew), now)
		if f.OK != ok || (f.Advice == "") != ok {
			t.Errorf("%v: %+v", skew, f)
		}
	}
}
