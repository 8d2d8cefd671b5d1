package enrich

import "strings"

const (
	// negationReach is how many units before a sentiment word a negation applies to it.
	negationReach = 3
	// negationAfterReach is the same for negations that follow.
	negationAfterReach = 4
	// maxEmojiScore limits the weight of emoji, so that a row of them does not outweigh the words.
	maxEmojiScore = 2.0
)

const (
	happyEmoji = "😀😃😄😁😆😂🤣😊😇🙂😉😍🥰😘😋😎🤩🥳🤗😻❤♥🧡💛💚💙💜🩷🩵💖💗💓💕💞💘💝😸😺👍👏🙌🎉🎊🏆🥇✨🌟💪🔥💯"
	sadEmoji   = "😞😔😟😕🙁☹😣😖😫😩🥺😢😭😤😠😡🤬😱😨😰😥😓🤢🤮💔👎😿😾🤦😪🥀"
)

// sentiment weighs the sentiment words of the language, or of English if it is undetermined, and emoji.
func sentiment(text, tag string) Sentiment {
	if tag == Undetermined {
		tag = "en"
	}
	score := emojiScore(text)
	if lang := languages()[tag]; lang != nil {
		score += lang.score(splitUnits(normalize(text), tag))
	}
	switch {
	case score > 0:
		return Positive
	case score < 0:
		return Negative
	}
	return Neutral
}

func (l *language) score(u units) float64 {
	total := 0.0
	for at := 0; at < len(u.list); {
		good, bad := l.positive.match(u, at), l.negative.match(u, at)
		length := max(good, bad, 1)
		if good != bad { // the longer entry counts
			total += weight(good > bad, l.isNegated(u, at, at+length))
		}
		at += length
	}
	return total
}

// weight returns the weight of a sentiment word. Not bad is less than good, while not good is simply bad.
func weight(positive, negated bool) float64 {
	switch {
	case positive && !negated:
		return 1
	case !positive && negated:
		return 0.5
	}
	return -1
}

// isNegated reports whether a negation in the same clause applies to the units [from, to).
func (l *language) isNegated(u units, from, to int) bool {
	first, _ := u.clause(from-negationReach, from, from)
	for at := first; at < from; at++ {
		if n := l.negation.match(u, at); n > 0 && at+n <= from {
			return true
		}
	}
	_, end := u.clause(to, to+negationAfterReach, to)
	for at := to; at < end; at++ {
		if l.negationAfter.match(u, at) > 0 {
			return true
		}
	}
	return false
}

func emojiScore(text string) float64 {
	score := 0.0
	for _, r := range text {
		switch {
		case r < 0x2600: // below all of them
		case strings.ContainsRune(happyEmoji, r):
			score++
		case strings.ContainsRune(sadEmoji, r):
			score--
		}
	}
	return max(-maxEmojiScore, min(score, maxEmojiScore))
}
