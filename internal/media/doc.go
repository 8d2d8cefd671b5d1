// Package media stores and inspects the files of the media library: blobs on disk or in an S3-compatible store, chunked
// uploads, probing of types and properties, thumbnails, conversion to JPEG, import from the internet, and signed URLs.
//
// It works on streams and ranges, so that a file of 5 GiB needs no more memory than a small one. It knows nothing about
// teams, posts or networks: permissions, the networks' limits and which blobs are in use are up to its callers. It
// rejects files with a *Refusal, whose message is written for people.
package media
