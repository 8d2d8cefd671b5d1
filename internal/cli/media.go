package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

func (s *Shell) mediaCommand() *cobra.Command {
	return Group("media", "The media library",
		"  crier media upload video.mp4\n  crier media import https://example.com/photo.jpg\n  crier media list",
		s.mediaUpload(), s.mediaImport(), s.mediaList(), s.mediaDelete())
}

func (s *Shell) mediaUpload() *cobra.Command {
	var altTexts []string
	var resume string
	cmd := &cobra.Command{
		Use: "upload FILE...", Short: "Upload files, with progress; a broken upload can be resumed",
		Args: cobra.MinimumNArgs(1),
		Example: "  crier media upload photo.jpg --alt \"A red bicycle\"\n  crier media upload *.png\n" +
			"  crier media upload video.mp4 --resume UPLOAD",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(altTexts) > len(args):
				return usagef("there are more --alt than files: each describes one file, in order")
			case resume != "" && len(args) > 1:
				return usagef("--resume continues one upload: give one file")
			}
			if err := readable(args); err != nil {
				return err
			}
			c, team, err := s.inTeam(cmd.Context())
			if err != nil {
				return err
			}
			if len(args) > 1 {
				return s.uploadSeveral(cmd.Context(), c, team, args, altTexts)
			}
			asset, err := s.upload(cmd.Context(), c, team, args[0], strings.Join(altTexts, ""), resume)
			if err != nil {
				return err
			}
			return s.Show(asset, "", func(w io.Writer) { writeUploaded(w, asset) })
		},
	}
	cmd.Flags().StringArrayVar(&altTexts, "alt", nil,
		"what a file shows, for those who cannot see it; the first one belongs to the first file")
	cmd.Flags().StringVar(&resume, "resume", "", "id of an interrupted upload")
	filled(cmd.Flags(), "resume")
	return cmd
}

// readable fails if one of the files cannot be read, before any of them is uploaded.
func readable(files []string) error {
	for _, name := range files {
		file, err := os.Open(name) //nolint:gosec // the person names the file
		if err != nil {
			return notOpened(err)
		}
		stat, err := file.Stat()
		_ = file.Close() // it was only checked
		if err != nil {
			return fmt.Errorf("read the file: %w", err)
		}
		if stat.IsDir() {
			return usagef("%s is a directory: name the files in it, such as %s", name,
				quoted(filepath.Join(name, "photo.jpg")))
		}
	}
	return nil
}

func writeUploaded(w io.Writer, asset crier.Asset) {
	fmt.Fprintf(w, "Uploaded %s: %s, %s\n", asset.FileName, asset.ID, asset.Status)
}

// uploaded is the result of one of several uploads.
type uploaded struct {
	File  string       `json:"file"`
	Asset *crier.Asset `json:"asset,omitempty"`
	Error string       `json:"error,omitempty"`
}

// uploadsError means that some files were not uploaded.
type uploadsError struct {
	failed []string
	total  int
}

func (e *uploadsError) Error() string {
	return fmt.Sprintf("%d of %s not uploaded: %s", len(e.failed), counted(e.total, "file")+wereOrWas(len(e.failed)),
		strings.Join(e.failed, ", "))
}

func wereOrWas(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}

// uploadSeveral uploads files one after the other. It continues after a failure.
func (s *Shell) uploadSeveral(ctx context.Context, c *client.Client, team crier.ID, files, altTexts []string) error {
	results := struct {
		Data []uploaded `json:"data"`
	}{Data: []uploaded{}}
	failed := &uploadsError{total: len(files)}
	for i, name := range files {
		altText := ""
		if i < len(altTexts) {
			altText = altTexts[i]
		}
		fmt.Fprintf(s.stderr, "File %d of %d: %s\n", i+1, len(files), printable(name))
		asset, err := s.upload(ctx, c, team, name, altText, "")
		if interrupted(err) {
			return err
		}
		result := uploaded{File: name}
		if err != nil {
			result.Error = ErrorText(err)
			failed.failed = append(failed.failed, name)
			fmt.Fprintf(s.stderr, "%s: %s\n", printable(name), result.Error)
		} else {
			result.Asset = &asset
		}
		results.Data = append(results.Data, result)
	}
	err := s.Show(results, "", func(w io.Writer) {
		for _, r := range results.Data {
			if r.Asset != nil {
				writeUploaded(w, *r.Asset)
			}
		}
	})
	if err == nil && len(failed.failed) > 0 {
		return failed
	}
	return err
}

