package oauth

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"crier"
	"crier/internal/auth"
	"crier/internal/store"
)

const (
	deviceLife     = 15 * time.Minute
	deviceInterval = 5 // seconds
	accessLife     = time.Hour
	refreshLife    = 30 * 24 * time.Hour
	codeTries      = 5
	// pollTolerance is how much too early a device may poll: clients that poll on a ticker are early by the duration of
	// the previous request.
	pollTolerance = time.Second
)

// Devices implements device login (RFC 8628) and its tokens.
type Devices struct {
	store     *store.Store
	clock     crier.Clock
	publicURL string
}

// Start starts a device login.
func (s *Devices) Start(ctx context.Context, clientName string) (crier.DeviceCode, error) {
	clientName = cmp.Or(crier.Printable(clientName, crier.MaxNameLength), "A device")
	for try := 1; ; try++ {
		out, err := s.start(ctx, clientName)
		if errors.Is(err, store.ErrCodeTaken) && try < codeTries {
			continue
		}
		return out, err
	}
}

func (s *Devices) start(ctx context.Context, clientName string) (crier.DeviceCode, error) {
	out := crier.DeviceCode{
		DeviceCode: auth.NewLinkToken(), UserCode: auth.NewUserCode(), VerificationURI: s.publicURL + "/device",
		ExpiresIn: int(deviceLife.Seconds()), Interval: deviceInterval,
	}
	out.VerificationURIComplete = out.VerificationURI + "?user_code=" + out.UserCode
	err := s.store.WithTx(ctx, func(tx *store.Tx) error {
		return tx.InsertDeviceLogin(ctx, store.DeviceLogin{
			DeviceHash: auth.Hash(out.DeviceCode), UserCode: out.UserCode, ClientName: clientName,
			Interval:  deviceInterval,
			ExpiresAt: crier.TimeOf(s.clock().Add(deviceLife)),
		})
	})
	return out, err
}

// Redeem answers a device that polls for approval. The answer is decided and written in one transaction: a code yields
// tokens once.
func (s *Devices) Redeem(ctx context.Context, deviceCode string) (crier.BearerTokens, error) {
	var out crier.BearerTokens
	var refused error
	err := s.store.WithTx(ctx, func(tx *store.Tx) error {
		d, err := tx.LockDeviceLogin(ctx, auth.Hash(deviceCode))
		if err != nil {
			return err
		}
		if refused = s.refuseDevice(d); refused != nil {
			if d == nil || d.Status != "pending" {
				return nil
			}
			return s.recordPoll(ctx, tx, *d, refused)
		}
		family := crier.NewID()
		if err := tx.InsertTokenFamily(ctx, store.TokenFamily{ID: family, UserID: *d.UserID, Name: d.ClientName,
			CreatedAt: s.clock.Now()}); err != nil {
			return err
		}
		d.Status = "used"
		if err := tx.UpdateDeviceLogin(ctx, *d); err != nil {
			return err
		}
		out, err = s.issue(ctx, tx, family)
		return err
	})
	if err == nil {
		err = refused
	}
	return out, err
}

func (s *Devices) refuseDevice(d *store.DeviceLogin) error {
	switch {
	case d == nil || d.Status == "used":
		return &crier.OAuthError{Code: "invalid_grant",
			Description: "the device code is not known, or was used already"}
	case !d.ExpiresAt.After(s.clock()):
		return &crier.OAuthError{Code: "expired_token", Description: "the device code has expired; start again"}
	case d.Status == "denied":
		return &crier.OAuthError{Code: "access_denied", Description: "the person declined"}
	case d.Status == "approved":
		return nil
	case d.PolledAt != nil && s.clock().Sub(d.PolledAt.Time) < time.Duration(d.Interval)*time.Second-pollTolerance:
		return &crier.OAuthError{Code: "slow_down", Description: "poll less often: wait five seconds more each time"}
	}
	return &crier.OAuthError{Code: "authorization_pending", Description: "the person has not decided yet"}
}

