package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"crier"
)

// S3Options configures the bucket and the connection to it.
type S3Options struct {
	Endpoint  string // https://s3.eu-central-1.amazonaws.com, http://127.0.0.1:9000
	Region    string // empty: us-east-1
	Bucket    string // must exist
	Prefix    string // before every object name; empty: none
	AccessKey string
	SecretKey string
	// PathStyle puts the bucket into the path instead of the host name, as most servers other than Amazon's require.
	PathStyle bool
}

// S3 stores blobs in a bucket of an S3-compatible store, as objects named <prefix>/<id>/<variant>. An object is visible
// only when its upload is complete, so nothing needs to be renamed.
type S3 struct {
	client *minio.Client
	bucket string
	prefix string
}

// s3PartSize is the memory used per upload. 10,000 parts, the maximum of S3, are 80 GiB.
const s3PartSize = 8 << 20

// NewS3 connects to a bucket and fails if it cannot be reached.
func NewS3(ctx context.Context, o S3Options) (*S3, error) {
	endpoint, err := url.Parse(o.Endpoint)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "https" && endpoint.Scheme != "http" {
		return nil, fmt.Errorf("S3 endpoint %q is not an address like https://s3.example.com", o.Endpoint)
	}
	lookup := minio.BucketLookupAuto
	if o.PathStyle {
		lookup = minio.BucketLookupPath
	}
	region := o.Region
	if region == "" {
		region = "us-east-1"
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds:        credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""),
		Secure:       endpoint.Scheme == "https",
		Region:       region,
		BucketLookup: lookup,
		MaxRetries:   4,
	})
	if err != nil {
		return nil, fmt.Errorf("S3 client: %w", err)
	}
	exists, err := client.BucketExists(ctx, o.Bucket)
	if err != nil {
		return nil, fmt.Errorf("reach S3 bucket %q: %w", o.Bucket, err)
	}
	if !exists {
		return nil, fmt.Errorf("S3 bucket %q does not exist: create it first", o.Bucket)
	}
	prefix := strings.Trim(o.Prefix, "/")
	if prefix != "" {
		prefix += "/"
	}
	return &S3{client: client, bucket: o.Bucket, prefix: prefix}, nil
}

func (s *S3) objectOf(key Key) string { return s.prefix + string(key.ID) + "/" + key.Variant }

func (s *S3) keyOf(object string) (Key, bool) {
	id, variant, _ := strings.Cut(strings.TrimPrefix(object, s.prefix), "/")
	key := Key{ID: crier.ID(id), Variant: variant}
	return key, key.check() == nil
}

// Put implements Blobs.
func (s *S3) Put(ctx context.Context, key Key, r io.Reader, size int64) error {
	if err := key.check(); err != nil {
		return err
	}
	source := &exactReader{r: r, size: size}
	_, err := s.client.PutObject(ctx, s.bucket, s.objectOf(key), source, size,
		minio.PutObjectOptions{PartSize: s3PartSize, ContentType: "application/octet-stream"})
	if failed := source.failed.Load(); failed != nil {
		err = *failed // the library replaces the error
	}
	if err != nil {
		return fmt.Errorf("put S3 object: %w", err)
	}
	return nil
}

// Open implements Blobs.
func (s *S3) Open(ctx context.Context, key Key) (Blob, error) {
	if err := key.check(); err != nil {
		return nil, err
	}
	object, err := s.client.GetObject(ctx, s.bucket, s.objectOf(key), minio.GetObjectOptions{})
	if err != nil {
		return nil, fmt.Errorf("open S3 object: %w", err)
	}
	info, err := object.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open S3 object: %w", noSuchObject(err)), object.Close())
	}
	return s3Blob{object, info.Size}, nil
}

type s3Blob struct {
	*minio.Object
	size int64
}

func (b s3Blob) Size() int64 { return b.size }

// Size implements Blobs.
func (s *S3) Size(ctx context.Context, key Key) (int64, error) {
	if err := key.check(); err != nil {
		return 0, err
	}
	info, err := s.client.StatObject(ctx, s.bucket, s.objectOf(key), minio.StatObjectOptions{})
	if err != nil {
		return 0, fmt.Errorf("size of S3 object: %w", noSuchObject(err))
	}
	return info.Size, nil
}

// Delete implements Blobs.
func (s *S3) Delete(ctx context.Context, key Key) error {
	if err := key.check(); err != nil {
		return err
	}
	err := s.client.RemoveObject(ctx, s.bucket, s.objectOf(key), minio.RemoveObjectOptions{})
	if err != nil && !errors.Is(noSuchObject(err), ErrNotFound) {
		return fmt.Errorf("delete S3 object: %w", err)
	}
	return nil
}

// List implements Blobs.
func (s *S3) List(ctx context.Context, id crier.ID) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		prefix := s.prefix
		if id != "" {
			if err := (Key{id, VariantOriginal}).check(); err != nil {
				yield(Entry{}, err)
				return
			}
			prefix += string(id) + "/"
		}
		for info := range s.client.ListObjectsIter(ctx, s.bucket,
			minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
			if info.Err != nil {
				yield(Entry{}, fmt.Errorf("list S3 objects: %w", info.Err))
				return
			}
			key, ok := s.keyOf(info.Key)
			if ok && !yield(Entry{Key: key, Size: info.Size, StoredAt: info.LastModified}, nil) {
				return
			}
		}
	}
}

// RemoveUnfinished implements Blobs: it aborts multipart uploads, whose parts cost storage but are not visible.
func (s *S3) RemoveUnfinished(ctx context.Context, before time.Time) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // ends the listing on an early return
	core := minio.Core{Client: s.client}
	for upload := range s.client.ListIncompleteUploads(ctx, s.bucket, s.prefix, true) {
		if upload.Err != nil {
			return fmt.Errorf("list unfinished S3 uploads: %w", upload.Err)
		}
		if _, ok := s.keyOf(upload.Key); !ok || !upload.Initiated.Before(before) {
			continue
		}
		if err := core.AbortMultipartUpload(ctx, s.bucket, upload.Key, upload.UploadID); err != nil {
			return fmt.Errorf("abort unfinished S3 upload: %w", err)
		}
	}
	return nil
}

func noSuchObject(err error) error {
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return ErrNotFound
	}
	return err
}
