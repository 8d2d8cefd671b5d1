package x

import (
	"context"
	"testing"

	"crier/internal/provider"
)

func videoPost() provider.Content {
	return provider.Content{Action: provider.Post, Parts: []provider.Part{{Media: []provider.Media{video()}}}}
}

func TestTooLargeChunkRestartsWithHalfTheSize(t *testing.T) {
	t.Parallel()
	b := answering(t, 413, nil, "")
	st := provider.State{Uploads: []provider.Upload{{ID: "1", Step: stepAppending, ChunkSize: smallestChunk,
		Size: 1<<20 + 10, NextByte: 0}}}
	st, err := b.Prepare(context.Background(), b.account, videoPost(), st)
	failure := provider.AsError(err)
	if failure == nil || failure.Kind != provider.Temporary {
		t.Fatalf("Prepare error = %v, want a temporary one", err)
	}
	if u := st.Uploads[0]; u.Step != stepNew || u.ChunkSize != smallestChunk/2 || u.ID != "" {
		t.Errorf("upload %+v, want it new with half the chunk size", u)
	}
	st.Uploads[0] = provider.Upload{ID: "1", Step: stepAppending, ChunkSize: tinyChunk, Size: 1<<20 + 10}
	_, err = b.Prepare(context.Background(), b.account, videoPost(), st)
	if failure := provider.AsError(err); failure.Kind != provider.Rejected ||
		failure.Code != provider.CodeMediaRejected {
		t.Errorf("Prepare error = %v, want the media rejected in the end", err)
	}
}

func TestExpiredUploadRestartsAtMostThreeTimes(t *testing.T) {
	t.Parallel()
	b := answering(t, 404, nil, `{"title":"Not Found"}`)
	for _, step := range []string{stepAppending, stepSent, stepProcessing} {
		for redone := range maxRedone + 1 {
			st := provider.State{Uploads: []provider.Upload{{ID: "1", Step: step, ChunkSize: smallestChunk,
				Size: 1<<20 + 10, Redone: redone}}}
			st, err := b.Prepare(context.Background(), b.account, videoPost(), st)
			failure := provider.AsError(err)
			if redone < maxRedone && (failure.Kind != provider.Temporary || st.Uploads[0].Step != stepNew ||
				st.Uploads[0].Redone != redone+1) {
				t.Errorf("step %s, redone %d: %v, upload %+v; want a restart", step, redone, failure,
					st.Uploads[0])
			}
			if redone == maxRedone && failure.Kind != provider.Rejected {
				t.Errorf("step %s, redone %d: %v; want it given up", step, redone, failure)
			}
		}
	}
}

func TestFailedProcessingRejectsTheMedia(t *testing.T) {
	t.Parallel()
	b := answering(t, 200, nil,
		`{"data":{"id":"1","processing_info":{"state":"failed","error":{"code":1,"name":"InvalidMedia","message":"The video is broken."}}}}`)
	st := provider.State{Uploads: []provider.Upload{{ID: "1", Step: stepProcessing}}}
	st, err := b.Prepare(context.Background(), b.account, videoPost(), st)
	failure := provider.AsError(err)
	if failure == nil || failure.Code != provider.CodeMediaRejected || failure.Kind != provider.Rejected ||
		st.FailureCode != "InvalidMedia" {
		t.Errorf("Prepare = %+v, %v; want the media rejected", st, err)
	}
}

func TestProcessingWaitIsBounded(t *testing.T) {
	t.Parallel()
	b := answering(t, 200, nil, `{"data":{"id":"1","processing_info":{"state":"in_progress","check_after_secs":120}}}`)
	st := provider.State{Uploads: []provider.Upload{{ID: "1", Step: stepProcessing}}}
	st, err := b.Prepare(context.Background(), b.account, videoPost(), st)
	if err != nil || st.Ready || st.NextPollAfter.Sub(b.clock.Now()).Seconds() != 15 {
		t.Fatalf("Prepare = %+v, %v; want it polled again in 15 s", st, err)
	}
	b.clock.Advance(processingPatience + 1)
	st, err = b.Prepare(context.Background(), b.account, videoPost(), st)
	if provider.AsError(err) == nil || st.Uploads[0].Step != stepNew {
		t.Errorf("Prepare = %+v, %v; want a new upload after %v", st, err, processingPatience)
	}
}

func TestExpiredMediaIsUploadedAgainOnce(t *testing.T) {
	t.Parallel()
	b := answering(t, 400, nil,
		`{"type":"https://api.x.com/2/problems/invalid-request","errors":[{"message":"Your media IDs are invalid."}]}`)
	st := provider.State{Ready: true, Uploads: []provider.Upload{{ID: "1", Step: stepReady}}}
	st, err := b.Commit(context.Background(), b.account, videoPost(), st)
	failure := provider.AsError(err)
	if failure == nil || failure.Kind != provider.Temporary || st.Ready || st.Uploads[0].Step != stepNew {
		t.Fatalf("Commit = %+v, %v; want another upload", st, err)
	}
	st.Ready, st.Uploads[0] = true, provider.Upload{ID: "2", Step: stepReady, Redone: 1}
	_, err = b.Commit(context.Background(), b.account, videoPost(), st)
	if failure := provider.AsError(err); failure.Kind != provider.Rejected ||
		failure.Code != provider.CodeMediaRejected {
		t.Errorf("second Commit error = %v, want the media rejected", err)
	}
}
