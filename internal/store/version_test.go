package store

import (
	"strings"
	"testing"
)

func TestOldPostgresIsRefused(t *testing.T) {
	for version, refused := range map[int]bool{90624: true, 130023: true, 140000: false, 150018: false} {
		err := checkPostgres(version)
		if (err != nil) != refused {
			t.Errorf("version %d: %v", version, err)
		}
		if refused && !strings.Contains(err.Error(), "needs 14 or newer") {
			t.Errorf("version %d: %v", version, err)
		}
	}
}
