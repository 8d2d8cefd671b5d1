// Package crier defines the domain types of the service: organizations, teams, keys, posts, slots and accounts, their
// states and limits, and the errors of the API. The JSON tags are the wire format of the public API.
//
// The package does no I/O and reads no clock: callers pass in what it needs.
package crier
