package tiktok

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"crier/internal/provider"
)

const statusPath = "/v2/post/publish/status/fetch/"

// Statuses of a post.
const (
	statusUploading = "PROCESSING_UPLOAD"
	statusInbox     = "SEND_TO_USER_INBOX"
	statusComplete  = "PUBLISH_COMPLETE"
	statusFailed    = "FAILED"
)

const (
	processingReason = "TikTok is processing the post"
	idReason         = "TikTok has published the post and will tell its id after moderation"
	restartReason    = "TikTok failed with the post, and it begins anew"
	// noteTries counts the failed readings of a post's status or id.
	noteTries = "tries"
	maxTries  = 4
	// retryDelay is the pause after the first refused reading of the status; it doubles.
	retryDelay = 5 * time.Second
	// restartDelay is the pause before a post is restarted.
	restartDelay = 20 * time.Second
	longestDelay = 10 * time.Minute
)

func (p *Provider) readStatus(ctx context.Context, a provider.Account, st provider.State) (statusAnswer, error) {
	var status statusAnswer
	err := p.read(ctx, a, statusPath, statusRequest{PublishID: st.PublishID}, &status)
	return status, err
}

// taken reports whether TikTok has all bytes: it will post them, has done so, or has failed.
func (s statusAnswer) taken(size int64) bool {
	return s.Status != statusUploading || s.UploadedBytes >= size
}

// pollDelay grows with the elapsed time: most posts take seconds, a few take hours, and 30 readings per minute are
// allowed.
func pollDelay(waited time.Duration) time.Duration {
	return min(max(2*time.Second, waited/4), longestDelay)
}

// follow reads the status.
func (p *Provider) follow(ctx context.Context, a provider.Account, c provider.Content,
	st provider.State) (provider.State, error) {
	plan, err := p.newPlan(c)
	if err != nil {
		return st, err
	}
	status, err := p.readStatus(ctx, a, st)
	if err != nil {
		return p.afterReading(st, provider.AsError(err))
	}
	delete(st.Data, noteTries)
	st.ProviderStatus = status.Status
	switch status.Status {
	case statusFailed:
		st.FailureCode = status.FailReason
		return p.afterFailure(st, status.FailReason)
	case statusInbox:
		st.Warnings = append(st.Warnings,
			"the post waits in the inbox of the account's TikTok app, where a person has to finish it")
		p.enter(&st, a, plan, "")
		finish(&st)
		return st, nil
	case statusComplete:
		p.enter(&st, a, plan, status.postID())
		p.awaitID(&st, plan)
		return st, nil
	}
	return p.waitOn(st)
}

// waitOn continues polling until the patience ends.
func (p *Provider) waitOn(st provider.State) (provider.State, error) {
	now := p.now().UTC()
	waited := now.Sub(st.PollingSince)
	if waited > p.limits.ProcessingPatience {
		return st, &provider.Error{
			Kind: provider.OutcomeUnknown, Code: provider.CodeOutcomeUnknown,
			Message: fmt.Sprintf("TikTok was still working on the post after %s; look into the app before it is "+
				"posted again", p.limits.ProcessingPatience),
		}
	}
	st.WaitUntil(now.Add(pollDelay(waited)), now, processingReason)
	return st, nil
}

// enter records that the post is published, and its id once it is known.
func (p *Provider) enter(st *provider.State, a provider.Account, plan plan, id string) {
	if !st.Done {
		st.Publish(provider.Published{PublishedAt: p.now().UTC()}, 1)
	}
	if id != "" {
		st.PlatformPostID = id
		st.Published[0].PlatformPostID, st.Published[0].Permalink = id, p.permalink(a, *st, plan, id)
	}
}

