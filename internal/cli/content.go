package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"crier"
	"crier/client"
)

// contentFlags are the flags for the content of a post.
type contentFlags struct {
	text, file string
	title      string
	retitled   bool // by --title, which may be empty
	media, alt []string
	variants   []string
	thread     bool
	edit       bool
}

func (f *contentFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.text, "text", "", "the text; without it the argument, --file, or what is piped in")
	flags.StringVarP(&f.file, "file", "f", "", "read the text from a file; - is the standard input")
	flags.StringArrayVar(&f.media, "media", nil,
		"a picture or video: a file to upload, or the id or name of one in the media library; repeat it for more")
	flags.StringArrayVar(&f.alt, "alt", nil,
		"what a medium shows, for those who cannot see it; the first one belongs to the first --media")
	flags.StringArrayVar(&f.variants, "variant", nil,
		"another text for one network or account, such as twitter=\"Shorter\"; repeat it for more")
	flags.BoolVar(&f.thread, "thread", false, "split the text into the parts of a thread at lines of ---")
	flags.BoolVar(&f.edit, "edit", false, "open $EDITOR to write the text")
	filled(flags, "file", "media")
	completesNothing(cmd, "text", "alt", "variant")
	cmd.MarkFlagsMutuallyExclusive("text", "file")
	if err := cmd.MarkFlagFilename("file", "md", "txt"); err != nil {
		panic(err) // only by a programming error
	}
}

// oneText accepts a text as one argument. Unquoted words are several.
func oneText(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return errors.New("the text is one argument: put quotes around it")
	}
	return nil
}

// content is the content of a post.
type content struct {
	title    string
	parts    []part
	variants []crier.PostVariant
}

// part is one post of a thread, or the only one.
type part struct {
	text  string
	media []medium
	links []crier.Attachment
}

// medium is a media file of a post.
type medium struct {
	asset crier.Asset
	alt   string
}

// String returns the name of the file for people.
func (m medium) String() string {
	about := []string{m.asset.MimeType, byteSize(m.asset.ByteSize)}
	if m.asset.Width != nil && m.asset.Height != nil {
		about = append(about, fmt.Sprintf("%d×%d", *m.asset.Width, *m.asset.Height))
	}
	if m.asset.DurationSeconds != nil {
		about = append(about, span(time.Duration(*m.asset.DurationSeconds*float64(time.Second))))
	}
	line := oneLine(m.asset.FileName) + " (" + strings.Join(about, ", ") + ")"
	if alt := cmp.Or(m.alt, text(m.asset.AltText)); alt != "" {
		return line + ": " + oneLine(alt)
	}
	return line + ", without a description (--alt)"
}

var threadBreak = regexp.MustCompile(`(?m)^---[ \t]*\r?$\n?`)

// read returns the text from the argument, a flag, a file, an editor or a pipe.
func (f *contentFlags) read(ctx context.Context, s *Shell, args []string) (content, error) {
	c := content{title: f.title}
	body, err := f.body(s, args)
	if err == nil {
		body, err = plainText(body)
	}
	if err == nil && f.edit {
		body, err = s.edited(ctx, body)
	}
	if err != nil {
		return c, err
	}
	c.parts = []part{{text: body}}
	if f.thread {
		c.parts = nil
		for _, piece := range splitThread(body) {
			c.parts = append(c.parts, part{text: piece})
		}
	}
	switch {
	case f.thread && len(c.parts) < crier.MinThreadParts:
		return c, usagef("a thread has at least %d parts: separate them by lines of ---", crier.MinThreadParts)
	case strings.TrimSpace(body) == "" && len(f.media) == 0:
		return c, usagef("there is no text: give it as an argument, with --file or --edit, or pipe it in")
	case len(f.alt) > len(f.media):
		return c, usagef("there are more --alt than --media: each describes one medium, in order")
	}
	return c, nil
}

// plainText removes what some editors and systems add to a text: the byte order mark, carriage returns and trailing
// newlines. Networks would publish and count them.
func plainText(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", usagef("the text is not UTF-8; pictures and videos go with --media")
	}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	return strings.TrimRight(text, "\n"), nil
}

// splitThread splits a text into the parts of a thread.
func splitThread(body string) []string {
	var parts []string
	for _, piece := range threadBreak.Split(body, -1) {
		if piece = strings.Trim(piece, "\n"); strings.TrimSpace(piece) != "" {
			parts = append(parts, piece)
		}
	}
	return parts
}

