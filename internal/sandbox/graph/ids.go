package graph

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"crier/internal/sandbox/sim"
)

// idEpoch is the epoch of ids, in milliseconds since 1970: 2024-01-01.
const idEpoch = 1704067200000

// NewID returns an id that grows with time.
func NewID(tx *sim.Tx) string { return strconv.FormatUint(tx.NextSeq()-idEpoch<<22, 10) }

const codeAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// Shortcode returns an id as used in the URL of a post.
func Shortcode(id string) string {
	number, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return id
	}
	code := ""
	for ; number > 0; number /= 64 {
		code = string(codeAlphabet[number%64]) + code
	}
	return code
}

// FromShortcode returns the id of a shortcode, or "".
func FromShortcode(code string) string {
	number := uint64(0)
	for _, char := range code {
		digit := strings.IndexRune(codeAlphabet, char)
		if digit < 0 {
			return ""
		}
		number = number*64 + uint64(digit)
	}
	return strconv.FormatUint(number, 10)
}

// FileURL returns the URL of a file on a timeline.
func (a *API) FileURL(c *Call, file sim.Media) string {
	return strings.TrimSuffix(a.Env.AvatarURL(c.Request, ""), "_avatar/") + "_media/" + file.SHA256
}

// CountSince returns how many posts of an account were created at or after a time, including deleted ones. It needs a
// running View or Update.
func (a *API) CountSince(account string, since time.Time, counts func(sim.Post) bool) int {
	n := 0
	for _, id := range slices.Backward(a.Env.Posts.ByAccount(account)) {
		post, _ := a.Env.Posts.Get(id)
		if post.CreatedAt.Before(since) {
			break
		}
		if counts(post) {
			n++
		}
	}
	return n
}
