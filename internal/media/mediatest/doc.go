// Package mediatest creates the pictures, videos and documents that tests feed to crier: small, real files, written
// byte by byte in Go, so that no test needs an encoder, a download or a binary in the repository. It also creates the
// damaged, inconsistent and oversized files that crier must reject.
//
// It also runs an S3-compatible server for tests of the S3 store. It is imported by tests only.
package mediatest
