package tiktok

import (
	"context"
	"slices"
	"strings"
	"time"

	"crier/internal/sandbox/mp4"
	"crier/internal/sandbox/sim"
)

// Reasons why a post failed after it was accepted.
const (
	failFormat       = "file_format_check_failed"
	failDuration     = "duration_check_failed"
	failPicture      = "picture_size_check_failed"
	failVideoPull    = "video_pull_failed"
	failPhotoPull    = "photo_pull_failed"
	failAuth         = "auth_removed"
	failTooManyPosts = "spam_risk_too_many_posts"
	failBanned       = "spam_risk_user_banned_from_posting"
	failText         = "spam_risk_text"
)

// task is one attempt to post, from its init to its end. Its number is the key of its row.
type task struct {
	Number    string    `json:"number"`
	ID        string    `json:"id"` // the publish_id
	AccountID string    `json:"account"`
	Inbox     bool      `json:"inbox,omitempty"`  // a draft, for the person to finish
	Photo     bool      `json:"photo,omitempty"`  // pictures instead of a video
	Pulled    bool      `json:"pulled,omitempty"` // TikTok fetches the files itself
	Info      postInfo  `json:"info"`
	StartedAt time.Time `json:"started"`

	// Sources are the URLs of the files to pull.
	Sources []string `json:"sources,omitempty"`
	// UploadToken, Size and ChunkSize belong to an uploaded file; Digest and Scan are the state of the upload.
	UploadToken string     `json:"uploadToken,omitempty"`
	Size        int64      `json:"size,omitempty"`
	ChunkSize   int64      `json:"chunkSize,omitempty"`
	Digest      sim.Digest `json:"digest"`
	Scan        mp4.Movie  `json:"scan"`

	// Media are the files, once all of them have arrived.
	Media []sim.Media `json:"media,omitempty"`
	// Duration is the duration of a video, if known.
	Duration time.Duration `json:"duration,omitempty"`
	// BegunAt is when all bytes had arrived and posting started: the point of no return.
	BegunAt time.Time `json:"begun,omitzero"`
	// Failure is the reason of a failure.
	Failure string `json:"failure,omitempty"`
	// PostID is set once the post is published.
	PostID string `json:"post,omitempty"`
}

// Statuses of a task.
const (
	statusUploading   = "PROCESSING_UPLOAD"
	statusDownloading = "PROCESSING_DOWNLOAD"
	statusInbox       = "SEND_TO_USER_INBOX"
	statusComplete    = "PUBLISH_COMPLETE"
	statusFailed      = "FAILED"
)

// status returns the status of the task: once it has started, it only needs time.
func (t task) status(now time.Time, processing time.Duration) string {
	switch {
	case !t.processed(now, processing) && t.Pulled:
		return statusDownloading
	case !t.processed(now, processing):
		return statusUploading
	case t.Failure != "":
		return statusFailed
	case t.Inbox:
		return statusInbox
	default:
		return statusComplete
	}
}

func (t task) processed(now time.Time, processing time.Duration) bool {
	return !t.BegunAt.IsZero() && !now.Before(t.BegunAt.Add(processing))
}

// revealed reports whether the post may be known to everybody: it is public, and moderation is finished.
func (t task) revealed(now time.Time, processing time.Duration) bool {
	return t.PostID != "" && t.Info.Privacy == privacyPublic && t.processed(now, 2*processing)
}

// text returns the caption as a timeline shows it.
func (t task) text() string {
	return strings.TrimSpace(t.Info.Title + "\n" + t.Info.Description)
}

// idPrefix returns the prefix of the publish_id, which identifies the kind of task.
func (t task) idPrefix() string {
	switch {
	case t.Photo && t.Inbox:
		return "p_inbox_url~v2."
	case t.Photo:
		return "p_pub_url~v2."
	case t.Inbox && t.Pulled:
		return "v_inbox_url~v2."
	case t.Inbox:
		return "v_inbox_file~v2."
	case t.Pulled:
		return "v_pub_url~v2."
	default:
		return "v_pub_file~v2-1."
	}
}

// create writes a new task with new numbers.
func (n *network) create(tx *sim.Tx, t task) task {
	t.Number = newNumber(tx)
	t.ID = t.idPrefix() + t.Number
	t.StartedAt = tx.Now()
	n.tasks.Put(tx, t.Number, t)
	return t
}

