// Package filelock locks files against other processes. A lock ends with its process, however it ends.
package filelock
