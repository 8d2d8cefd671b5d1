package library

import (
	"context"
	"fmt"
	"math"

	"crier"
	"crier/internal/store"
)

// checkQuota returns an error if a file would exceed the organization's storage quota. Two teams that upload at the
// same moment may exceed it by one file: a lock on the organization would cost every upload more than that.
func (s *Assets) checkQuota(ctx context.Context, tx *store.Tx, team crier.Team, bytes int64) error {
	if s.quota <= 0 {
		return nil
	}
	used, err := tx.StoredBytes(ctx, team.OrganizationID)
	if err != nil || used+bytes <= s.quota {
		return err
	}
	return crier.PaymentRequired("The organization may store %s and has stored %s: %s more do not fit. Delete assets "+
		"that are no longer needed.", byteCount(s.quota), byteCount(used), byteCount(bytes))
}

// byteCount formats a size for people.
func byteCount(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, prefix := float64(n)/unit, 0
	for math.Round(value*10)/10 >= unit && prefix < 4 { // as displayed: 999,999 B are 1.0 MB, not 1000.0 kB
		value, prefix = value/unit, prefix+1
	}
	return fmt.Sprintf("%.1f %cB", value, "kMGTP"[prefix])
}