// awaitID keeps polling for the id of a public post; others never get one.
func (p *Provider) awaitID(st *provider.State, plan plan) {
	now := p.now().UTC()
	if st.PlatformPostID != "" || plan.PrivacyLevel != privacyPublic {
		finish(st)
		return
	}
	if st.PollingReason == idReason && now.Sub(st.PollingSince) > p.limits.PostIDPatience {
		st.Warnings = append(st.Warnings, fmt.Sprintf("TikTok published the post without telling its id within %s",
			p.limits.PostIDPatience))
		finish(st)
		return
	}
	waited := time.Duration(0)
	if st.PollingReason == idReason {
		waited = now.Sub(st.PollingSince)
	}
	st.WaitUntil(now.Add(pollDelay(waited)), now, idReason)
}

func finish(st *provider.State) {
	st.StopWaiting()
	st.RequiresPolling = false
	for _, key := range []string{noteCreator, noteTries, noteRedone} {
		delete(st.Data, key)
	}
}

// permalink needs the account's name; without it there is none.
func (p *Provider) permalink(a provider.Account, st provider.State, plan plan, id string) string {
	name := strings.TrimPrefix(cmp.Or(notedCreator(st).Username, a.Handle), "@")
	if name == "" {
		return ""
	}
	kind := "video"
	if len(plan.photos) > 0 {
		kind = "photo"
	}
	return p.consentURL + "/@" + url.PathEscape(name) + "/" + kind + "/" + id
}

// afterReading handles a status that could not be read. If the post is already published, only its id is missing: that
// is no reason to wait indefinitely, or to fail the post.
func (p *Provider) afterReading(st provider.State, failure *provider.Error) (provider.State, error) {
	if !st.Done {
		return p.afterRefusedReading(st, failure)
	}
	tries, _ := strconv.Atoi(st.Data[noteTries]) // written by this package
	renewable := failure.Kind == provider.AuthExpired && failure.Code == provider.CodeAuthExpired && tries == 0
	transient := failure.Kind == provider.Temporary || failure.Kind == provider.RateLimited
	if tries < maxTries && (renewable || transient) {
		st.Note(noteTries, strconv.Itoa(tries+1))
		return st, failure
	}
	st.Warnings = append(st.Warnings, "TikTok published the post, but its id could not be read: "+failure.Message)
	finish(&st)
	return st, nil
}

// afterRefusedReading handles the status of an accepted post that TikTok refuses to tell, as if it did not know the
// post. It may know it a moment later. The refusal is about the reading: the post may be public, so it has not failed.
func (p *Provider) afterRefusedReading(st provider.State, failure *provider.Error) (provider.State, error) {
	if failure.Kind != provider.Rejected && failure.Kind != provider.OutcomeUnknown {
		return st, failure
	}
	if tries, _ := strconv.Atoi(st.Data[noteTries]); tries < maxTries { // written by this package
		st.Note(noteTries, strconv.Itoa(tries+1))
		st.NextPollAfter = p.now().UTC().Add(retryDelay << tries)
		return st, nil
	}
	failure.Kind, failure.Code, failure.Scope = provider.OutcomeUnknown, provider.CodeOutcomeUnknown, provider.ScopePost
	failure.Message = "TikTok accepted the post and does not tell what became of it; look into the app before it is " +
		"posted again: " + failure.Message
	return st, failure
}

// afterFailure restarts a post where that may help. TikTok's failure is final, so nothing can be posted twice.
func (p *Provider) afterFailure(st provider.State, reason string) (provider.State, error) {
	redone, _ := strconv.Atoi(st.Data[noteRedone]) // written by this package
	if !passing[reason] || redone >= maxRedone {
		return st, judgeFailure(reason)
	}
	st.PublishID, st.Uploads, st.UploadProgress = "", nil, nil
	for _, key := range []string{noteCreator, noteCreatorAt, noteTaken} {
		delete(st.Data, key)
	}
	delete(st.Secrets, secretUpload)
	st.Note(noteRedone, strconv.Itoa(redone+1))
	st.Ready, st.RequiresPolling = false, false
	now := p.now().UTC()
	st.WaitUntil(now.Add(restartDelay), now, restartReason)
	return st, nil
}