// upload uploads a file to the media library, resuming an interrupted upload.
func (s *Shell) upload(ctx context.Context, c *client.Client, team crier.ID, name, altText, resume string) (crier.Asset,
	error) {
	var none crier.Asset
	file, err := os.Open(name) //nolint:gosec // the person names the file
	if err != nil {
		return none, notOpened(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	stat, err := file.Stat()
	if err != nil {
		return none, fmt.Errorf("read the file: %w", err)
	}
	in := crier.UploadCreate{FileName: crier.FileName(filepath.Base(name)), MimeType: typeOf(file),
		ByteSize: stat.Size()}
	if altText != "" {
		in.AltText = &altText
	}
	upload, err := startUpload(ctx, c, team, in, resume)
	if err != nil {
		return none, err
	}
	again := fmt.Sprintf("crier media upload %s --resume %s", quoted(name), upload.UploadID)
	// printed now, because a killed program prints nothing
	fmt.Fprintf(s.stderr, "If this is interrupted, continue with: %s\n", again)
	defer s.endProgress()
	asset, err := c.ResumeUpload(ctx, team, upload, file, s.progress)
	if client.IsKind(err, crier.KindInvalid) { // the file itself is rejected: retrying cannot help
		return none, err
	}
	if err != nil {
		return none, errors.Join(err, errors.New("continue with: "+again))
	}
	return asset, nil
}

// startUpload starts an upload, or returns the one to resume, which must have the size of the file.
func startUpload(ctx context.Context, c *client.Client, team crier.ID, in crier.UploadCreate,
	resume string) (crier.Upload, error) {
	if resume == "" {
		return c.CreateUpload(ctx, team, in)
	}
	id, ok := crier.ParseID(resume)
	if !ok {
		return crier.Upload{}, usagef("--resume must be the id of an upload, got %q", resume)
	}
	upload, err := c.GetUpload(ctx, team, id)
	if err == nil && upload.ByteSize != in.ByteSize {
		err = fmt.Errorf("the upload is for a file of %d bytes, %s has %d", upload.ByteSize, in.FileName, in.ByteSize)
	}
	return upload, err
}

// byteSize formats a size for people.
func byteSize(n int64) string {
	const unit = 1 << 10
	if n < unit {
		return counted(int(n), "byte")
	}
	value, units := float64(n)/unit, []string{"KiB", "MiB", "GiB"}
	for len(units) > 1 && math.Round(value*10)/10 >= unit { // as displayed: no 1024.0 KiB
		value, units = value/unit, units[1:]
	}
	return fmt.Sprintf("%.1f %s", value, units[0])
}

// typeOf guesses a file's type; the server detects it from the bytes anyway.
func typeOf(file *os.File) string {
	if t := mime.TypeByExtension(filepath.Ext(file.Name())); t != "" {
		media, _, _ := strings.Cut(t, ";")
		return media
	}
	head := make([]byte, 512)
	n, _ := file.ReadAt(head, 0) // a short file is completely in n
	return http.DetectContentType(head[:n])
}

// progress draws a progress bar on a terminal.
func (s *Shell) progress(sent, total int64) {
	if !Interactive(s.stderr) {
		return
	}
	const usual, frame = 40, len("[] 100 % ") // a terminal breaks a line that fills it
	width := int64(min(usual, max(s.width()-frame, 1)))
	done := int(sent * width / max(total, 1))
	fmt.Fprintf(s.stderr, "\r[%s%s] %3d %%", strings.Repeat("█", done), strings.Repeat("·", int(width)-done),
		sent*100/max(total, 1))
	if s.drawing = true; sent == total {
		s.endProgress()
	}
}

// endProgress ends the line of a progress bar, so that what follows, such as an error, has a line of its own.
func (s *Shell) endProgress() {
	if s.drawing {
		fmt.Fprintln(s.stderr)
	}
	s.drawing = false
}

func (s *Shell) mediaList() *cobra.Command {
	var p paging
	cmd := &cobra.Command{
		Use: "list", Short: "List the files, the newest first", Example: "  crier media list --all", Args: cobra.NoArgs,
	}
	cmd.RunE = s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, _ []string) error {
		page, err := fetch(ctx, p, func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Asset], error) {
			return c.ListAssets(ctx, team, o)
		})
		if err != nil {
			return err
		}
		return s.Show(page, "ID\tNAME\tTYPE\tSIZE\tSTATUS\tDESCRIPTION", func(w io.Writer) {
			for _, a := range page.Data {
				Row(w, a.ID, shorten(a.FileName, 40), a.MimeType, byteSize(a.ByteSize), a.Status,
					shorten(text(a.AltText), 40))
			}
			more(w, cmd, page, "file")
		})
	})
	p.add(cmd)
	return cmd
}

func (s *Shell) mediaImport() *cobra.Command {
	var altText, name string
	cmd := &cobra.Command{
		Use: "import ADDRESS", Short: "Import a file from a URL", Args: cobra.ExactArgs(1),
		Example: "  crier media import https://example.com/photo.jpg --alt \"A red bicycle\"",
		RunE: s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, args []string) error {
			in := crier.AssetImport{URL: crier.WebURL(args[0])}
			if altText != "" {
				in.AltText = &altText
			}
			if name != "" {
				in.FileName = (*crier.FileName)(&name)
			}
			a, err := c.ImportAsset(ctx, team, in)
			if err != nil {
				return err
			}
			return s.Show(a, "", func(w io.Writer) {
				fmt.Fprintf(w, "Imported %s: %s, %s\n", a.FileName, a.ID,
					a.Status)
			})
		}),
	}
	cmd.Flags().StringVar(&altText, "alt", "", "description for people who cannot see it")
	cmd.Flags().StringVar(&name, "name", "", "name of the file in the library; default: from the URL")
	cmd.ValidArgsFunction = cobra.NoFileCompletions
	return cmd
}

func (s *Shell) mediaDelete() *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete FILE", Short: "Delete a file from the library", Example: "  crier media delete photo.jpg",
		Args: cobra.ExactArgs(1),
		RunE: s.forTeam(func(ctx context.Context, c *client.Client, team crier.ID, args []string) error {
			id, err := s.findAsset(ctx, c, team, args[0])
			if err != nil {
				return err
			}
			a, err := c.GetAsset(ctx, team, id)
			if err != nil {
				return err
			}
			if err := s.confirm(ctx, "This deletes %s (%s) from the media library.", a.FileName,
				byteSize(a.ByteSize)); err != nil {
				return err
			}
			out, err := c.DeleteAsset(ctx, team, id)
			if err != nil {
				return err
			}
			return s.Show(out, "", func(w io.Writer) { fmt.Fprintln(w, "Deleted.") })
		}),
	}
	return completesFirst(cmd, s.teamWords(s.assetWords))
}

// notOpened says which file cannot be read, and why.
func notOpened(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return usagef("cannot open %s: %v", failed.Path, failed.Err)
	}
	return usagef("cannot open the file: %v", err)
}