// addVariants resolves the targets of --variant. A later variant replaces an earlier one for the same target.
func (f *contentFlags) addVariants(ctx context.Context, s *Shell, c *client.Client, team crier.ID, to *content) error {
	for _, pair := range f.variants {
		target, body, ok := strings.Cut(pair, "=")
		if !ok || strings.TrimSpace(body) == "" {
			return usagef("--variant must be a network or an account and a text, such as twitter=\"Shorter\", got %q",
				pair)
		}
		v := crier.PostVariant{}
		if p := network(target); slices.Contains(crier.Providers(), p) {
			v.Provider = &p
		} else {
			id, err := s.findAccount(ctx, c, team, target)
			if err != nil {
				return err
			}
			v.SocialAccountID = &id
		}
		if parts := splitThread(body); f.thread && len(parts) > 1 {
			for _, piece := range parts {
				v.Posts = append(v.Posts, crier.AtomicPost{Text: piece})
			}
		} else {
			v.Text = &body
		}
		to.variants = append(slices.DeleteFunc(slices.Clone(to.variants), func(old crier.PostVariant) bool {
			return text(old.Provider) == text(v.Provider) && text(old.SocialAccountID) == text(v.SocialAccountID)
		}), v)
	}
	return nil
}

func (f *contentFlags) body(s *Shell, args []string) (string, error) {
	if len(args) > 0 && (f.text != "" || f.file != "") {
		return "", usagef("give the text once: as an argument, with --text or with --file")
	}
	switch {
	case len(args) > 0:
		return args[0], nil
	case f.text != "":
		return f.text, nil
	case f.file != "" && f.file != "-":
		data, err := os.ReadFile(f.file)
		if err != nil {
			return "", usagef("read the text: %v", err)
		}
		return string(data), nil
	case f.file != "-" && (Interactive(s.stdin) || f.edit || len(f.media) > 0):
		return "", nil
	}
	data, err := io.ReadAll(io.LimitReader(s.stdin, 1<<20))
	if err != nil {
		return "", fmt.Errorf("read the text: %w", err)
	}
	return string(data), nil
}

// edited opens the text in the person's editor and returns the result.
func (s *Shell) edited(ctx context.Context, text string) (string, error) {
	editor := cmp.Or(s.variable("VISUAL"), s.variable("EDITOR"), usualEditor())
	file, err := os.CreateTemp("", "crier-*.md")
	if err != nil {
		return "", fmt.Errorf("create a file to edit: %w", err)
	}
	keepFile := false
	defer func() {
		if !keepFile {
			_ = os.Remove(file.Name())
		}
	}()
	before := text
	if text != "" {
		text += "\n"
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("write the file to edit: %w", err)
	}
	cmd := editorCommand(ctx, editor, file.Name())
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = s.stdin, s.stderr, s.stderr, s.environ
	if !Interactive(s.stdin) { // the text was piped in
		if terminal, err := s.openTerminal(); err == nil {
			defer func() { _ = terminal.Close() }()
			cmd.Stdin = terminal
		}
	}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("the editor %s failed: %w; set EDITOR to another one", editor, err)
	}
	data, err := os.ReadFile(file.Name())
	if err != nil {
		return "", fmt.Errorf("read the edited text: %w", err)
	}
	if text, err = plainText(string(data)); err != nil {
		return "", err
	}
	if keepFile = text != before && strings.TrimSpace(text) != ""; keepFile {
		s.written = file.Name()
	}
	return text, nil
}

func usualEditor() string {
	if runtime.GOOS == "windows" {
		return "notepad"
	}
	return "vi"
}

// editorCommand opens a file in an editor, which may include arguments, such as "code --wait". It is parsed by the
// shell, as in git: a path may have spaces.
func editorCommand(ctx context.Context, editor, file string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(editor), file)
		return exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the person's own editor
	}
	return exec.CommandContext(ctx, "/bin/sh", "-c", editor+` "$@"`, editor, file) //nolint:gosec // as above
}

// finishEdit finishes a command with a text written in an editor: once it is stored the file is removed, otherwise its
// path is printed, so that the text is not lost.
func (s *Shell) finishEdit(stored bool) {
	switch {
	case s.written == "":
	case stored:
		_ = os.Remove(s.written) // it is a temporary file
	default:
		fmt.Fprintf(s.stderr, "Your text is in %s; continue with --edit --file %s\n", s.written, s.written)
	}
	s.written = ""
}

// input returns the content as the API accepts it.
func (c content) input() *crier.PostInput {
	posts := make([]crier.AtomicPost, len(c.parts))
	for i, p := range c.parts {
		posts[i] = crier.AtomicPost{Text: p.text, Attachments: p.attachments()}
	}
	if len(posts) > 1 {
		return &crier.PostInput{Thread: &crier.ThreadPost{Posts: posts}, Variants: c.variants}
	}
	return &crier.PostInput{Atomic: &posts[0], Variants: c.variants}
}

