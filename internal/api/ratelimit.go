package api

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"crier"
	"crier/internal/access"
)

const (
	limitWindow = time.Minute
	// limitIdle is when the bucket of an idle token is dropped; it is full again long before.
	limitIdle = 10 * time.Minute
)

// limiter counts the requests of each token on this node: a bucket of perMinute requests that refills evenly.
type limiter struct {
	perMinute int
	now       func() time.Time
	mu        sync.Mutex
	buckets   map[crier.ID]*bucket
	swept     time.Time
}

type bucket struct {
	*rate.Limiter
	used time.Time
}

func newLimiter(perMinute int, now func() time.Time) *limiter {
	return &limiter{perMinute: perMinute, now: now, buckets: map[crier.ID]*bucket{}, swept: now()}
}

// take counts one request. It returns how many are left, when the bucket is full again, and, if there are none left,
// how long to wait for the next.
func (l *limiter) take(id crier.ID) (left int, full, wait time.Duration) {
	now := l.now()
	b := l.bucket(id, now)
	perSecond := float64(l.perMinute) / limitWindow.Seconds()
	allowed := b.AllowN(now, 1)
	tokens := max(0, b.TokensAt(now))
	full = time.Duration((float64(l.perMinute) - tokens) / perSecond * float64(time.Second))
	if !allowed {
		wait = time.Duration((1 - tokens) / perSecond * float64(time.Second))
	}
	return int(tokens), full, wait
}

func (l *limiter) bucket(id crier.ID, now time.Time) *bucket {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.swept) > limitIdle {
		l.sweep(now)
	}
	b := l.buckets[id]
	if b == nil {
		b = &bucket{Limiter: rate.NewLimiter(rate.Limit(float64(l.perMinute)/limitWindow.Seconds()), l.perMinute)}
		l.buckets[id] = b
	}
	b.used = now
	return b
}

func (l *limiter) sweep(now time.Time) {
	for id, b := range l.buckets {
		if now.Sub(b.used) > limitIdle {
			delete(l.buckets, id)
		}
	}
	l.swept = now
}

// limit counts the request of a caller and sets the rate limit headers.
func (s *Server) limit(w http.ResponseWriter, c access.Caller) error {
	if s.limits.perMinute <= 0 {
		return nil
	}
	left, full, wait := s.limits.take(c.CredentialID())
	h := w.Header()
	h.Set("RateLimit-Policy", fmt.Sprintf(`"default";q=%d;w=%d`, s.limits.perMinute, int(limitWindow.Seconds())))
	h.Set("RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, left, seconds(full)))
	if wait == 0 {
		return nil
	}
	h.Set("Retry-After", strconv.Itoa(max(1, seconds(wait))))
	return crier.TooManyRequests("More than %d requests in a minute. Wait %d s before the next one.",
		s.limits.perMinute, max(1, seconds(wait)))
}

// limitOrganization counts a request for an organization, so that the tokens of one do not starve the others.
func (s *Server) limitOrganization(ctx context.Context, organization crier.ID) error {
	if s.organizationLimits.perMinute <= 0 {
		return nil
	}
	_, _, wait := s.organizationLimits.take(organization)
	if wait == 0 {
		return nil
	}
	pause := max(1, seconds(wait))
	infoFrom(ctx).retryAfter = pause
	return crier.TooManyRequests("More than %d requests of the organization in a minute. Wait %d s before the next "+
		"one.", s.organizationLimits.perMinute, pause)
}

func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
