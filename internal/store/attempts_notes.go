package store

import (
	"context"
	"fmt"
)

// NoteNotSent records on a repetition of a call that it was not sent, whatever became of its publication. The attempt
// gets its outcome here only if another one has replaced it already. Otherwise its settlement writes it, together with
// what is in doubt again.
func (s *Store) NoteNotSent(ctx context.Context, a Attempt) error {
	_, err := s.writer.ExecContext(ctx, `UPDATE attempts SET message = $2, next_step = $3, next_at = $4, exchanges = $5,
		outcome = CASE WHEN outcome = 'repeated' THEN $6 ELSE outcome END WHERE id = $1`,
		a.ID, orNull(a.Message), orNull(a.NextStep), a.NextAt, exchangesOf(a), a.Outcome)
	if err != nil {
		return fmt.Errorf("note that nothing was sent: %w", err)
	}
	return nil
}
