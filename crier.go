// Package crier is the vocabulary of the service: organizations, teams, keys, posts, slots and accounts, their
// states and bounds, and the errors they can cause. The JSON tags are the wire format of the public interface.
//
// The package does no I/O and knows no clock: what it needs of the world is handed in by its users.
package crier
