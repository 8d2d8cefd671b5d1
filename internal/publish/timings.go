package publish

import (
	"time"

	"crier/internal/provider"
)

// Timings are how long publishing waits for what. The zero value of a field means the usual time; tests, which cannot
// wait that long, make some shorter. No setting does.
type Timings struct {
	// SendWindow is the fence: a worker that has not sent within it does not send any more.
	SendWindow time.Duration
	// CommitTimeout bounds the wait for the answer to a call that publishes; usually the network says how long.
	CommitTimeout time.Duration
	// SettleSlack is added to the fence and the call's time-out before the outcome is looked for.
	SettleSlack time.Duration
	// LookPause bounds the pauses before and between looks for a lost post; usually the network says how long.
	LookPause time.Duration
	// Lease is how long a worker that gives no sign of life has a publication, CallLease how long from the moment in
	// which it makes a call that can publish: what became of that should be known soon.
	Lease, CallLease time.Duration
	// RetryPause is the first pause after a failure; it doubles with each further one.
	RetryPause time.Duration
	// AccountPause is how often a publication looks whether its account is back.
	AccountPause time.Duration
	// LikePause is when likes are counted first; later counts are further and further apart.
	LikePause time.Duration
}

// withDefaults fills in the usual times.
func (t Timings) withDefaults() Timings {
	for _, field := range []struct {
		value *time.Duration
		usual time.Duration
	}{
		{&t.SendWindow, 30 * time.Second},
		{&t.SettleSlack, 5 * time.Second},
		{&t.Lease, 40 * time.Second},
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

// commitTimeout is how long the answer to a call that publishes is awaited.
func (t Timings) commitTimeout(info provider.Info) time.Duration {
	if t.CommitTimeout > 0 {
		return t.CommitTimeout
	}
	return info.CommitTimeout
}

// paced is a network's way to find out an outcome, with its pauses bounded.
func (t Timings) paced(s provider.Strategy) provider.Strategy {
	if t.LookPause > 0 {
		s.NotBefore, s.Apart = min(s.NotBefore, t.LookPause), min(s.Apart, t.LookPause)
	}
	return s
}

// early is how long after a lost answer the early look of a number is made, with its pauses bounded.
func (t Timings) early(looks []time.Duration, number int) time.Duration {
	if t.LookPause > 0 {
		return min(looks[number], time.Duration(number+1)*t.LookPause)
	}
	return looks[number]
}

// Step names a step of the work on a publication.
type Step string

// The steps between which a worker may die or sleep without harm. Extended is a sign of life of one at work.
const (
	StepLeased   Step = "leased"
	StepSaved    Step = "saved"
	StepBegun    Step = "begun"
	StepSent     Step = "sent"
	StepSettled  Step = "settled"
	StepRested   Step = "rested"
	StepExtended Step = "extended"
)

// passed tells who watches that a step is done.
func (w *worker) passed(step Step) {
	if w.pub.checkpoint != nil {
		w.pub.checkpoint(w.p.ScheduledPostID, step)
	}
}

const (
	// runBudget is how long one run of a job works on a publication before it hands on to the next.
	runBudget = 40 * time.Second
	// dispatchSlack is how late the first attempt may start whatever the team allows: a busy node is not a missed post.
	dispatchSlack = 30 * time.Second
	// persistFor is how long a result is tried to be written while the database is unavailable.
	persistFor = 45 * time.Second
	// errorPause is when a publication is taken up again after an error of our own, such as a database that was
	// unavailable.
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
