package enrich

import (
	"slices"
	"strings"
	"testing"
)

func TestLanguageFilesAreWellFormed(t *testing.T) {
	t.Parallel()
	sections := []string{"[function]", "[sample]", "[positive]", "[negative]", "[negation]", "[negation after]"}
	for tag := range languages() {
		content, err := languageFiles.ReadFile("languages/" + tag + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "[") && !slices.Contains(sections, line) {
				t.Errorf("%s: unknown section %s", tag, line)
			}
		}
	}
}

func TestNoWordIsBothPositiveAndNegative(t *testing.T) {
	t.Parallel()
	for tag, lang := range languages() {
		for _, words := range []map[string]bool{lang.positive.entries, lang.positive.stems} {
			for word := range words {
				if lang.negative.entries[word] || lang.negative.hasStem(word) {
					t.Errorf("%s: %s", tag, word)
				}
			}
		}
		for word := range lang.negative.entries {
			if lang.positive.hasStem(word) {
				t.Errorf("%s: %s", tag, word)
			}
		}
	}
}

func TestEveryLanguageOfASharedScriptHasASample(t *testing.T) {
	t.Parallel()
	want := strings.Fields("bg cs da de en es fi fr hu id it nl no pl pt ro ru sv tr uk vi")
	var got []string
	for _, model := range letterModels() {
		for _, lang := range model.languages {
			got = append(got, lang.tag)
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("languages told apart by letters: %v, want %v", got, want)
	}
}
