package publish

import (
	"time"

	"crier/internal/provider"
)

// Timings are the engine's timeouts and delays. The zero value of a field means its default; only tests shorten them,
// no setting does.
type Timings struct {
	// SendWindow is the fence: a worker that has not sent within it must not send.
	SendWindow time.Duration
	// CommitTimeout bounds the wait for the answer to a publishing call; by default the network decides.
	CommitTimeout time.Duration
	// SettleSlack is added to the fence and the call's timeout before absence is trusted.
	SettleSlack time.Duration
	// LookupPause bounds the pauses before and between lookups of a lost post; by default the network decides.
	LookupPause time.Duration
	// Lease is how long a worker holds a publication without extending the lease, CallLease how long during a
	// publishing call, whose outcome should be known soon.
	Lease, CallLease time.Duration
	// WriteTimeout bounds one try of a write that nothing else ends. It is longer than PostgreSQL waits for the next
	// statement of a transaction: when it is over, the server has ended the transaction of a connection that was lost.
	WriteTimeout time.Duration
	// RetryPause is the first pause after a failure; it doubles with each further one.
	RetryPause time.Duration
	// AccountPause is the interval at which a waiting publication checks its account.
	AccountPause time.Duration
	// LikePause is when likes are first counted; the intervals grow after that.
	LikePause time.Duration
}

// withDefaults fills in the defaults.
func (t Timings) withDefaults() Timings {
	for _, field := range []struct {
		value *time.Duration
		usual time.Duration
	}{
		{&t.SendWindow, 30 * time.Second},
		{&t.SettleSlack, 5 * time.Second},
		{&t.Lease, 40 * time.Second},
		{&t.WriteTimeout, 30 * time.Second},
		{&t.RetryPause, 3 * time.Second},
		{&t.AccountPause, time.Minute},
		{&t.LikePause, time.Minute},
	} {
		if *field.value == 0 {
			*field.value = field.usual
		}
	}
	if t.CallLease == 0 {
		t.CallLease = min(t.Lease, 15*time.Second)
	}
	return t
}

// commitTimeout returns how long to wait for the answer to a publishing call.
func (t Timings) commitTimeout(info provider.Info) time.Duration {
	if t.CommitTimeout > 0 {
		return t.CommitTimeout
	}
	return info.CommitTimeout
}

// paced returns a network's strategy with bounded pauses.
func (t Timings) paced(s provider.Strategy) provider.Strategy {
	if t.LookupPause > 0 {
		s.NotBefore, s.Apart = min(s.NotBefore, t.LookupPause), min(s.Apart, t.LookupPause)
	}
	return s
}

// early returns the bounded delay of the n-th early lookup after a lost answer.
func (t Timings) early(looks []time.Duration, number int) time.Duration {
	if t.LookupPause > 0 {
		return min(looks[number], time.Duration(number+1)*t.LookupPause)
	}
	return looks[number]
}

// Step names a step of the work on a publication.
type Step string

// The steps between which a worker may die or pause without harm. Extended is an extension of the lease.
const (
	StepLeased   Step = "leased"
	StepSaved    Step = "saved"
	StepBegun    Step = "begun"
	StepSent     Step = "sent"
	StepSettled  Step = "settled"
	StepReleased Step = "released"
	StepExtended Step = "extended"
)

// passed calls the checkpoint after a step.
func (w *worker) passed(step Step) {
	if w.pub.checkpoint != nil {
		w.pub.checkpoint(w.p.ScheduledPostID, step)
	}
}

const (
	// runBudget is how long one run of a job works on a publication before the next run continues.
	runBudget = 40 * time.Second
	// dispatchSlack is how late the first attempt may always start, whatever the team allows: a busy node must not miss
	// posts.
	dispatchSlack = 30 * time.Second
	// persistFor is how long writing a result is retried while the database is unavailable: several times, even if a
	// connection does not answer and each try takes its WriteTimeout.
	persistFor = 2 * time.Minute
	// minExtension is the least time that an extension of a lease may take.
	minExtension = 2 * time.Second
	// errorPause is the delay before a publication is retried after an internal error, such as an unavailable database.
	errorPause = 2 * time.Second
)

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
