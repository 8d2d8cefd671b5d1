package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"crier"
)

// preview is shown to a person before they agree.
type preview struct {
	content content
	plan    outgoing
	found   crier.ValidationResult
	stored  *crier.Post // nil if the post does not exist yet
}

// write shows the whole text of every part, media, actions, time, accounts with verdict, and cost.
func (p preview) write(s *Shell, out io.Writer) error {
	w := sanitizer{out}
	accounts := map[crier.ID]crier.SocialAccount{}
	for _, a := range p.plan.accounts {
		accounts[a.ID] = a
	}
	p.content.write(w, accounts)
	in := p.plan.in
	if in.FirstComment.HasValue() {
		fmt.Fprintf(w, "First comment\n%s", indented(in.FirstComment.Value.Text))
	}
	for _, key := range slices.Sorted(maps.Keys(in.PlatformSettings)) {
		fmt.Fprintf(w, "Setting   %s = %s\n", key, in.PlatformSettings[key])
	}
	fits := 0
	if Interactive(out) {
		fits = s.width()
	}
	fmt.Fprint(w, folded("When      ", p.when(s), fits))
	if in.RecurrenceIntervalDays.HasValue() {
		fmt.Fprintf(w, "Repeats   every %s%s\n", counted(in.RecurrenceIntervalDays.Value, "day"), p.end())
	}
	fmt.Fprintln(w, "Accounts")
	if err := p.writeAccounts(w, fits); err != nil {
		return err
	}
	if !slices.ContainsFunc(p.plan.accounts, func(a crier.SocialAccount) bool { return !a.Sandbox }) {
		fmt.Fprint(w, folded("Sandbox   ", "these accounts are simulated: nothing leaves the installation", fits))
	}
	_, err := fmt.Fprintf(w, "Cost      %d of your %d free credits\n", p.found.CreditCost, p.found.AvailableCredits)
	return err
}

