package crier

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the zones of zones.txt, so that a machine without a zone database knows them too
)

// zoneNames is the IANA list that Go's time/tzdata embeds, one name per line, sorted; a test compares the two.
//
//go:embed zones.txt
var zoneNames string

var zoneList = sync.OnceValue(func() []string { return strings.Fields(zoneNames) })

// Zone is the name of a time zone of the embedded IANA list.
type Zone string

// ParseZone returns the zone of a name, ignoring case.
func ParseZone(word string) (Zone, bool) {
	list := zoneList()
	if i, found := slices.BinarySearch(list, word); found {
		return Zone(list[i]), true
	}
	i := slices.IndexFunc(list, func(name string) bool { return strings.EqualFold(name, word) })
	if i < 0 {
		return "", false
	}
	return Zone(list[i]), true
}

// Problem describes why the name is invalid; it is empty for a valid one.
func (z Zone) Problem() string {
	if _, found := slices.BinarySearch(zoneList(), string(z)); !found {
		return "must be a name of the IANA time zone list, such as Europe/Berlin"
	}
	return ""
}

// Location loads the zone.
func (z Zone) Location() (*time.Location, error) {
	if problem := z.Problem(); problem != "" {
		return nil, fmt.Errorf("time zone %.64q %s", string(z), problem)
	}
	return time.LoadLocation(string(z))
}
