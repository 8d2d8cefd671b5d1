package main

import (
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
	cmd := &cobra.Command{Use: "media", Short: "The media library", Example: "  crier media upload video.mp4\n  crier media list"}
	cmd.AddCommand(s.mediaUpload(), s.mediaList())
	return cmd
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
			stat, err := file.Stat()
			if err != nil {
				return fmt.Errorf("look at the file: %w", err)
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			upload := crier.Upload{UploadID: crier.ID(resume)}
			if resume != "" {
				upload, err = c.GetUpload(cmd.Context(), team, upload.UploadID)
			} else {
				in := crier.UploadCreate{FileName: crier.FileName(filepath.Base(args[0])), MimeType: typeOf(file, args[0]), ByteSize: stat.Size()}
				if altText != "" {
					in.AltText = &altText
				}
				upload, err = c.CreateUpload(cmd.Context(), team, in)
			}
			if err != nil {
				return err
			}
			if upload.ByteSize != stat.Size() {
				return fmt.Errorf("the upload is for a file of %d bytes, %s has %d", upload.ByteSize, args[0], stat.Size())
			}
			asset, err := c.ResumeUpload(cmd.Context(), team, upload, file, s.progress)
			if err != nil {
				return errors.Join(err, fmt.Errorf("go on with: crier media upload %s --resume %s", args[0], upload.UploadID))
			}
			return s.show(asset, "", func(w io.Writer) { fmt.Fprintf(w, "Uploaded %s: %s, %s\n", asset.FileName, asset.ID, asset.Status) })
		},
	}
	cmd.Flags().StringVar(&altText, "alt-text", "", "a description for those who cannot see it")
	cmd.Flags().StringVar(&resume, "resume", "", "id of an upload that broke off")
	return cmd
}

// typeOf guesses a file's type; the server reads it from the bytes anyway.
func typeOf(file *os.File, name string) string {
	if t := mime.TypeByExtension(filepath.Ext(name)); t != "" {
		media, _, _ := strings.Cut(t, ";")
		return media
	}
	head := make([]byte, 512)
	n, _ := file.ReadAt(head, 0) // a short file is all in n
	return http.DetectContentType(head[:n])
}

// progress draws a bar on a terminal.
func (s *shell) progress(sent, total int64) {
	if f, ok := s.stderr.(*os.File); !ok || !interactive(f) {
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
					fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", a.ID, shorten(a.FileName, 40), a.MimeType, a.ByteSize, a.Status)
				}
			})
		},
	}
}
