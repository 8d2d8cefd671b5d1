// Package auth is the cryptography of crier: the instance's keyring, which seals what must be readable again and signs
// what comes back from outside; the secrets of API keys; passwords. It is pure: it reads no database and no
// environment, and it decides nothing about who may do what.
package auth
