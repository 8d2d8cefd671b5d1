package server

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"crier/internal/media"
)

// mediaFolder is the default folder of the media library's files in the data directory.
const mediaFolder = "media"

// S3 configures the bucket of the media library's files; without a bucket they are stored in a folder.
type S3 struct {
	Endpoint, Region, Bucket, Prefix, AccessKey, SecretKey string
}

// OpenBlobs opens the storage of the media library's files: a bucket when one is set, else a folder.
func (c *Config) OpenBlobs(ctx context.Context) (media.Blobs, error) {
	s3 := c.S3
	if s3 == (S3{}) {
		folder := c.MediaDir
		if folder == "" {
			folder = filepath.Join(c.DataDir, mediaFolder)
		}
		return media.NewDisk(folder)
	}
	if s3.Endpoint == "" || s3.Bucket == "" {
		return nil, errors.New("CRIER_S3_ENDPOINT and CRIER_S3_BUCKET belong together: set both, or no CRIER_S3_ " +
			"setting at all")
	}
	return media.NewS3(ctx, media.S3Options{
		Endpoint: s3.Endpoint, Region: s3.Region, Bucket: s3.Bucket, Prefix: s3.Prefix,
		AccessKey: s3.AccessKey, SecretKey: s3.SecretKey, PathStyle: !isAmazon(s3.Endpoint),
	})
}

// isAmazon reports whether the endpoint is Amazon's own S3, where the bucket belongs in the host name.
func isAmazon(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && strings.HasSuffix(u.Hostname(), ".amazonaws.com")
}

// fetcher imports files from the internet and from the IP networks that the operator trusts.
func (c *Config) fetcher() media.Fetcher {
	if len(c.ImportAllow) == 0 {
		return media.Fetcher{}
	}
	return media.Fetcher{AllowAddr: within(c.ImportAllow), AllowPort: anyPort}
}

// webhookGuard allows webhooks to reach the internet, on any port, and the IP networks that the operator trusts.
func (c *Config) webhookGuard() media.Fetcher {
	guard := media.Fetcher{AllowPort: anyPort}
	if len(c.WebhookAllow) > 0 {
		guard.AllowAddr = within(c.WebhookAllow)
	}
	return guard
}

func anyPort(uint16) bool { return true }

// within returns a function that reports whether an address is in one of the networks.
func within(networks []netip.Prefix) func(netip.Addr) bool {
	return func(addr netip.Addr) bool {
		return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
	}
}
