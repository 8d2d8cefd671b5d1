package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"crier/internal/media"
)

// mediaFolder is where the media library keeps its files in the data directory, unless a setting says otherwise.
const mediaFolder = "media"

// s3Config says which bucket keeps the files of the media library; without a bucket a folder does.
type s3Config struct {
	endpoint, region, bucket, prefix, accessKey, secretKey string
}

// openBlobs opens the place of the media library's files: a bucket when one is set, else a folder.
func (a *app) openBlobs(ctx context.Context) (media.Blobs, error) {
	s3 := a.config.s3
	if s3 == (s3Config{}) {
		folder := a.config.mediaDir
		if folder == "" {
			folder = filepath.Join(a.config.dataDir, mediaFolder)
		}
		return media.NewDisk(folder)
	}
	if s3.endpoint == "" || s3.bucket == "" {
		return nil, errors.New("CRIER_S3_ENDPOINT and CRIER_S3_BUCKET belong together: set both, or no CRIER_S3_ setting at all")
	}
	return media.NewS3(ctx, media.S3Options{
		Endpoint: s3.endpoint, Region: s3.region, Bucket: s3.bucket, Prefix: s3.prefix,
		AccessKey: s3.accessKey, SecretKey: s3.secretKey, PathStyle: !isAmazon(s3.endpoint),
	})
}

// isAmazon is true for Amazon's own S3, where the bucket belongs into the host name.
func isAmazon(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && strings.HasSuffix(u.Hostname(), ".amazonaws.com")
}

// fetcher imports files from the internet, and from the networks that the operator trusts.
func (a *app) fetcher() media.Fetcher {
	trusted := a.config.importAllow
	if len(trusted) == 0 {
		return media.Fetcher{}
	}
	return media.Fetcher{
		AllowAddr: func(addr netip.Addr) bool {
			return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
		},
		AllowPort: func(uint16) bool { return true },
	}
}

// networkList reads a setting of networks such as 10.0.0.0/8,fd00::/8.
func networkList(field func(*config) *[]netip.Prefix) func(*config, string) error {
	return func(c *config, s string) error {
		*field(c) = nil
		for part := range strings.SplitSeq(s, ",") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			prefix, err := netip.ParsePrefix(part)
			if err != nil {
				return fmt.Errorf("must be networks separated by commas, such as 10.0.0.0/8; %.40q is none", part)
			}
			*field(c) = append(*field(c), prefix)
		}
		return nil
	}
}
