package graph

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"crier/internal/sandbox/sim"
)

// provesSecret checks the proof that an app sent with a token: its HMAC-SHA256 under the app's secret. If the sandbox
// does not know the secret, only the form of the proof is checked.
func (a *API) provesSecret(c *Call, token sim.Token) bool {
	text, sent := c.Params["appsecret_proof"]
	if !sent {
		return true
	}
	proof, err := hex.DecodeString(text)
	if err != nil || len(proof) != sha256.Size {
		return false
	}
	secret, known := a.Env.Options.Clients[token.ClientID]
	if !known {
		return true
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(token.Value))
	return hmac.Equal(proof, mac.Sum(nil))
}
