package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *shell) mediaCommand() *cobra.Command {
	return group("media", "The media library", "  crier media upload video.mp4\n  crier media list", s.mediaUpload(), s.mediaList())
}

func (s *shell) mediaUpload() *cobra.Command {
	var altText, resume string
	cmd := &cobra.Command{
		Use: "upload FILE", Short: "Upload a file, with progress; a broken upload can be resumed", Args: cobra.ExactArgs(1),
		Example: "  crier media upload photo.jpg --alt-text \"A red bicycle\"\n  crier media upload video.mp4 --resume UPLOAD",
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := os.Open(args[0])
			if err != nil {
				return fmt.Errorf("open the file: %w", err)
			}
			defer func() { _ = file.Close() }() // it was only read
			return s.upload(cmd.Context(), file, altText, resume)
		},
	}
	cmd.Flags().StringVar(&altText, "alt-text", "", "a description for those who cannot see it")
	cmd.Flags().StringVar(&resume, "resume", "", "id of an upload that broke off")
	return cmd
}

// upload asks and brings a file into the media library, from where an earlier try broke off.
func (s *shell) upload(ctx context.Context, file *os.File, altText, resume string) error {
	stat, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at the file: %w", err)
	}
	c, team, err := s.inTeam(ctx)
	if err != nil {
		return err
	}
	in := crier.UploadCreate{FileName: crier.FileName(filepath.Base(file.Name())), MimeType: typeOf(file), ByteSize: stat.Size()}
	if altText != "" {
		in.AltText = &altText
	}
	if err := s.confirm(ctx, "This uploads %s (%s, %s) to the media library, which costs nothing.", in.FileName, in.MimeType, byteSize(in.ByteSize)); err != nil {
		return err
	}
	upload, err := beginUpload(ctx, c, team, in, resume)
	if err != nil {
		return err
	}
	again := fmt.Sprintf("crier media upload %s --resume %s", file.Name(), upload.UploadID)
	fmt.Fprintf(s.stderr, "If this breaks off, go on with: %s\n", again) // now, because a program that is killed says nothing
	asset, err := c.ResumeUpload(ctx, team, upload, file, s.progress)
	if client.IsKind(err, crier.KindInvalid) { // the file itself is refused: another try would end alike
		return err
	}
	if err != nil {
		return errors.Join(err, errors.New("go on with: "+again))
	}
	return s.show(asset, "", func(w io.Writer) { fmt.Fprintf(w, "Uploaded %s: %s, %s\n", asset.FileName, asset.ID, asset.Status) })
}

// beginUpload begins an upload, or finds the one to resume, which must be of the same file as far as its size tells.
func beginUpload(ctx context.Context, c *client.Client, team crier.ID, in crier.UploadCreate, resume string) (crier.Upload, error) {
	if resume == "" {
		return c.CreateUpload(ctx, team, in)
	}
	id, ok := crier.ParseID(resume)
	if !ok {
		return crier.Upload{}, fmt.Errorf("--resume must be the id of an upload, got %q", resume)
	}
	upload, err := c.GetUpload(ctx, team, id)
	if err == nil && upload.ByteSize != in.ByteSize {
		err = fmt.Errorf("the upload is for a file of %d bytes, %s has %d", upload.ByteSize, in.FileName, in.ByteSize)
	}
	return upload, err
}

// byteSize is a size as people read it.
func byteSize(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return counted(int(n), "byte")
}

// typeOf guesses a file's type; the server reads it from the bytes anyway.
func typeOf(file *os.File) string {
	if t := mime.TypeByExtension(filepath.Ext(file.Name())); t != "" {
		media, _, _ := strings.Cut(t, ";")
		return media
	}
	head := make([]byte, 512)
	n, _ := file.ReadAt(head, 0) // a short file is all in n
	return http.DetectContentType(head[:n])
}

// progress draws a bar on a terminal.
func (s *shell) progress(sent, total int64) {
	if !interactive(s.stderr) {
		return
	}
	const width = 40
	done := int(sent * width / max(total, 1))
	fmt.Fprintf(s.stderr, "\r[%s%s] %3d %%", strings.Repeat("█", done), strings.Repeat("·", width-done), sent*100/max(total, 1))
	if sent == total {
		fmt.Fprintln(s.stderr)
	}
}

func (s *shell) mediaList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the newest assets", Example: "  crier media list", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			page, err := c.ListAssets(cmd.Context(), team, client.ListOptions{})
			if err != nil {
				return err
			}
			return s.show(page, "ID\tNAME\tTYPE\tBYTES\tSTATUS", func(w io.Writer) {
				for _, a := range page.Data {
					row(w, a.ID, shorten(a.FileName, 40), a.MimeType, a.ByteSize, a.Status)
				}
			})
		},
	}
}