// writeAccounts lists the accounts with their verdicts in columns; if these do not fit, the verdict is printed below
// the account.
func (p preview) writeAccounts(w io.Writer, fits int) error {
	var rows, columns, list strings.Builder
	for i, e := range p.found.Data {
		label := oneLine(accountLabel(p.plan.accounts[i]))
		verdict, details := "ok", fmt.Sprintf("%s\t%s", counted(int(e.CreditCost), "credit"), lengths(e.Texts))
		if e.Error != nil {
			verdict, details = "refused", oneLine(p.reasons(*e.Error))
		}
		fmt.Fprintf(&rows, "  %s\t%s\t%s\n", verdict, label, details)
		list.WriteString(folded("  "+pad(verdict, len("refused"))+"  ", label, fits))
		list.WriteString(folded("           ", strings.ReplaceAll(details, "\t", ", "), fits))
	}
	if err := writeColumns(&columns, rows.String(), 0); err != nil {
		return err
	}
	text := columns.String()
	if fits > 0 && slices.ContainsFunc(strings.Split(text, "\n"), func(l string) bool { return textWidth(l) > fits }) {
		text = list.String()
	}
	for i, e := range p.found.Data {
		for _, warning := range e.Warnings {
			text += folded("  note for ", accountLabel(p.plan.accounts[i])+": "+inWords(warning), fits)
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// folded wraps a text after a label to a width, if there is one. Words are not split.
func folded(label, text string, fits int) string {
	var out strings.Builder
	out.WriteString(label)
	margin := textWidth(label)
	at := margin
	for i, word := range strings.Fields(text) {
		switch wide := textWidth(word); {
		case i == 0:
			at += wide
		case fits > 0 && at+1+wide > fits:
			out.WriteString("\n" + strings.Repeat(" ", margin))
			at = margin + wide
		default:
			out.WriteString(" ")
			at += 1 + wide
		}
		out.WriteString(word)
	}
	return out.String() + "\n"
}

func (p preview) when(s *Shell) string {
	if p.plan.atOnce {
		return "at once, which cannot be taken back everywhere"
	}
	at := p.found.ScheduledAt
	if at == nil {
		at = p.plan.in.ScheduledAt
	}
	if at == nil {
		return "in the next free slot"
	}
	when := fmt.Sprintf("%s, in %s", local(*at), span(at.Sub(s.now())))
	if p.found.SlotAt != nil {
		when += " (the next free slot)"
	}
	return when
}

func (p preview) end() string {
	if end := p.plan.in.RecurrenceEndsAt; end.HasValue() {
		return " until " + local(end.Value)
	}
	return ", without an end"
}

// lengths returns the lengths of the parts as the network counts them, where there is a limit.
func lengths(texts []crier.TextMeasure) string {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = fmt.Sprintf("%d/%d", t.Count, t.Max)
	}
	return strings.Join(parts, " ")
}

// refused lists the accounts that reject the post, a line each.
func (p preview) refused() []string {
	var lines []string
	for i, e := range p.found.Data {
		if e.Error != nil {
			lines = append(lines, "  "+accountLabel(p.plan.accounts[i])+": "+p.reasons(*e.Error))
		}
	}
	return lines
}

// reasons returns why an account rejects the post. The commands for a stored post have no --media.
func (p preview) reasons(e crier.EntryError) string {
	if p.stored != nil {
		return strings.ReplaceAll(reasons(e), mediaHint, "")
	}
	return reasons(e)
}

// undone says what did not happen if no account accepts the post.
func (p preview) undone() string {
	switch {
	case p.stored == nil:
		return "stored"
	case p.plan.atOnce:
		return "published"
	}
	return "scheduled"
}

// problem returns an error if there is nothing to ask about.
func (p preview) problem() error {
	if refused := p.refused(); len(refused) == len(p.found.Data) {
		return &partialError{refused: refused, total: len(refused), untried: true, undone: p.undone()}
	}
	if !p.found.AffordableNow {
		return &costError{cost: p.found.CreditCost, free: p.found.AvailableCredits}
	}
	return nil
}

// question returns the question to confirm.
func (p preview) question() string {
	total, refused := len(p.found.Data), len(p.refused())
	verb := "Schedule this on "
	if p.plan.atOnce {
		verb = "Publish this now on "
	}
	if refused > 0 {
		return verb + fmt.Sprintf("%d of %s?", total-refused, counted(total, "account"))
	}
	return verb + counted(total, "account") + "?"
}

// write shows the text of every part and variant, and the media.
func (c content) write(w io.Writer, accounts map[crier.ID]crier.SocialAccount) {
	for i, p := range c.parts {
		switch {
		case len(c.parts) > 1:
			fmt.Fprintf(w, "Part %d of %d\n%s", i+1, len(c.parts), indented(p.text))
		case p.text != "":
			fmt.Fprintf(w, "Text\n%s", indented(p.text))
		}
		for _, m := range p.media {
			fmt.Fprintf(w, "Media     %s\n", m)
		}
		for _, a := range p.links {
			fmt.Fprintf(w, "Link      %s\n", a.Link.URL)
		}
	}
	for _, v := range c.variants {
		writeVariant(w, v, accounts)
	}
}

// writeVariant shows the variant of one network or account.
func writeVariant(w io.Writer, v crier.PostVariant, accounts map[crier.ID]crier.SocialAccount) {
	name := "another account"
	if v.Provider != nil {
		name = networkName(*v.Provider)
	} else if a, ok := accounts[*v.SocialAccountID]; ok {
		name = accountLabel(a)
	}
	if v.Text != nil {
		fmt.Fprintf(w, "Text on %s\n%s", oneLine(name), indented(*v.Text))
	}
	for i, p := range v.Posts {
		fmt.Fprintf(w, "Part %d of %d on %s\n%s", i+1, len(v.Posts), oneLine(name), indented(p.Text))
	}
	if v.Attachments != nil {
		fmt.Fprintf(w, "Media on %s: %s of its own\n", oneLine(name), counted(len(*v.Attachments), "attachment"))
	}
}

// indented returns a text as an indented block. Tabs would turn it into columns.
func indented(text string) string {
	text = strings.ReplaceAll(text, "\t", "    ")
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %s", n, plural(noun))
}

func plural(noun string) string {
	stem, ok := strings.CutSuffix(noun, "y")
	if ok && !strings.ContainsAny(stem[len(stem)-1:], "aeou") {
		return stem + "ies"
	}
	return noun + "s"
}
