// Package filelock locks files against other processes. A lock ends with the process that has it, however it ends.
package filelock
