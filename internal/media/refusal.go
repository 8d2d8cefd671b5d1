package media

import "fmt"

// Reason classifies refusals for programs; the message is for people.
type Reason string

// The reasons for refusing a file, a chunk or an address.
const (
	ReasonEmpty         Reason = "empty"               // the file has no bytes
	ReasonUnsupported   Reason = "unsupported_type"    // an unsupported type
	ReasonWrongType     Reason = "wrong_type"          // the bytes are not of the declared type
	ReasonCutOff        Reason = "cut_off"             // the file is truncated
	ReasonCorrupt       Reason = "corrupt"             // the file is inconsistent
	ReasonTooLarge      Reason = "too_large"           // more bytes than allowed
	ReasonTooManyPixels Reason = "too_many_pixels"     // more pixels or frames than can be handled safely
	ReasonChunk         Reason = "invalid_chunk"       // a chunk of an upload that does not fit its session
	ReasonAddress       Reason = "address_refused"     // an address that crier does not fetch from
	ReasonUnencrypted   Reason = "unencrypted"         // a public address without TLS, where that is not allowed
	ReasonUnreachable   Reason = "address_unreachable" // an address that does not return the file
	ReasonTooSlow       Reason = "too_slow"            // a sender that exceeds the time limit
)

// Refusal is a fault of the file or the address, not of crier: retrying with the same input cannot help, except after
// ReasonUnreachable and ReasonTooSlow.
type Refusal struct {
	Reason  Reason
	Message string // whole sentences for the person who sent the file
	Err     error  // the cause, for the log; may be nil
}

// Error returns the message and the cause.
func (r *Refusal) Error() string {
	if r.Err != nil {
		return r.Message + " (" + r.Err.Error() + ")"
	}
	return r.Message
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Err }

func refuse(reason Reason, format string, args ...any) *Refusal {
	return &Refusal{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func cutOff(what string) *Refusal {
	return refuse(ReasonCutOff, "The %s is cut off: its end is missing. Upload the whole file.", what)
}

func corrupt(what, why string) *Refusal {
	return refuse(ReasonCorrupt, "The %s is damaged: %s.", what, why)
}
