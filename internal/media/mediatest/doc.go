// Package mediatest makes the pictures, videos and documents that tests feed to crier: small, real files, written
// byte by byte in Go, so that no test needs an encoder, a download or a binary in the repository. The damaged,
// lying and oversized files that crier must refuse are made here too.
//
// It also runs an S3-compatible server for the tests of what is stored there. It is imported by tests only.
package mediatest
