package enrich

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// languageFiles hold the data of each language, one file per tag. A file has sections: [function], the function words;
// [sample], ordinary text for letter sequences; [positive] and [negative], sentiment words; [negation], words that
// negate the sentiment that follows; [negation after], those that negate the one before. In sentiment words and
// negations a * at the end stands for any ending and _ for a space.
//
//go:embed languages/*.txt
var languageFiles embed.FS

// language is a parsed file.
type language struct {
	tag           string
	sample        string
	function      map[string]bool
	positive      lexicon
	negative      lexicon
	negation      lexicon
	negationAfter lexicon
}

// languages are the parsed files by tag.
var languages = sync.OnceValue(func() map[string]*language {
	known := map[string]*language{}
	for _, name := range must(fs.Glob(languageFiles, "languages/*.txt")) {
		tag := strings.TrimSuffix(path.Base(name), ".txt")
		known[tag] = readLanguage(tag, string(must(languageFiles.ReadFile(name))))
	}
	return known
})

// must is for reading embedded files, which cannot be missing.
func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("read embedded language files: %v", err))
	}
	return value
}

func readLanguage(tag, content string) *language {
	sections := map[string]string{}
	name := ""
	for line := range strings.Lines(content) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") {
			name = strings.Trim(line, "[]")
			continue
		}
		sections[name] += line + " "
	}
	function := map[string]bool{}
	for word := range strings.FieldsSeq(lower(sections["function"])) {
		function[word] = true
	}
	return &language{
		tag:           tag,
		sample:        sections["function"] + sections["sample"],
		function:      function,
		positive:      newLexicon(sections["positive"]),
		negative:      newLexicon(sections["negative"]),
		negation:      newLexicon(sections["negation"]),
		negationAfter: newLexicon(sections["negation after"]),
	}
}