// find returns the task of a publish_id. It needs a running View or Update.
func (n *network) find(publishID string) (task, bool) {
	t, ok := n.tasks.Get(publishID[strings.LastIndexByte(publishID, '.')+1:])
	return t, ok && t.ID == publishID
}

// followTasks updates the indexes.
func (n *network) followTasks(number string, before, after *task) {
	if after == nil {
		return
	}
	if before == nil && after.Pulled && after.BegunAt.IsZero() {
		n.pulling[number] = struct{}{}
	}
	if (before == nil || before.BegunAt.IsZero()) && !after.BegunAt.IsZero() {
		delete(n.pulling, number)
		if after.Failure == "" {
			n.countBegun(*after)
		}
		if after.Failure == "" && !after.Inbox {
			n.unsettled[number] = struct{}{}
		}
	}
	if after.PostID != "" {
		delete(n.unsettled, number)
		n.byPost[after.PostID] = number
	}
}

// Posts of an account per day, and drafts that wait for the person.
const (
	postsPerDay   = 15
	draftsPending = 5
	day           = 24 * time.Hour
)

func dayKey(accountID string, inbox bool) string {
	if inbox {
		return accountID + " inbox"
	}
	return accountID
}

func (n *network) countBegun(t task) {
	key := dayKey(t.AccountID, t.Inbox)
	recent := slices.DeleteFunc(n.begun[key], func(at time.Time) bool { return t.BegunAt.Sub(at) >= day })
	n.begun[key] = append(recent, t.BegunAt)
}

// dayIsFull reports whether an account has used up its posts, or drafts, of 24 hours. It needs a running View or
// Update.
func (n *network) dayIsFull(accountID string, inbox bool) bool {
	limit := postsPerDay
	if inbox {
		limit = draftsPending
	}
	used := 0
	for _, at := range n.begun[dayKey(accountID, inbox)] {
		if n.env.Now().Sub(at) < day {
			used++
		}
	}
	return used >= limit*n.env.Options.LimitFactor
}

// begin is the point of no return: all bytes have arrived. The post follows when the processing time is over.
func (n *network) begin(tx *sim.Tx, t task, media []sim.Media, failure string) {
	t.Media, t.Failure, t.BegunAt = media, failure, tx.Now()
	t.Duration = t.Scan.Length
	t.Digest, t.Scan = sim.Digest{Size: t.Digest.Size}, mp4.Movie{}
	n.tasks.Put(tx, t.Number, t)
}

// settleLater adds the started posts to the timeline when they are due, even without a call.
func (n *network) settleLater() {
	go func() {
		<-n.env.Options.After(n.env.Options.ProcessingTime)
		n.settle()
	}()
}

// settle adds every task whose processing is over to the timeline.
func (n *network) settle() {
	if len(n.dueTasks()) == 0 {
		return
	}
	err := n.env.Update(func(tx *sim.Tx) error {
		for _, t := range n.due(tx.Now()) {
			t.PostID = newNumber(tx)
			n.env.Posts.Put(tx, sim.Post{ID: t.PostID, AccountID: t.AccountID, Kind: sim.KindPost, Text: t.text(),
				Media:     t.Media,
				CreatedAt: t.BegunAt.Add(n.env.Options.ProcessingTime)})
			n.tasks.Put(tx, t.Number, t)
		}
		return nil
	})
	if err != nil {
		// for example if the sandbox was closed meanwhile
		n.env.Log.Debug("sandbox posts wait for the next call", "error", err)
	}
}

func (n *network) dueTasks() (list []task) {
	n.env.View(func() { list = n.due(n.env.Now()) })
	return list
}

// due returns the tasks whose post is due, oldest first. It needs a running View or Update.
func (n *network) due(now time.Time) []task {
	var list []task
	for number := range n.unsettled {
		if t, ok := n.tasks.Get(number); ok && t.processed(now, n.env.Options.ProcessingTime) {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b task) int { return strings.Compare(a.Number, b.Number) })
	return list
}

// takeUp resumes, at the first call, what a restart interrupted.
func (n *network) takeUp(ctx context.Context) {
	n.resume.Do(func() { n.takeUpOnce(context.WithoutCancel(ctx)) })
}

func (n *network) takeUpOnce(ctx context.Context) {
	var numbers []string
	n.env.View(func() {
		for number := range n.pulling {
			numbers = append(numbers, number)
		}
	})
	for _, number := range numbers {
		go n.pull(ctx, number)
	}
	n.settleLater()
}
