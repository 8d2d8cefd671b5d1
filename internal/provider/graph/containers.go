package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/internal/provider"
)

// Whole is the index in State.Uploads of the container that is published; the others are items of a carousel.
const Whole = -1

// Steps of a container.
const (
	stepNew        = ""
	stepProcessing = "processing" // created; the network is processing it
	stepSettling   = "settling"   // finished a moment ago
	stepReady      = "ready"
)

// The networks' statuses of a container.
const (
	InProgress = "IN_PROGRESS"
	Finished   = "FINISHED"
	Published  = "PUBLISHED"
	Failed     = "ERROR"
	Expired    = "EXPIRED"
)

const (
	// containerLifetime is how long a container can be published.
	containerLifetime = 24 * time.Hour
	// expiryMargin is the minimum remaining lifetime of a usable container.
	expiryMargin = 10 * time.Minute
	// maxRefusals is how often a container that the network does not find is tried before a new one is created.
	maxRefusals = 3
	// maxRedone is the maximum number of new containers of a publication.
	maxRedone = 2
)

// noteRefusals counts how often the network did not find the container to publish.
const noteRefusals = "containerRefusals"

// ContainerStatus is the status of a container.
type ContainerStatus struct {
	// Word is one of the statuses above.
	Word string
	// Reason is why it failed.
	Reason string
}

// Containers prepares the posts of a network that publishes from containers: the items of a carousel first, then the
// container that is published, each polled until the network has processed it. Containers are not public, so recreating
// one does no harm; each can be published once, which prevents duplicate posts.
type Containers struct {
	// Network is its display name.
	Network string
	// Create creates the container of an item of the next part, or of Whole.
	Create func(ctx context.Context, a provider.Account, c provider.Content, st provider.State, media int) (id string,
		err error)
	// Read reads the status of a container.
	Read func(ctx context.Context, a provider.Account, id string) (ContainerStatus, error)
	// Explain returns the error for a failed container.
	Explain func(ContainerStatus) *provider.Error
	Now     func() time.Time
	// Settle is how long to wait after a container is finished, because the network may not know it everywhere at once.
	Settle time.Duration
	// Patience is how long the network may process a container before an error is reported.
	Patience time.Duration
	// RefusalPause is how long to wait before retrying a container that the network does not find.
	RefusalPause time.Duration
}

// Prepare does the next step for the next part; done is true when its container can be published.
func (k Containers) Prepare(ctx context.Context, a provider.Account, c provider.Content, st *provider.State) (done bool,
	err error) {
	part := st.NextPart()
	k.forgetExpired(st, part)
	items := itemsOf(c.Parts[part])
	for _, media := range items {
		if entry(st, part, media).Step == stepNew {
			return false, k.create(ctx, a, c, st, media, media == items[len(items)-1])
		}
	}
	for _, media := range items {
		if entry(st, part, media).Step != stepReady {
			return false, k.look(ctx, a, c, st, media)
		}
	}
	whole := entry(st, part, Whole)
	switch {
	case whole.Step == stepNew:
		return false, k.create(ctx, a, c, st, Whole, true)
	case whole.Step == stepProcessing:
		return false, k.look(ctx, a, c, st, Whole)
	case whole.Step == stepSettling && k.Now().Before(st.NextPollAfter):
		return false, nil
	}
	whole.Step = stepReady
	st.StopWaiting()
	return true, nil
}

// itemsOf returns the indexes of the media that need their own container.
func itemsOf(p provider.Part) []int {
	var items []int
	if len(p.Media) > 1 {
		for i := range p.Media {
			items = append(items, i)
		}
	}
	return items
}

