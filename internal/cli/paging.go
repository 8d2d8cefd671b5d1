package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crier"
	"crier/client"
)

// paging are the flags that limit a list.
type paging struct {
	limit  int
	cursor string
	all    bool
}

func (p *paging) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&p.limit, "limit", crier.DefaultPageSize, "how many, at most 100")
	cmd.Flags().StringVar(&p.cursor, "cursor", "", "continue after the cursor in the last line of an earlier list")
	cmd.Flags().BoolVar(&p.all, "all", false, "show the whole list")
	cmd.MarkFlagsMutuallyExclusive("all", "cursor")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if p.limit < 1 || p.limit > crier.MaxPageSize {
			return usagef("--limit must be from 1 to %d, got %d; --all shows everything", crier.MaxPageSize, p.limit)
		}
		return nil
	}
}

// fetch reads one page or all.
func fetch[T any](ctx context.Context, p paging,
	page func(context.Context, client.ListOptions) (crier.Page[T], error)) (crier.Page[T], error) {
	options := client.ListOptions{Limit: p.limit, Cursor: p.cursor}
	if !p.all {
		return page(ctx, options)
	}
	options.Limit = crier.MaxPageSize
	whole := crier.Page[T]{Data: []T{}} // an empty list is [] in JSON, never null
	for {
		next, err := page(ctx, options)
		if err != nil {
			return whole, err
		}
		whole.Data = append(whole.Data, next.Data...)
		whole.Total, whole.TotalIsCapped = next.Total, next.TotalIsCapped
		if next.NextCursor == nil {
			return whole, nil
		}
		options.Cursor = *next.NextCursor
	}
}

// more ends the table of a list with the total and the command that shows the next page.
func more[T any](w io.Writer, cmd *cobra.Command, page crier.Page[T], noun string) {
	total := counted(int(page.Total), noun)
	if page.TotalIsCapped {
		total = fmt.Sprintf("more than %d %s", page.Total, plural(noun))
	}
	if page.NextCursor == nil {
		fmt.Fprintln(w, total)
		return
	}
	fmt.Fprintf(w, "%d of %s\n", len(page.Data), total)
	fmt.Fprintf(w, "more: %s --cursor %s\n", again(cmd), *page.NextCursor)
}

// again returns the command line without the cursor and secrets.
func again(cmd *cobra.Command) string {
	line := []string{cmd.CommandPath()}
	for _, argument := range cmd.Flags().Args() {
		line = append(line, quoted(argument))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch {
		case f.Name == "cursor" || f.Name == "token":
		case f.Value.Type() == "bool":
			line = append(line, "--"+f.Name)
		default:
			value := strings.TrimSuffix(strings.TrimPrefix(f.Value.String(), "["), "]")
			line = append(line, "--"+f.Name, quoted(value))
		}
	})
	return strings.Join(line, " ")
}

// quoted quotes a word for a shell.
func quoted(word string) string {
	safe := func(r rune) bool {
		return strings.ContainsRune("-_=:,./@+%", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' &&
			r <= 'Z'
	}
	if word != "" && strings.TrimFunc(word, safe) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
