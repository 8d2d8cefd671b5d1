package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crier"
	"crier/internal/backup"
	"crier/internal/cli"
	"crier/internal/server"
)

// passphraseVariable holds the passphrase of a backup's key, where no file does.
const passphraseVariable = "CRIER_BACKUP_PASSPHRASE" //nolint:gosec // the name of a variable

func (a *app) backupCommand() *cobra.Command {
	var options server.BackupOptions
	var withKey, asJSON bool
	var passphraseFile string
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Back up a running installation to a file",
		Long: "Writes a consistent copy of the database and a list of the media files with their checksums. " +
			"Media files are included with --with-media, the secret key with --with-key, encrypted with a " +
			"passphrase.\n" +
			"A backup cannot be used without the secret key: store them in different places.",
		Example: "  crier backup /backup/crier-2026-11-16.tar\n" +
			"  crier backup --with-media --with-key --passphrase-file /etc/crier/passphrase crier.tar",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if withKey {
				if options.Passphrase, err = a.passphrase(passphraseFile); err != nil {
					return err
				}
			}
			report, err := server.Backup(cmd.Context(), a.config.Config, args[0], options)
			if err != nil {
				return err
			}
			return a.printBackup(args[0], report, asJSON)
		},
	}
	cmd.Flags().BoolVar(&options.WithMedia, "with-media", false, "include the media files")
	cmd.Flags().BoolVar(&withKey, "with-key", false, "include the secret key, encrypted with a passphrase")
	cmd.Flags().StringVar(&passphraseFile, "passphrase-file", "", passphraseHelp)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, for scripts")
	return cmd
}

const passphraseHelp = "file with the passphrase of the secret key (environment, without a file: " +
	passphraseVariable + ")"

// passphrase reads the passphrase that encrypts the key of a backup.
func (a *app) passphrase(file string) (string, error) {
	if file != "" {
		data, err := os.ReadFile(file) //nolint:gosec // the operator names the file
		if err != nil {
			return "", fmt.Errorf("read the passphrase: %w", err)
		}
		return strings.TrimRight(string(data), "\r\n"), nil
	}
	for _, pair := range a.environ {
		if text, ok := strings.CutPrefix(pair, passphraseVariable+"="); ok && text != "" {
			return text, nil
		}
	}
	return "", cli.Usagef("the secret key needs a passphrase: give --passphrase-file or set %s", passphraseVariable)
}

func (a *app) printBackup(path string, r backup.Report, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(a.stdout).Encode(r)
	}
	fmt.Fprintf(a.stdout, "%s has the %s database as of %s.\n", path, r.Database, r.CreatedAt)
	if r.WithMedia {
		fmt.Fprintf(a.stdout, "It includes %d media files (%d bytes).\n", r.MediaFiles, r.MediaBytes)
	} else {
		fmt.Fprintf(a.stdout, "It lists %d media files (%d bytes), but does not include them: copy them too.\n",
			r.MediaFiles, r.MediaBytes)
	}
	if !r.WithKey {
		fmt.Fprintln(a.stdout, "It does not include the secret key, without which it cannot be used.")
	}
	return a.printMissing(r.MissingMedia)
}

// printMissing warns about missing media files.
func (a *app) printMissing(names []string) error {
	if len(names) == 0 {
		return nil
	}
	fmt.Fprintf(a.stderr, "%d media files are missing or changed; posts with them cannot be published:\n", len(names))
	const shown = 20
	for _, name := range names[:min(shown, len(names))] {
		fmt.Fprintln(a.stderr, "  "+name)
	}
	if len(names) > shown {
		fmt.Fprintf(a.stderr, "  and %d more, which --json lists\n", len(names)-shown)
	}
	return nil
}

func (a *app) restoreCommand() *cobra.Command {
	var options server.BackupOptions
	var asJSON bool
	var passphraseFile, asOf string
	cmd := &cobra.Command{
		Use:   "restore [FILE]",
		Short: "Restore an installation from a backup",
		Long: "Reads a backup into an empty data directory or an empty PostgreSQL database. The installation " +
			"that was backed up must not be running.\n" +
			"Nothing is sent twice: posts that were due between the backup and the first start of crier serve " +
			"after the restore are looked up on their network, and left to a person if they are not found.\n" +
			"After restoring a database by other means, such as pg_restore or a disk snapshot, mark it with " +
			"--as-of before any node starts.",
		Example: "  crier restore --data-dir /var/lib/crier crier.tar\n" +
			"  crier restore --passphrase-file /etc/crier/passphrase crier.tar\n" +
			"  crier restore --as-of 2026-11-16T03:00:00Z --database-url postgres://crier@db/crier",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if (len(args) == 1) == (asOf != "") {
				return cli.Usagef("give the FILE of a backup, or --as-of for a database that was restored already")
			}
			var done backup.Restored
			if asOf != "" {
				done, err = a.markRestored(cmd, asOf)
			} else {
				done, err = a.restore(cmd, args[0], passphraseFile, options)
			}
			if err != nil {
				return err
			}
			return a.printRestored(done, asJSON)
		},
	}
	cmd.Flags().StringVar(&passphraseFile, "passphrase-file", "", passphraseHelp)
	cmd.Flags().BoolVar(&options.CheckMedia, "check-media", false, "compare the checksums of all media files")
	cmd.Flags().StringVar(&asOf, "as-of", "", "when the copy was made that the database was restored from, such as "+
		"2026-11-16T03:00:00Z")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, for scripts")
	return cmd
}

func (a *app) restore(cmd *cobra.Command, path, passphraseFile string, o server.BackupOptions) (backup.Restored,
	error) {
	var err error
	if o.Passphrase, err = a.passphrase(passphraseFile); err != nil && passphraseFile != "" {
		return backup.Restored{}, err
	}
	return server.Restore(cmd.Context(), a.config.Config, path, o)
}

func (a *app) markRestored(cmd *cobra.Command, asOf string) (backup.Restored, error) {
	at, err := time.Parse(time.RFC3339, asOf)
	if err != nil {
		return backup.Restored{}, cli.Usagef("--as-of must be a time such as 2026-11-16T03:00:00Z, got %q", asOf)
	}
	if at.After(a.now()) {
		return backup.Restored{}, cli.Usagef("--as-of must be a time in the past, got %q", asOf)
	}
	found, err := server.MarkRestored(cmd.Context(), a.config.Config, crier.TimeOf(at))
	done := backup.Restored{RestoredAt: crier.TimeOf(a.now()), Due: found.Due, Later: found.Later}
	done.CreatedAt, done.MissingMedia = crier.TimeOf(at), []string{}
	return done, err
}

func (a *app) printRestored(r backup.Restored, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(a.stdout).Encode(r)
	}
	_, err := fmt.Fprintf(a.stdout, `Restored as of %s.

  What was written after that time is lost: posts, edits, times, members, and keys that were revoked since work again.
  %d posts, comments and reposts were due since: crier looks for each at its network when it starts. What it does not
  find waits as "unknown" for a person.
  %d are planned for later and go out as they were planned at the time of the backup. Those that are due before crier
  is started are looked for as well, since the old installation may have published them.
  All browser sessions have ended.

Make sure that the old installation does not run any more, then start crier serve.
`, r.CreatedAt, r.Due, r.Later)
	return errors.Join(err, a.printMissing(r.MissingMedia))
}
