//go:build !unix

package sim

import "os"

// lockFile opens the file without a lock: the standard library has none for this platform.
func lockFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}