// recordPoll records when a device polled; one that polls too often has to wait longer.
func (s *Devices) recordPoll(ctx context.Context, tx *store.Tx, d store.DeviceLogin, refused error) error {
	now := s.clock.Now()
	d.PolledAt = &now
	if known, ok := errors.AsType[*crier.OAuthError](refused); ok && known.Code == "slow_down" {
		d.Interval += deviceInterval
	}
	return tx.UpdateDeviceLogin(ctx, d)
}

func (s *Devices) issue(ctx context.Context, tx *store.Tx, family crier.ID) (crier.BearerTokens, error) {
	out := crier.BearerTokens{
		AccessToken: auth.NewBearerToken(auth.AccessPrefix), RefreshToken: auth.NewBearerToken(auth.RefreshPrefix),
		TokenType: "Bearer", ExpiresIn: int(accessLife.Seconds()),
	}
	now := s.clock()
	return out, tx.InsertTokens(ctx, family, auth.Hash(out.AccessToken), crier.TimeOf(now.Add(accessLife)),
		auth.Hash(out.RefreshToken), crier.TimeOf(now.Add(refreshLife)))
}

// Refresh exchanges a refresh token for a new pair. The reuse of a refresh token means that it was stolen: the whole
// family is revoked. A token that was issued to a client can be refreshed by that client only.
func (s *Devices) Refresh(ctx context.Context, refreshToken, clientID string) (crier.BearerTokens, error) {
	var out crier.BearerTokens
	var refused error
	err := s.store.WithTx(ctx, func(tx *store.Tx) error {
		refused = nil
		hash := auth.Hash(refreshToken)
		t, err := tx.LockRefreshToken(ctx, hash, s.clock.Now())
		if err != nil {
			return err
		}
		if t == nil || t.Revoked || t.Expired || t.ClientID != "" && t.ClientID != clientID {
			refused = &crier.OAuthError{Code: "invalid_grant",
				Description: "the refresh token is not valid: log in again"}
			return nil
		}
		if t.Used {
			refused = &crier.OAuthError{Code: "invalid_grant",
				Description: "the refresh token was used before; all tokens of this login have been revoked: log in " +
					"again"}
			return tx.RevokeFamily(ctx, t.FamilyID, s.clock.Now())
		}
		if err := tx.UseRefreshToken(ctx, hash, s.clock.Now()); err != nil {
			return err
		}
		out, err = s.issue(ctx, tx, t.FamilyID)
		return err
	})
	if err == nil {
		err = refused
	}
	return out, err
}

// Revoke ends the login that a token belongs to. An unknown token is no error.
func (s *Devices) Revoke(ctx context.Context, token string) error {
	family, err := s.store.FamilyOfToken(ctx, auth.Hash(token))
	if err != nil || family == "" {
		return err
	}
	return s.store.WithTx(ctx, func(tx *store.Tx) error { return tx.RevokeFamily(ctx, family, s.clock.Now()) })
}

// Pending returns the device login that a person is asked about; nil if the code is unknown.
func (s *Devices) Pending(ctx context.Context, userCode string) (*store.DeviceLogin, error) {
	return s.store.DeviceLogin(ctx, normalizeCode(userCode), s.clock.Now())
}

// normalizeCode normalizes a code as people type it; invalid characters are dropped.
func normalizeCode(code string) string {
	letters := strings.Map(func(r rune) rune {
		if r = unicode.ToUpper(r); r < 'A' || r > 'Z' {
			return -1
		}
		return r
	}, code)
	if len(letters) != 8 {
		return letters
	}
	return letters[:4] + "-" + letters[4:]
}

// Decide applies a person's decision about a device.
func (s *Devices) Decide(ctx context.Context, user crier.ID, userCode string, approve bool) error {
	status := "denied"
	if approve {
		status = "approved"
	}
	var decided bool
	err := s.store.WithTx(ctx, func(tx *store.Tx) (err error) {
		decided, err = tx.DecideDeviceLogin(ctx, normalizeCode(userCode), status, user, s.clock.Now())
		return err
	})
	if err == nil && !decided {
		return crier.NotFound("This code is not known, was used already, or has expired.")
	}
	return err
}
