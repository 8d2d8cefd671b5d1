package enrich

import (
	"sync"
	"time"
)

// budget counts tokens per day (UTC). The maximum cost of a request is reserved before it is sent and corrected
// afterwards, so that concurrent requests cannot exceed the budget together.
type budget struct {
	limit int64
	now   func() time.Time

	mu    sync.Mutex
	day   string
	spent int64
}

// reserve reserves tokens and returns the day they belong to, or ErrBudgetExhausted.
func (b *budget) reserve(tokens int64) (day string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if today := b.now().UTC().Format(time.DateOnly); today != b.day {
		b.day, b.spent = today, 0
	}
	if b.spent+tokens > b.limit {
		return "", ErrBudgetExhausted
	}
	b.spent += tokens
	return b.day, nil
}

// settle replaces a reservation with the actual use. An implausible number leaves the reservation unchanged.
func (b *budget) settle(day string, reserved, used int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if day == b.day && used > 0 {
		b.spent += min(used, b.limit) - reserved
	}
}
