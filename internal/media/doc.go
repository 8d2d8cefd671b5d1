// Package media keeps the files of the media library and knows what is in them: blobs on disk or in an S3-compatible
// store, uploads that arrive in chunks, type and facts read from the bytes, thumbnails, conversion to JPEG, import from
// an address on the internet, and signed addresses.
//
// It works on streams and ranges, so that a file of 5 GiB needs no more memory than a small one. It decides nothing
// about teams, posts or networks: who may upload, what a network accepts and which blobs are still in use is the
// business of its callers. What it does not take it refuses with a *Refusal, whose message is written for people.
package media
