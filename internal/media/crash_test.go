package media_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"crier"
	"crier/internal/media"
	"crier/internal/media/mediatest"
)

// crashFolder and crashUpload tell a copy of this test program to die while it writes.
const (
	crashFolder = "CRIER_TEST_CRASH_FOLDER"
	crashUpload = "CRIER_TEST_CRASH_UPLOAD"
)

// TestMain lets the test program be the writer that TestKilledServerLeavesNoPartialBlob kills.
func TestMain(m *testing.M) {
	if folder := os.Getenv(crashFolder); folder != "" {
		fmt.Fprintln(os.Stderr, writeForever(folder, crier.ID(os.Getenv(crashUpload))))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForever appends a chunk that never ends.
func writeForever(folder string, upload crier.ID) error {
	disk, err := media.NewDisk(folder)
	if err != nil {
		return err
	}
	forever := io.MultiReader(bytes.NewReader(make([]byte, media.MinChunkSize/2)),
		readerFunc(func([]byte) (int, error) {
			_, err := os.Stdout.WriteString("half of it is written\n")
			<-time.After(time.Hour) // the kill comes first
			return 0, err
		}))
	chunk := media.Chunk{Start: media.MinChunkSize, Length: media.MinChunkSize, Total: 10 * media.MinChunkSize}
	_, err = media.Uploads{Blobs: disk}.Append(context.Background(), upload, chunk, forever)
	return fmt.Errorf("the write came to an end: %w", err)
}

func TestKilledServerLeavesNoPartialBlob(t *testing.T) {
	t.Parallel()
	folder, upload := t.TempDir(), crier.NewID()
	disk, err := media.NewDisk(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	uploads := media.Uploads{Blobs: disk}
	appendChunk(t, uploads, upload, make([]byte, 10*media.MinChunkSize), 0, media.MinChunkSize)
	killWriter(t, folder, upload)

	wantNext(t, uploads, upload, media.MinChunkSize)
	leftovers, err := os.ReadDir(filepath.Join(folder, "tmp"))
	if err != nil || len(leftovers) != 1 {
		t.Errorf("%d leftovers, %v; want the half-written one", len(leftovers), err)
	}
	if err := disk.RemoveUnfinished(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	leftovers, err = os.ReadDir(filepath.Join(folder, "tmp"))
	if err != nil || len(leftovers) != 0 {
		t.Errorf("%d leftovers, %v; want none", len(leftovers), err)
	}
	appendChunk(t, uploads, upload, make([]byte, 10*media.MinChunkSize), media.MinChunkSize, media.MinChunkSize)
}

// killWriter starts a writer and kills it in the middle of a chunk.
func killWriter(t *testing.T, folder string, upload crier.ID) {
	t.Helper()
	writer := exec.CommandContext(t.Context(), os.Args[0])
	writer.Env = append(os.Environ(), crashFolder+"="+folder, crashUpload+"="+string(upload))
	output, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "half of it") {
		t.Errorf("the writer says %q, %v", line, err)
	}
	if err := writer.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := writer.Wait(); err == nil {
		t.Error("the writer ended well")
	}
}

func TestUnfinishedS3UploadsAreAborted(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out the S3 server")
	}
	server := mediatest.StartS3(t)
	blobs, err := media.NewS3(t.Context(), media.S3Options{Endpoint: server.Endpoint, Bucket: server.Bucket,
		Prefix:    "media",
		AccessKey: server.AccessKey, SecretKey: server.SecretKey, PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	core, err := minio.NewCore(strings.TrimPrefix(server.Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(server.AccessKey, server.SecretKey, ""), BucketLookup: minio.BucketLookupPath})
	if err != nil {
		t.Fatal(err)
	}
	object := "media/" + string(crier.NewID()) + "/original"
	if _, err := core.NewMultipartUpload(t.Context(), server.Bucket, object, minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := blobs.RemoveUnfinished(t.Context(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if count := unfinishedUploads(t, core, server.Bucket); count != 1 {
		t.Errorf("%d unfinished uploads after a sweep of old ones, want the young one", count)
	}
	if err := blobs.RemoveUnfinished(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if count := unfinishedUploads(t, core, server.Bucket); count != 0 {
		t.Errorf("%d unfinished uploads are left", count)
	}
}

func unfinishedUploads(t *testing.T, core *minio.Core, bucket string) int {
	t.Helper()
	uploads, err := core.ListMultipartUploads(t.Context(), bucket, "media/", "", "", "", 100)
	if err != nil {
		t.Fatal(err)
	}
	return len(uploads.Uploads)
}
