package api_test

import (
	"cmp"
	"slices"
	"testing"

	"crier"
	"crier/internal/media/mediatest"
	"crier/internal/server"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// library is a server with helpers for the media library.
type library struct{ servertest.Library }

func startLibrary(tb testing.TB, db database, options ...servertest.Option) library {
	tb.Helper()
	return library{servertest.StartLibrary(tb, db, options...)}
}

// withS3 stores the files in a bucket, under a separate prefix.
func withS3(s3 mediatest.S3) servertest.Option {
	return func(a *server.Config) {
		a.S3 = server.S3{
			Endpoint: s3.Endpoint, Bucket: s3.Bucket, AccessKey: s3.AccessKey, SecretKey: s3.SecretKey,
			Prefix: string(crier.NewID()),
		}
	}
}

// storeRules depend on the files of all teams, or move the clock by hours: each has a separate server, while all other
// rules use one team each on a shared server.
var storeRules = map[string]func(*testing.T, library){
	"what is no good file is refused and leaves nothing behind":      refusedFiles,
	"a form says what is wrong with it":                              refusedForms,
	"a repeated upload is answered once":                             repeatedUploads,
	"a picture is turned into JPEG once, for networks that need it":  turnedIntoJPEG,
	"an address is imported only if it leads to the public internet": refusedImports,
	"a file that arrives in pieces becomes the asset it is":          uploadInChunks,
	"an upload is completed once, however often it is asked for":     completedOnce,
	"a file that turns out to be bad goes with its upload":           refusedUploads,
	"a signed address ends when its time is over":                    addressesExpire,
	"uploads are removed when their time is over":                    expiredUploads,
	"files that belong to nothing are removed after a day":           orphans,
	"a deleted asset is removed for good after thirty days":          purgedAssets,
}

// TestMediaLibrary checks the rules of the library on both databases, with its files on disk, and with its files on S3.
func TestMediaLibrary(t *testing.T) {
	t.Parallel()
	all := func(t *testing.T, start func(*testing.T) library) {
		t.Helper()
		shared := start(t)
		for _, group := range []map[string]func(*testing.T, library){
			assetRules, contentRules, uploadRules, folderRules,
		} {
			for name, rule := range group {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					rule(t, library{shared.Join(t)})
				})
			}
		}
		for name, rule := range storeRules {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				rule(t, start(t))
			})
		}
	}
	for _, dialect := range []store.Dialect{store.SQLite, store.Postgres} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			all(t, func(t *testing.T) library {
				t.Helper()
				return startLibrary(t,
					servertest.Databases.Fresh(t, dialect))
			})
		})
	}
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		s3 := mediatest.StartS3(t)
		all(t, func(t *testing.T) library {
			t.Helper()
			return startLibrary(t, servertest.Databases.Fresh(t, store.SQLite), withS3(s3))
		})
	})
}

func formField(name, value string) servertest.FormPart {
	return servertest.FormPart{Field: name, Data: []byte(value)}
}

// compatible returns the networks that accept an asset, and the issues of those that do not.
func compatible(tb testing.TB, asset servertest.Response) (ok []string, issues map[string][]string) {
	tb.Helper()
	var body struct {
		Compatibility []struct {
			Provider string
			OK       bool
			Issues   []string
		}
	}
	asset.Into(tb, &body)
	issues = map[string][]string{}
	for _, c := range body.Compatibility {
		if c.OK != (len(c.Issues) == 0) {
			tb.Errorf("%s: ok is %v with the issues %q", c.Provider, c.OK, c.Issues)
		}
		if c.OK {
			ok = append(ok, c.Provider)
		} else {
			issues[c.Provider] = c.Issues
		}
	}
	slices.SortFunc(ok, cmp.Compare[string])
	return ok, issues
}
