package service

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"crier"
	"crier/internal/access"
	"crier/internal/auth"
	"crier/internal/publish"
	"crier/internal/social"
	"crier/internal/store"
	"crier/internal/webhook"
)

// sealedRecords are the records of one column that are sealed with the secret key.
type sealedRecords struct {
	store.SealedColumn
	noun string // of several
	// context is what a record is sealed for.
	context func(place []string) string
	// unread means that crier does not open them: it works without.
	unread bool
}

// sealed lists all records that are sealed with the secret key.
var sealed = []sealedRecords{
	{SealedColumn: store.SealedTokens, noun: "account tokens",
		context: func(p []string) string { return publish.TokenContext(crier.ID(p[0])) }},
	{SealedColumn: store.SealedWebhookSecrets, noun: "webhook secrets", context: webhookContext},
	{SealedColumn: store.SealedOldWebhookSecrets, noun: "earlier webhook secrets", context: webhookContext},
	{SealedColumn: store.SealedKeySecrets, noun: "API keys", unread: true,
		context: func(p []string) string { return keyContext(crier.ID(p[0])) }},
	{SealedColumn: store.SealedStates, noun: "uploads of posts",
		context: func(p []string) string { return publish.StateContext(crier.ID(p[0])) }},
	{SealedColumn: store.SealedVerifiers, noun: "account connections in progress", context: connectionContext},
	{SealedColumn: store.SealedChoices, noun: "choices of accounts in progress", context: connectionContext},
	{SealedColumn: store.SealedAnswers, noun: "stored responses",
		context: func(p []string) string { return access.AnswerContext(crier.ID(p[0]), p[1]) }},
}

func webhookContext(place []string) string { return webhook.SecretContext(crier.ID(place[0])) }

func connectionContext(place []string) string { return social.ConnectionContext([]byte(place[0])) }

// SealedCount counts sealed records.
type SealedCount struct {
	Total int64
	kinds []string // in words
}

// String returns the number and what is counted, such as "3 (account tokens: 2, webhook secrets: 1)".
func (c SealedCount) String() string {
	return fmt.Sprintf("%d (%s)", c.Total, strings.Join(c.kinds, ", "))
}

func (c *SealedCount) add(count int64, noun string) {
	if count > 0 {
		c.Total += count
		c.kinds = append(c.kinds, fmt.Sprintf("%s: %d", noun, count))
	}
}

// CheckRecords rejects a ring that lacks the key of records that crier opens. If it is to be quick, it looks at some of
// the records that may be very many.
func (s *Instance) CheckRecords(ctx context.Context, quickly bool) error {
	lost, ids, err := s.lostRecords(ctx, quickly)
	switch {
	case err != nil || lost.Total == 0:
		return err
	case s.accepts(ids):
		s.log.WarnContext(ctx, "records are sealed with a secret key that is not known, and cannot be read", "records",
			lost.String())
		return nil
	}
	return fmt.Errorf("%d records in the database are sealed with a secret key that is not in CRIER_SECRET_KEY (%s): "+
		"list the key that is missing behind the others, after a comma, until crier doctor says that it can be "+
		"removed; %s", lost.Total, strings.Join(lost.kinds, ", "), acceptLost(ids))
}

// lostRecords counts the records that crier opens and whose key is not in the ring, and returns the ids of these keys.
func (s *Instance) lostRecords(ctx context.Context, quickly bool) (lost SealedCount, ids []string, err error) {
	for _, records := range sealed {
		if records.unread {
			continue
		}
		counts, err := s.store.SealedBy(ctx, records.SealedColumn, quickly)
		if err != nil {
			return lost, ids, err
		}
		var sum int64
		for mark, count := range counts {
			if !holds(s.keys, mark) {
				sum += count
				ids = append(ids, markID(mark))
			}
		}
		lost.add(sum, records.noun)
	}
	slices.Sort(ids)
	return lost, slices.Compact(ids), nil
}

// keyIDLength is the length of the id of a key in settings and messages.
const keyIDLength = 8

// keyID is the id of the key that a store is bound to.
func keyID(fingerprint string) string { return fingerprint[:min(keyIDLength, len(fingerprint))] }

// markID is the id of a key that records are sealed with. It is another one than that of keyID: neither can be derived
// from the other without the key.
func markID(mark string) string {
	id := hex.EncodeToString([]byte(mark))
	return id[max(0, len(id)-keyIDLength):] // the first byte is that of the format
}

// lostKeys returns the ids of the keys that the ring lacks: that of the store, and those of records.
func (s *Instance) lostKeys(ctx context.Context, bound string) []string {
	// Records of an older schema may be unreadable. Once it is migrated, the start names the keys that are left out
	// here.
	_, ids, _ := s.lostRecords(ctx, true)
	return append([]string{keyID(bound)}, ids...)
}

