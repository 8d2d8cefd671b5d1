package api_test

import (
	"net/http"
	"strings"
	"testing"

	"crier/internal/auth"
	"crier/internal/media/mediatest"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// While the secret key is rotated, a network may get the address of a file from a node with one order of the keys and
// fetch it from a node with the other.
func TestAddressesOfMediaOutliveARotationOfTheKey_postgres(t *testing.T) {
	t.Parallel()
	db := servertest.Databases.Fresh(t, store.Postgres)
	fresh := auth.NewSecretKey()
	withKeys := func(keys ...string) servertest.Option {
		return func(c *server.Config) { c.SecretKey = strings.Join(keys, ",") }
	}
	older := startLibrary(t, db, withKeys(servertest.Secret, fresh))
	asset := older.Assets(older.Ready(t, "a.png", mediatest.PNG(64, 48)))
	newer := startServer(t, db, withKeys(fresh, servertest.Secret))
	get := func(from, at *servertest.Server) int {
		address := from.As(t, older.Key, "GET", asset, nil).Want(t, http.StatusOK).Text(t, "thumbnailUrl")
		where := strings.TrimPrefix(address, "http://crier.test")
		return at.Send(t, servertest.Request{Method: "GET", Path: where}).Status
	}
	if got := get(older.Server, newer.Server); got != http.StatusOK {
		t.Errorf("an address of the old key: %d", got)
	}
	if got := get(newer.Server, older.Server); got != http.StatusOK {
		t.Errorf("an address of the new key: %d", got)
	}
}
