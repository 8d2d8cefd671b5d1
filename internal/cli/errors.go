package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"crier"
	"crier/client"
)

// usageError is a mistake in the command line.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// usagef returns a usage error.
func usagef(format string, args ...any) error { return &usageError{text: fmt.Sprintf(format, args...)} }

// Usagef returns a usage error; the program exits with 2.
func Usagef(format string, args ...any) error { return usagef(format, args...) }

// missingError means that nothing has the given name.
type missingError struct{ text string }

func (e *missingError) Error() string { return e.text }

// costError means that there are not enough credits.
type costError struct{ cost, free int64 }

func (e *costError) Error() string {
	return fmt.Sprintf("this costs %d credits and %d are free; nothing was changed", e.cost, e.free)
}

// partialError means that some accounts accept a post and others do not.
type partialError struct {
	refused []string // account and reason, a line each
	total   int
	untried bool   // found by a dry run
	undone  string // what a dry run kept from happening: stored, scheduled or published
}

func (e *partialError) Error() string {
	lines := strings.Join(e.refused, "\n")
	some := fmt.Sprintf("%d of %s", len(e.refused), counted(e.total, "account"))
	switch all := len(e.refused) == e.total; {
	case all && e.untried:
		return "no account accepts the post, so nothing was " + e.undone + ":\n" + lines
	case all:
		return "no account accepted the post:\n" + lines
	case e.untried:
		return some + " would reject the post:\n" + lines
	}
	return some + " did not accept the post:\n" + lines
}

// shellWords translates terms of the API into those of the shell.
var shellWords = strings.NewReplacer(
	"Send allowRepublish: true to publish it again.", "Add --again to publish it again.",
	"give either scheduledAt or useNextSlot: true, not both", "give either --at or --next-slot",
	"give either scheduledAt or useNextSlot: true", "give either --at or --next-slot",
	"allowRepublish: true", "--again",
	"useNextSlot: true", "--next-slot",
	"give recurrenceIntervalDays too", "give --repeat too",
	"must be before to", "must be before --until",
	"must not be after to", "must not be after --until",
	"days before to", "days before --until",
	"must be after from", "must be after --from",
	"; use nextCursor of an earlier answer as it is", "; 'crier events --json' shows the ids",
	"The caller does not have access to this team.", "You have no access to this team.",
	"The caller does not belong to this organization.", "You are not in this organization.",
	"The caller does not belong to the organization of this", "You are not in the organization of this",
	"GET /v1/providers lists them", "'crier networks' lists them",
	"; GET …/events lists them in its description", "; TAB after --types lists them",
	"; use nextCursor or prevCursor of an earlier answer", "; take it from the line 'more: …' of a list",
	"This team publishes approved posts only,", "This team publishes approved posts only ('crier posts status POST "+
		"approved' approves one),",
	"Connect it again.", "Connect it again with 'crier accounts connect'.",
	"PATCH it with {\"status\": \"enabled\"}.", "crier webhooks enable WEBHOOK",
	"Enable it first.", "Enable it first with 'crier accounts enable'.",
	"send postInput with the thread, or", "give the whole thread with --thread, or",
	": send postInput", ": give the whole thread with --thread",
	"scheduledAt", "--at",
	"recurrenceIntervalDays", "--repeat",
	"recurrenceEndsAt", "--until",
	"socialAccountIds", "--to",
	"platformSettings.", "--set ",
)

// fieldFlags are the flags that set fields of a request.
var fieldFlags = map[string]string{
	"scheduledAt": "--at", "useNextSlot": "--next-slot", "socialAccountIds": "--to", "firstComment": "--first-comment",
	"recurrenceIntervalDays": "--repeat", "recurrenceEndsAt": "--until", "assetIds": "--media",
	"graceSeconds": "--grace",
	"waitSeconds":  "--wait", "q": "--search", "daysOfWeek": "--days", "teamIds": "--teams", "expiresAt": "--expires",
	"publishLateMinutes": "--late", "requireApproval": "--require-approval", "altText": "--alt",
	"hour": "the time", "minute": "the time", "url": "the address", "email": "the e-mail address",
	"provider": "--network",
	"limit":    "--limit", "cursor": "--cursor", "types": "--types", "role": "--role", "permissions": "--permissions",
	"timezone": "--timezone", "website": "--website", "label": "--label", "colour": "--colour", "from": "--from",
	"to": "--until", "after": "--after", "title": "--title", "postType": "--media", "status": "--status",
	"sortBy": "--sort", "metric": "--metric", "interval": "--interval", "groupBy": "--by", "basis": "--basis",
	"deliveryState": "--state", "action": "--action", "tagIds": "the tags", "fileName": "the name of the file",
	"mimeType": "the type of the file", "outcome": "--outcome", "platformPostId": "--platform-post-id",
}

// field returns the shell's name for a path in a request.
func field(path []string) string {
	if len(path) == 0 {
		return ""
	}
	if len(path) > 1 && strings.HasPrefix(path[0], "platformSettings") {
		return "--set " + path[len(path)-1]
	}
	if path[0] == "postInput" {
		return contentField(path[1:])
	}
	if len(path) > 1 && (path[0] == "recurrence" || path[0] == "postPublishActions") {
		return field(path[1:])
	}
	if flag, ok := fieldFlags[path[0]]; ok {
		return flag
	}
	return strings.Join(path, ".")
}

// contentField returns the shell's name for a path in the content of a post.
func contentField(path []string) string {
	name := "the text"
	switch {
	case slices.Contains(path, "attachments"):
		name = "--media"
	case len(path) > 0 && path[0] == "variants":
		name = "--variant"
	}
	if at := slices.Index(path, "posts"); at >= 0 && at+1 < len(path) {
		if n, err := strconv.Atoi(path[at+1]); err == nil {
			return fmt.Sprintf("%s of part %d", name, n+1)
		}
	}
	return name
}

// mediaHint names the flag that adds what a post lacks.
const mediaHint = " (--media)"

// inWords formats an issue for people.
func inWords(issue crier.Issue) string {
	if first, _ := utf8.DecodeRuneInString(issue.Message); unicode.IsUpper(first) { // a complete sentence
		return shellWords.Replace(issue.Message)
	}
	if name := field(issue.Path); name == "--media" && strings.HasPrefix(issue.Message, "needs ") {
		return "the post " + shellWords.Replace(issue.Message) + mediaHint
	}
	return strings.TrimPrefix(field(issue.Path)+" "+shellWords.Replace(issue.Message), " ")
}

// reasons returns why an account rejects a post: the broken rules, or only the message.
func reasons(e crier.EntryError) string {
	if len(e.Issues) == 0 {
		return shellWords.Replace(e.Message)
	}
	parts := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		parts[i] = inWords(issue)
	}
	return strings.Join(slices.Compact(parts), "; ")
}

// errorDetails returns an error response in the shell's terms.
func errorDetails(e *client.Error) string {
	if len(e.Issues) == 0 {
		return shellWords.Replace(e.Error())
	}
	parts := make([]string, len(e.Issues))
	for i, issue := range e.Issues {
		parts[i] = inWords(issue)
	}
	return strings.Join(slices.Compact(parts), "\n")
}
