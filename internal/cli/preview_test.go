package cli

import (
	"strings"
	"testing"

	"crier"
)

func TestBlockedPublicationsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := &Shell{stderr: &out}
	s.reportErrors(crier.ScheduleResult{Data: []crier.ScheduleEntry{
		{ScheduledPost: &crier.ScheduledPost{Status: crier.Published}},
		{ScheduledPost: &crier.ScheduledPost{Status: crier.Scheduled, ErrorMessage: "Session has expired."}},
		{Error: &crier.EntryError{}},
	}}, []crier.SocialAccount{{}, {Provider: "facebook", DisplayName: "Acme Page"}, {}})
	if got := out.String(); got != "  Facebook Acme Page: Session has expired.\n" {
		t.Errorf("told %q", got)
	}
}

func TestPreviewWrapsLongText(t *testing.T) {
	t.Parallel()
	post := preview{plan: outgoing{accounts: []crier.SocialAccount{
		{Provider: "instagram", DisplayName: "Amber Harbor Gallery", Sandbox: true},
		{Provider: "x", DisplayName: "Amber Harbor News", Sandbox: true},
	}}, found: crier.ValidationResult{Data: []crier.ValidationEntry{
		{Error: &crier.EntryError{Message: "the picture is too large"}},
		{CreditCost: 15, Texts: []crier.TextMeasure{{Count: 36, Max: 280}}},
	}}}
	for _, c := range []struct {
		fits int
		want string
	}{
		{0, "  refused  Instagram Amber Harbor Gallery  the picture is too large\n" +
			"  ok       X Amber Harbor News             15 credits  36/280\n"},
		{40, "  refused  Instagram Amber Harbor\n" +
			"           Gallery\n" +
			"           the picture is too large\n" +
			"  ok       X Amber Harbor News\n" +
			"           15 credits, 36/280\n"},
	} {
		var out strings.Builder
		if err := post.writeAccounts(&out, c.fits); err != nil || out.String() != c.want {
			t.Errorf("in %d columns: %v\n%s\nwant\n%s", c.fits, err, out.String(), c.want)
		}
	}
}