// Items returns the containers of a carousel's items.
func Items(c provider.Content, st provider.State) []string {
	var ids []string
	for _, media := range itemsOf(c.Parts[st.NextPart()]) {
		if u := st.Upload(st.NextPart(), media); u != nil {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// entry returns the entry of a container, creating it if it is missing.
func entry(st *provider.State, part, media int) *provider.Upload {
	if u := st.Upload(part, media); u != nil {
		return u
	}
	st.Uploads = append(st.Uploads, provider.Upload{Part: part, Media: media})
	return &st.Uploads[len(st.Uploads)-1]
}

func (k Containers) forgetExpired(st *provider.State, part int) {
	for i := range st.Uploads {
		u := &st.Uploads[i]
		if u.Part == part && !u.ExpiresAt.IsZero() && k.Now().Add(expiryMargin).After(u.ExpiresAt) {
			forget(st, part)
			return
		}
	}
}

// forget drops the containers of a part, to recreate them. The number of restarts is kept.
func forget(st *provider.State, part int) {
	for i := range st.Uploads {
		if u := &st.Uploads[i]; u.Part == part {
			*u = provider.Upload{Part: part, Media: u.Media, Redone: u.Redone}
		}
	}
	delete(st.Data, noteRefusals)
	st.ContainerID, st.ProviderStatus, st.Ready = "", "", false
	st.StopWaiting()
}

// create creates one container. The network fetches the media meanwhile, so some of its errors are about them.
func (k Containers) create(ctx context.Context, a provider.Account, c provider.Content, st *provider.State, media int,
	last bool) error {
	id, err := k.Create(ctx, a, c, *st, media)
	u := entry(st, st.NextPart(), media)
	if err != nil {
		return k.anew(u, provider.AsError(err))
	}
	now := k.Now().UTC()
	u.ID, u.Step, u.ExpiresAt = id, stepProcessing, now.Add(containerLifetime)
	if media == Whole {
		st.ContainerID, st.ProviderStatus = id, InProgress
	}
	if last {
		st.StopWaiting()
		k.wait(c, st, media)
	}
	return nil
}

// anew returns the error of a failed container. Where a new one may help, only the second failure is final.
func (k Containers) anew(u *provider.Upload, failure *provider.Error) *provider.Error {
	if !errors.Is(failure, ErrTryAnew) {
		return failure
	}
	if u.Redone++; u.Redone > 1 {
		failure.Kind = provider.Rejected
	}
	return failure
}

// look reads the status of a container.
func (k Containers) look(ctx context.Context, a provider.Account, c provider.Content, st *provider.State,
	media int) error {
	u := entry(st, st.NextPart(), media)
	status, err := k.Read(ctx, a, u.ID)
	if failure := provider.AsError(err); failure != nil {
		return k.unread(st, u, failure)
	}
	if media == Whole {
		st.ProviderStatus = status.Word
	}
	switch status.Word {
	case Finished, Published:
		// It was published without crier's knowledge: publishing it again is rejected, and that reveals it.
		k.finish(st, u)
	case Failed:
		return k.failed(st, u, status)
	case Expired:
		forget(st, u.Part)
	default:
		return k.waitOn(c, st, media)
	}
	return nil
}

// unread handles a status that could not be read. It is read again, unless the network does not know the container:
// then another one is created. One that an earlier attempt may have published is kept: publishing it is refused if it
// was, and that reveals it.
func (k Containers) unread(st *provider.State, u *provider.Upload, failure *provider.Error) error {
	lost := IsMissing(failure)
	switch {
	case !lost && !IsUnknownContainer(failure):
		if failure.Kind == provider.Rejected && failure.Scope == provider.ScopePost { // which only the reading was
			return k.again(failure)
		}
		return failure
	case u.Media == Whole && k.mayBePublished(st):
		u.Step = stepReady
		return nil
	case lost:
		forget(st, u.Part)
		return &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: k.Network + " has lost the container; a new one is made", Err: failure}
	}
	return k.unknown(st, failure)
}

func (k Containers) finish(st *provider.State, u *provider.Upload) {
	st.StopWaiting()
	if u.Media != Whole || k.Settle == 0 {
		u.Step = stepReady
		return
	}
	u.Step = stepSettling
	now := k.Now().UTC()
	st.WaitUntil(now.Add(k.Settle), now, k.Network+" has finished the post")
}

func (k Containers) failed(st *provider.State, u *provider.Upload, status ContainerStatus) error {
	failure := k.Explain(status)
	st.FailureCode = status.Reason
	forget(st, u.Part)
	return k.anew(u, failure)
}

// waitOn continues waiting; after a long time it reports an error, and still keeps the container.
func (k Containers) waitOn(c provider.Content, st *provider.State, media int) error {
	waited := k.waited(st)
	k.wait(c, st, media)
	if waited < k.Patience {
		return nil
	}
	return &provider.Error{
		Kind: provider.Temporary, Code: provider.CodeProviderUnavailable, RetryAfter: time.Minute,
		Message: fmt.Sprintf("%s has been working on the media for %s", k.Network, waited.Round(time.Second)),
	}
}

// wait schedules the next check, with a growing pause: seconds for images, up to a minute for videos.
func (k Containers) wait(c provider.Content, st *provider.State, media int) {
	least, most := time.Second, 10*time.Second
	if slow(c.Parts[st.NextPart()], media) {
		least, most = 3*time.Second, time.Minute
	}
	now := k.Now().UTC()
	st.WaitUntil(now.Add(min(max(k.waited(st)/2, least), most)), now, k.Network+" is processing the post")
}

func (k Containers) waited(st *provider.State) time.Duration {
	if st.PollingSince.IsZero() {
		return 0
	}
	return k.Now().Sub(st.PollingSince)
}

// slow reports whether a container has a video. The container of a carousel consists of finished ones.
func slow(p provider.Part, media int) bool {
	isVideo := func(m provider.Media) bool { return strings.HasPrefix(m.MIMEType, "video/") }
	if len(p.Media) > 1 && media == Whole {
		return false
	}
	return slices.ContainsFunc(p.Media, isVideo)
}

// Publishable returns the container of the next part, once it is ready.
func Publishable(st provider.State) (string, error) {
	u := st.Upload(st.NextPart(), Whole)
	if u == nil || u.Step != stepReady {
		return "", &provider.Error{Kind: provider.Temporary, Code: provider.CodeProviderUnavailable,
			Message: "the container is not ready yet"}
	}
	return u.ID, nil
}

// Refused decides what to do with the container after the network refused to publish it.
func (k Containers) Refused(st *provider.State, failure *provider.Error) *provider.Error {
	part := st.NextPart()
	switch {
	case errors.Is(failure, ErrNotReady):
		entry(st, part, Whole).Step = stepProcessing
		st.Ready = false
		return k.again(failure)
	case errors.Is(failure, ErrExpired) && k.mayBePublished(st):
		return k.doubted(failure)
	case errors.Is(failure, ErrExpired):
		forget(st, part)
		return k.again(failure)
	case errors.Is(failure, ErrUnknownContainer):
		return k.unknown(st, failure)
	case failure.Kind == provider.Rejected && failure.Code == provider.CodeContentRejected && k.mayBePublished(st):
		count(st)
		return k.doubted(failure)
	}
	return failure
}

// again turns a rejection into a temporary error.
func (k Containers) again(failure *provider.Error) *provider.Error {
	failure.Kind, failure.Code, failure.RetryAfter = provider.Temporary, provider.CodeProviderUnavailable,
		k.RefusalPause
	return failure
}

// doubted turns a rejection into an unknown outcome.
func (k Containers) doubted(failure *provider.Error) *provider.Error {
	failure.Kind, failure.Code, failure.RetryAfter = provider.OutcomeUnknown, provider.CodeOutcomeUnknown, 0
	failure.Message = k.Network + " does not publish the container: an earlier attempt may have done so (" +
		failure.Message + ")"
	return failure
}

// mayBePublished reports whether an earlier attempt had an unknown outcome: the response to a container that was
// already published is not documented. It is false once new containers were created and rejected as well.
func (k Containers) mayBePublished(st *provider.State) bool {
	return (IsSuspect(*st) || st.ProviderStatus == Published) && entry(st, st.NextPart(), Whole).Redone < maxRedone
}

// count counts another refusal of the container and returns the total.
func count(st *provider.State) int {
	refusals, _ := strconv.Atoi(st.Data[noteRefusals]) // absent means none
	st.Note(noteRefusals, strconv.Itoa(refusals+1))
	return refusals + 1
}

// unknown handles a container that the network does not find: it may need a moment, or a new one is needed. After an
// attempt with an unknown outcome it may also mean that this attempt succeeded, so that is checked first.
func (k Containers) unknown(st *provider.State, failure *provider.Error) *provider.Error {
	refusals, whole := count(st), entry(st, st.NextPart(), Whole)
	failure = k.again(failure)
	switch {
	case k.mayBePublished(st):
		return k.doubted(failure)
	case refusals < maxRefusals:
		return failure
	case whole.Redone >= maxRedone:
		failure.Kind = provider.Rejected
	default:
		whole.Redone++
		forget(st, st.NextPart())
	}
	return failure
}