func (s *Instance) accepts(ids []string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(s.acceptLostKeys, id) })
}

func acceptLost(ids []string) string {
	return fmt.Sprintf("if it is lost, CRIER_ACCEPT_LOST_KEY=%s starts without the records that need it",
		strings.Join(ids, ","))
}

// CheckNoKey rejects a node without any secret key on a store that is bound to one: a new key could not open its
// records. It changes nothing if the store is new, or its keys are accepted as lost.
func CheckNoKey(ctx context.Context, st *store.Store, acceptLostKeys []string) error {
	there, err := st.HasInstance(ctx)
	if err != nil || !there {
		return err
	}
	bound, err := st.KeyFingerprint(ctx)
	if err != nil || bound == "" {
		return err
	}
	s := &Instance{store: st, keys: &auth.Keyring{}, acceptLostKeys: acceptLostKeys}
	ids := s.lostKeys(ctx, bound)
	if s.accepts(ids) {
		return nil
	}
	return fmt.Errorf("the database is sealed with a secret key (%s) that is not here: put the file back, or set "+
		"CRIER_SECRET_KEY; %s", keyID(bound), acceptLost(ids))
}

// holds reports whether a ring has the key with a mark.
func holds(keys *auth.Keyring, mark string) bool {
	return slices.ContainsFunc(keys.Marks(), func(known []byte) bool { return string(known) == mark })
}

// SealedByOthers counts the records that are sealed with another key than the first of the ring.
func (s *Instance) SealedByOthers(ctx context.Context) (SealedCount, error) {
	var others SealedCount
	for _, records := range sealed {
		counts, err := s.store.SealedBy(ctx, records.SealedColumn, false)
		if err != nil {
			return others, err
		}
		delete(counts, string(s.keys.Marks()[0]))
		var sum int64
		for mark, count := range counts {
			if !records.unread || holds(s.keys, mark) { // those of a lost key stay, and are not missed
				sum += count
			}
		}
		others.add(sum, records.noun)
	}
	return others, nil
}

// resealBatch is how many records are sealed again in one transaction.
const resealBatch = 200

// Reseal seals the records of older keys with the first key of the ring, in small transactions, so that the older keys
// can be removed. One that is interrupted goes on with what is left.
func (s *Upkeep) Reseal(ctx context.Context) error {
	if len(s.keys.Marks()) == 1 {
		return nil // there is nothing that it could open
	}
	var problems []error
	for _, records := range sealed {
		if err := s.resealColumn(ctx, records); err != nil {
			problems = append(problems, err)
		}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	// A node whose first key is another one may have started meanwhile, and be gone.
	return s.instance.bind(ctx)
}

func (s *Upkeep) resealColumn(ctx context.Context, records sealedRecords) error {
	var after []any
	var done, damaged int
	for {
		batch, err := s.store.SealedOtherwise(ctx, records.SealedColumn, store.SealedQuery{
			Mark: s.keys.Marks()[0], Now: s.clock.Now(), After: after, Limit: resealBatch})
		if err != nil {
			return err
		}
		resealed, bad, err := s.resealBatch(ctx, records, batch)
		if err != nil {
			return err
		}
		done, damaged = done+resealed, damaged+bad
		if len(batch) < resealBatch {
			break
		}
		after = batch[len(batch)-1].Key
	}
	if done > 0 {
		s.log.InfoContext(ctx, "records of an older secret key are sealed with the first one", "records", done, "of",
			records.noun)
	}
	if damaged > 0 {
		s.log.WarnContext(ctx, "records of an older secret key cannot be opened", "records", damaged, "of",
			records.noun)
	}
	return nil
}

// resealBatch seals records again, except for those that somebody has replaced since they were read, and those that
// cannot be opened.
func (s *Upkeep) resealBatch(ctx context.Context, records sealedRecords, batch []store.SealedRecord) (done, damaged int,
	err error) {
	fresh := make([][]byte, len(batch))
	for i, read := range batch {
		if records.unread && !holds(s.keys, string(read.Sealed[:min(store.SealedMark, len(read.Sealed))])) {
			continue
		}
		context := records.context(read.Place)
		data, err := s.keys.Open(read.Sealed, context)
		if err != nil {
			damaged++
			continue
		}
		if fresh[i], err = s.keys.Seal(data, context); err != nil {
			return 0, damaged, err
		}
	}
	err = s.store.WithTx(ctx, func(tx *store.Tx) error {
		done = 0
		for i, read := range batch {
			if fresh[i] == nil {
				continue
			}
			replaced, err := tx.Reseal(ctx, records.SealedColumn, read, fresh[i], s.clock.Now())
			if err != nil {
				return err
			}
			if replaced {
				done++
			}
		}
		return nil
	})
	return done, damaged, err
}