func (p part) attachments() []crier.Attachment {
	list := make([]crier.Attachment, 0, len(p.media)+len(p.links))
	for _, m := range p.media {
		list = append(list, crier.Attachment{Media: &crier.MediaAttachment{
			Asset: crier.AttachedAsset{AssetID: m.asset.ID}, AltText: m.alt,
		}})
	}
	return append(list, p.links...)
}

// rewrite replaces the texts of the parts. Each keeps its attachments; those of removed parts move to the last one.
func (c *content) rewrite(texts []part) {
	old := c.parts
	c.parts = make([]part, len(texts))
	for i, t := range texts {
		c.parts[i].text = t.text
	}
	for i, p := range old {
		to := &c.parts[min(i, len(c.parts)-1)]
		to.media, to.links = append(to.media, p.media...), append(to.links, p.links...)
	}
}

// attach resolves the variants and media of a post and uploads files. undo removes the uploads.
func (f *contentFlags) attach(ctx context.Context, s *Shell, c *client.Client, team crier.ID,
	to *content) (undo func() error,
	err error) {
	var uploaded []crier.ID
	undo = func() error { return s.discard(ctx, c, team, uploaded) }
	if err := f.addVariants(ctx, s, c, team, to); err != nil {
		return undo, err
	}
	for i, name := range f.media {
		m := medium{}
		if i < len(f.alt) {
			m.alt = f.alt[i]
		}
		stat, missing := os.Stat(name)
		switch {
		case missing == nil && stat.Mode().IsRegular():
			m.asset, err = s.uploadFile(ctx, c, team, name)
			if m.asset.ID != "" {
				uploaded = append(uploaded, m.asset.ID)
			}
		case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
			err = usagef("--media accepts local files and files of the media library; import this one first with "+
				"'crier media import %s'", name)
		case looksLikeFile(name):
			err = usagef("there is no file %s", name)
		default:
			var id crier.ID
			if id, err = s.findAsset(ctx, c, team, name); err == nil {
				m.asset, err = c.GetAsset(ctx, team, id)
			}
		}
		if err == nil {
			m.asset, err = settled(ctx, c, team, m.asset)
		}
		if err != nil {
			return undo, err
		}
		to.parts[0].media = append(to.parts[0].media, m)
	}
	return undo, nil
}

// looksLikeFile reports whether a name is a path, not a name in the library.
func looksLikeFile(name string) bool {
	return strings.ContainsRune(name, os.PathSeparator) || strings.HasPrefix(name, ".")
}

// assetPause is the pause between two checks whether a file is ready.
const assetPause = 200 * time.Millisecond

// settled waits until the server has processed a file.
func settled(ctx context.Context, c *client.Client, team crier.ID, asset crier.Asset) (crier.Asset, error) {
	for asset.Status == crier.AssetProcessing {
		select {
		case <-ctx.Done():
			return asset, ctx.Err()
		case <-time.After(assetPause):
		}
		next, err := c.GetAsset(ctx, team, asset.ID)
		if err != nil {
			return asset, err
		}
		asset = next
	}
	if asset.Status == crier.AssetFailed {
		return asset, fmt.Errorf("%s cannot be used: %s", asset.FileName, asset.FailureMessage)
	}
	return asset, nil
}

// uploadFile uploads a file to the media library.
func (s *Shell) uploadFile(ctx context.Context, c *client.Client, team crier.ID, path string) (crier.Asset, error) {
	file, err := os.Open(path) //nolint:gosec // the person names the file
	if err != nil {
		return crier.Asset{}, notOpened(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	stat, err := file.Stat()
	if err != nil {
		return crier.Asset{}, fmt.Errorf("read the file: %w", err)
	}
	defer s.endProgress()
	return c.Upload(ctx, team, crier.UploadCreate{
		FileName: crier.FileName(filepath.Base(path)), MimeType: typeOf(file), ByteSize: stat.Size(),
	}, file, s.progress)
}

// undoTime is how long the cleanup of an interrupted command may take.
const undoTime = 10 * time.Second

// discard removes uploaded files, even if the command was interrupted.
func (s *Shell) discard(ctx context.Context, c *client.Client, team crier.ID, assets []crier.ID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	var problems []error
	for _, id := range assets {
		if _, err := c.DeleteAsset(ctx, team, id); err != nil && !client.IsKind(err, crier.KindNotFound) {
			problems = append(problems, fmt.Errorf("the file %s could not be removed from the media library: %w", id,
				err))
		}
	}
	return errors.Join(problems...)
}

// threadText joins the parts of a post in the format of --thread.
func threadText(parts []part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return strings.Join(texts, "\n---\n")
}
