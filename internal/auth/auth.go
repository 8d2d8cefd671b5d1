// Package auth implements crier's cryptography: the instance's keyring, which seals data that must be readable again
// and signs data that comes back from outside; the secrets of API keys; passwords. It is pure: it reads no database and
// no environment, and makes no authorization decisions.
package auth
