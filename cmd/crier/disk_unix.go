//go:build linux || darwin

package main

import "golang.org/x/sys/unix"

// freeSpace returns how many bytes can still be written to the disk of a directory; false if that is unknown.
func freeSpace(dir string) (uint64, bool) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil || disk.Bsize <= 0 {
		return 0, false
	}
	return disk.Bavail * uint64(disk.Bsize), true
}
