package store

import "testing"

func TestCredentialChangesAreDetected(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		`UPDATE api_keys SET revoked_at = $2 WHERE id = $1`:                          true,
		`INSERT INTO api_key_secrets (hash) VALUES ($1)`:                             true,
		`DELETE FROM sessions WHERE user_id = $1`:                                    true,
		`UPDATE token_families SET revoked_at = $2 WHERE user_id = $1`:               true,
		`UPDATE users SET name = $2 WHERE id = $1`:                                   true,
		`WITH done AS (DELETE FROM access_tokens RETURNING 1) SELECT 1`:              true,
		`UPDATE users SET organization_count = organization_count - 1 WHERE id = $1`: false,
		`UPDATE organizations SET team_count = team_count + $2 WHERE id = $1`:        false,
		`SELECT k.id FROM api_keys k WHERE k.id = $1`:                                false,
		`INSERT INTO posts (id) VALUES ($1)`:                                         false,
		`INSERT INTO users_of_old (id) VALUES ($1)`:                                  false,
	} {
		for range 2 { // read, then cached
			var seen touched
			if seen.note(query); seen.credentials != want {
				t.Errorf("%s: %v", query, seen.credentials)
			}
		}
	}
}
