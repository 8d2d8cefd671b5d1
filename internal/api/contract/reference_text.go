package contract

import "strings"

// block is a paragraph or a list of a description.
type block struct {
	Text  []span
	Items [][]span
}

// span is plain text or code.
type span struct {
	Text string
	Code bool
}

// prose parses the subset of Markdown that descriptions use: paragraphs, bullets and code spans. Everything else is
// left unchanged. The template escapes the spans, so that nothing in a description becomes markup.
func prose(text string) []block {
	var blocks []block
	open := false // the last block takes further lines
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		item, isItem := bullet(line)
		switch {
		case line == "":
			open = false
		case isItem:
			addItem(&blocks, item)
			open = true
		case open:
			extend(&blocks[len(blocks)-1], line)
		default:
			blocks = append(blocks, block{Text: spans(line)})
			open = true
		}
	}
	return blocks
}

func bullet(line string) (string, bool) {
	for _, mark := range []string{"* ", "- "} {
		if item, ok := strings.CutPrefix(line, mark); ok {
			return item, true
		}
	}
	return "", false
}

// addItem adds a bullet to the list at the end of the blocks, or starts one.
func addItem(blocks *[]block, item string) {
	if len(*blocks) == 0 || (*blocks)[len(*blocks)-1].Items == nil {
		*blocks = append(*blocks, block{})
	}
	last := &(*blocks)[len(*blocks)-1]
	last.Items = append(last.Items, spans(item))
}

// extend adds a line to the paragraph or to the last bullet of a block.
func extend(b *block, line string) {
	more := append([]span{{Text: " "}}, spans(line)...)
	if b.Items == nil {
		b.Text = append(b.Text, more...)
		return
	}
	last := len(b.Items) - 1
	b.Items[last] = append(b.Items[last], more...)
}

// spans splits a line at its backquotes; an unpaired one is text.
func spans(line string) []span {
	parts := strings.Split(line, "`")
	if len(parts)%2 == 0 {
		end := len(parts) - 2
		parts = append(parts[:end:end], parts[end]+"`"+parts[end+1])
	}
	var out []span
	for i, part := range parts {
		if part != "" {
			out = append(out, span{Text: part, Code: i%2 == 1})
		}
	}
	return out
}
