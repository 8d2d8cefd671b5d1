package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTablesFitTheScreenAndKeepIDsWhole(t *testing.T) {
	t.Parallel()
	const id = "019a1e8a-3ed9-781a-b44f-6b779af24d21"
	table := "ID\tSTATE\tTEXT\tACCOUNTS\n" +
		id + "\tdraft\tA text that goes on and on and on\ton three networks\n" +
		id + "\tpublished\t東京タワーから見える富士山\tx\n" +
		"more: crier posts --cursor of-any-length-at-all-because-it-is-to-be-copied-as-a-whole-by-the-person\n"
	for _, c := range []struct {
		width int
		want  string
	}{
		{0, "ID                                    STATE      TEXT                               ACCOUNTS\n" +
			id + "  draft      A text that goes on and on and on  on three networks\n" +
			id + "  published  東京タワーから見える富士山         x\n"},
		{72, "ID                                    STATE      TEXT        ACCOUNTS\n" +
			id + "  draft      A text th…  on three n…\n" +
			id + "  published  東京タワ …  x\n"},
		{60, "STATE      TEXT                            ACCOUNTS\n" +
			"draft      A text that goes on and on an…  on three networks\n" +
			"  ID  " + id + "\n" +
			"published  東京タワーから見える富士山      x\n" +
			"  ID  " + id + "\n"},
		{40, "STATE      TEXT           ACCOUNTS\n" +
			"draft      A text that …  on three netw…\n" +
			"  ID  " + id + "\n" +
			"published  東京タワーか…  x\n" +
			"  ID  " + id + "\n"},
	} {
		var out strings.Builder
		if err := writeColumns(&out, table, c.width); err != nil {
			t.Fatal(err)
		}
		got, more, _ := strings.Cut(out.String(), "more: ")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d wide (-want +got):\n%s", c.width, diff)
		}
		if !strings.HasSuffix(more, "by-the-person\n") {
			t.Errorf("the line behind the table was cut: %q", more)
		}
	}
}

func TestTimesAndLinksAreTruncatedLast(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ table, want string }{
		"a text before a time": {"TIME\tTEXT\nThu 19 Nov 2026 18:00 CET\tA text that goes on and on and on\n",
			"TIME                       TEXT\nThu 19 Nov 2026 18:00 CET  A text that …\n"},
		"a time without a year": {"TIME\tTEXT\nThu 19 Nov 18:00\tA text that goes on and on and on\n",
			"TIME              TEXT\nThu 19 Nov 18:00  A text that goes on a…\n"},
		"a link below a time": {"TIME\tLATE\tLINK\tPOST\n" +
			"Thu 19 Nov 2026 18:00 CET\t2 ms\thttps://x.example/acme/1\t019a1e8a-3ed9-781a-b44f-6b779af24d21\n" +
			"Thu 19 Nov 2026 19:00 CET\t–\t–\t019a1e8a-3ed9-781a-b44f-6b779af24d22\n",
			"TIME                       LATE\n" +
				"Thu 19 Nov 2026 18:00 CET  2 ms\n" +
				"  LINK  https://x.example/acme/1\n" +
				"  POST  019a1e8a-3ed9-781a-b44f-6b779af24d21\n" +
				"Thu 19 Nov 2026 19:00 CET  –\n" +
				"  POST  019a1e8a-3ed9-781a-b44f-6b779af24d22\n"},
		"what has no header stays whole": {"Title\tA title that is longer than the screen is wide\nPost\tx\n",
			"Title  A title that is longer than the screen is wide\nPost   x\n"},
	} {
		var out strings.Builder
		if err := writeColumns(&out, c.table, 40); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTrailingCellDoesNotWidenColumns(t *testing.T) {
	t.Parallel()
	const table = "ok\tX\t15 credits\t12/280\n" +
		"refused\tTikTok\tTikTok has no threads: only a single post can be published\n"
	var out strings.Builder
	if err := writeColumns(&out, table, 0); err != nil {
		t.Fatal(err)
	}
	want := "ok       X       15 credits  12/280\n" +
		"refused  TikTok  TikTok has no threads: only a single post can be published\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSettingNamesAreNotTruncated(t *testing.T) {
	t.Parallel()
	table := "NETWORK\tSETTING\tVALUE\tMEANING\n" +
		"TikTok\ttiktokVideoCoverTimestampMs\tinteger\tThe moment of the video that is its cover\n"
	var out strings.Builder
	err := writeColumns(&out, table, 60)
	if err != nil || !strings.Contains(out.String(), "tiktokVideoCoverTimestampMs") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
