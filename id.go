package crier

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// IDPattern matches every identifier on the wire.
const IDPattern = `^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`

// ID is a UUID in its lower-case text form. Two spellings of one UUID are the same ID after ParseID or decoding.
type ID string

// NewID returns a new version 7 UUID, so that identifiers sort by creation.
func NewID() ID {
	id, err := uuid.NewV7()
	if err != nil {
		// the system has no entropy source: nothing can work
		panic(fmt.Sprintf("no randomness to make an id from: %v", err))
	}
	return ID(id.String())
}

// DerivedID returns the UUID of name in the namespace of parent; it is always the same.
func DerivedID(parent ID, name string) ID {
	return ID(uuid.NewSHA1(uuid.MustParse(string(parent)), []byte(name)).String())
}

// ParseID parses the hyphenated form of a UUID in either case; ok is false for anything else.
func ParseID(s string) (id ID, ok bool) {
	if len(s) != 36 {
		return "", false
	}
	for i, c := range []byte(s) {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return "", false
			}
		default:
			if !isHex(c) {
				return "", false
			}
		}
	}
	return ID(strings.ToLower(s)), true
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// UnmarshalText accepts what ParseID accepts.
func (id *ID) UnmarshalText(text []byte) error {
	parsed, ok := ParseID(string(text))
	if !ok {
		return errors.New("must be a UUID, such as 018f3f6e-7c1a-7d2b-9a55-0b6c3a1f2e4d")
	}
	*id = parsed
	return nil
}
