//go:build !windows

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Try locks a file until it is closed. locked is false if another process holds the lock.
func Try(file *os.File) (locked bool, err error) {
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
