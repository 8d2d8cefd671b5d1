package enrich

import (
	"sync"
	"time"
)

// budget counts tokens per day (UTC). What a request may cost is taken out before it is made and put right afterwards,
// so that requests at the same time cannot overdraw it together.
type budget struct {
	limit int64
	now   func() time.Time

	mu    sync.Mutex
	day   string
	spent int64
}

// reserve takes out tokens and returns the day they belong to, or ErrBudgetExhausted.
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

// settle replaces a reservation by what was used. A number that cannot be true leaves the reservation as it is.
func (b *budget) settle(day string, reserved, used int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if day == b.day && used > 0 {
		b.spent += min(used, b.limit) - reserved
	}
}
