package enrich

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Source is the analyzer that described a text.
type Source string

// The analyzers.
const (
	LocalSource  Source = "local"
	RemoteSource Source = "remote"
)

// Analysis is the description of a text and its source.
type Analysis struct {
	TextFacts
	Source Source
	// Fallback is why the local analyzer was used; nil if it was not.
	Fallback error
}

// ErrBudgetExhausted means that the endpoint is not used again before the next day (UTC).
var ErrBudgetExhausted = errors.New("the day's token budget is exhausted")

const (
	// maxRemoteText is the maximum number of characters that are sent: the start of a text suffices, and every
	// character costs.
	maxRemoteText = 8000
	// maxAnswerTokens limits the model's output, including its reasoning.
	maxAnswerTokens = 2000
	// maxAnswerBytes limits how much of a response is read.
	maxAnswerBytes = 1 << 20
)

// RemoteConfig configures a Remote. All fields are required except Key and Client.
type RemoteConfig struct {
	BaseURL     string        // such as https://api.example.com/v1
	Key         string        // sent as bearer token; some endpoints need none
	Model       string        // the endpoint's name of the model
	Timeout     time.Duration // for one text
	DailyTokens int64         // input and output, per day in UTC, for this process
	Client      *http.Client  // http.DefaultClient when nil
	Now         func() time.Time
}

// Remote describes texts with an OpenAI-compatible endpoint: language, topics and sentiment. Hashtags, mentions and
// links are always extracted locally, where the result is certain. It is safe for concurrent use.
type Remote struct {
	config RemoteConfig
	budget budget
}

// NewRemote returns a client of the endpoint. It does not call it.
func NewRemote(config RemoteConfig) *Remote {
	if config.Client == nil {
		config.Client = http.DefaultClient
	}
	return &Remote{config: config, budget: budget{limit: config.DailyTokens, now: config.Now}}
}

// Text describes a text. It always returns a result: if the endpoint is slow, unavailable, wrong or too expensive, that
// of the local analyzer, and Fallback says why. Nothing is retried.
func (r *Remote) Text(ctx context.Context, text string) Analysis {
	facts := Text(text)
	output, err := r.call(ctx, text)
	if err != nil {
		return Analysis{TextFacts: facts, Source: LocalSource, Fallback: fmt.Errorf("analyse text remotely: %w", err)}
	}
	facts.Language, facts.Topics, facts.Sentiment = output.Language, output.Topics, output.Sentiment
	return Analysis{TextFacts: facts, Source: RemoteSource}
}

// call makes one exchange with the endpoint, within time and budget.
func (r *Remote) call(ctx context.Context, text string) (modelOutput, error) {
	request, err := json.Marshal(newChatRequest(r.config.Model, cut(text, maxRemoteText)))
	if err != nil {
		return modelOutput{}, fmt.Errorf("write request: %w", err)
	}
	reserved := estimateTokens(request) + maxAnswerTokens
	day, err := r.budget.reserve(reserved)
	if err != nil {
		return modelOutput{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	answer, err := r.exchange(ctx, request)
	if err != nil {
		return modelOutput{}, err // the reservation stays: the endpoint may have done, and charged, the work
	}
	r.budget.settle(day, reserved, answer.Usage.TotalTokens)
	return readOutput(answer)
}

// exchange sends the request and decodes the envelope of the response.
func (r *Remote) exchange(ctx context.Context, body []byte) (chatAnswer, error) {
	address := strings.TrimSuffix(r.config.BaseURL, "/") + "/chat/completions"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return chatAnswer{}, fmt.Errorf("make request: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	if r.config.Key != "" {
		request.Header.Set("Authorization", "Bearer "+r.config.Key)
	}
	response, err := r.config.Client.Do(request)
	if err != nil {
		return chatAnswer{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return chatAnswer{}, fmt.Errorf("the endpoint answered %s", response.Status)
	}
	var answer chatAnswer
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswerBytes)).Decode(&answer); err != nil {
		return chatAnswer{}, fmt.Errorf("read answer: %w", err)
	}
	return answer, nil
}

// estimateTokens overestimates: a token is rarely shorter than two bytes.
func estimateTokens(request []byte) int64 { return int64(len(request)/2) + 1 }

// modelOutput is the requested output of the model.
type modelOutput struct {
	Language  string    `json:"language"`
	Topics    []string  `json:"topics"`
	Sentiment Sentiment `json:"sentiment"`
}

// readOutput accepts a response only if it has exactly the requested form.
func readOutput(answer chatAnswer) (modelOutput, error) {
	if len(answer.Choices) == 0 {
		return modelOutput{}, errors.New("the answer has no choices")
	}
	decoder := json.NewDecoder(strings.NewReader(answer.Choices[0].Message.Content))
	decoder.DisallowUnknownFields()
	var o modelOutput
	if err := decoder.Decode(&o); err != nil {
		return modelOutput{}, fmt.Errorf("read the model's JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return modelOutput{}, errors.New("the model wrote more than one JSON object")
	}
	return o.checked()
}

// checked returns the opinion in crier's spelling, or an error.
func (o modelOutput) checked() (modelOutput, error) {
	var err error
	if o.Language, err = baseLanguage(o.Language); err != nil {
		return modelOutput{}, err
	}
	switch o.Sentiment {
	case Positive, Neutral, Negative:
	default:
		return modelOutput{}, fmt.Errorf("sentiment %.40q is none of positive, neutral, negative", o.Sentiment)
	}
	if len(o.Topics) > MaxTopics {
		return modelOutput{}, fmt.Errorf("%d topics, at most %d were asked for", len(o.Topics), MaxTopics)
	}
	topics := make([]string, 0, len(o.Topics))
	for _, topic := range o.Topics {
		topic = strings.Join(strings.Fields(lower(topic)), " ")
		if topic == "" || utf8.RuneCountInString(topic) > maxValueLength || strings.IndexFunc(topic, isWordRune) < 0 {
			return modelOutput{}, fmt.Errorf("topic %.40q is no phrase of 1 to %d characters", topic, maxValueLength)
		}
		topics = append(topics, topic)
	}
	o.Topics = normalizeList(topics)
	return o, nil
}
