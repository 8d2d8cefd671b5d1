package auth_test

import (
	"bytes"
	"testing"

	"crier/internal/auth"
)

func TestPassphraseOpensWhatItSealed(t *testing.T) {
	t.Parallel()
	const secret, passphrase = "the secret of an instance", "correct horse battery"
	sealed, err := auth.SealWithPassphrase([]byte(secret), passphrase)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(sealed, []byte(secret)) {
		t.Error("the sealed form shows the secret")
	}
	if got, err := auth.OpenWithPassphrase(sealed, passphrase); err != nil || string(got) != secret {
		t.Errorf("opened %q, %v", got, err)
	}
	if _, err := auth.OpenWithPassphrase(sealed, "correct horse battery!"); err == nil {
		t.Error("another passphrase opens it")
	}
	changed := bytes.Replace(sealed, []byte(`"sealed":"`), []byte(`"sealed":"AAAA`), 1)
	if _, err := auth.OpenWithPassphrase(changed, passphrase); err == nil {
		t.Error("a changed secret opens")
	}
	if _, err := auth.OpenWithPassphrase([]byte(`{}`), passphrase); err == nil {
		t.Error("an unknown form opens")
	}
	if _, err := auth.SealWithPassphrase([]byte(secret), "short"); err == nil {
		t.Error("a short passphrase seals")
	}
}
