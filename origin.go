package crier

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// Origin is a scheme and a host, with a port if it is not the scheme's default: https://app.example.com.
type Origin string

// originHost matches a host with its port. Names in other scripts are in punycode, as in browsers.
var originHost = regexp.MustCompile(`^[A-Za-z0-9.:\[\]-]+$`)

// Problem describes why the origin is invalid; it is empty for a valid one.
func (o Origin) Problem() string {
	const rule = "must be an origin such as https://app.example.com: https (http on this machine alone) and a host, " +
		"without a path"
	u, err := url.Parse(string(o))
	if err != nil || len(o) > 300 || !originHost.MatchString(u.Host) || u.User != nil || u.Hostname() == "" ||
		strings.ContainsAny(string(o), "?#") || u.Path != "" || !Protected(u) {
		return rule
	}
	return ""
}

// Canonical returns the origin as browsers write it.
func (o Origin) Canonical() Origin {
	u, err := url.Parse(string(o))
	if err != nil {
		return o
	}
	return OriginOf(u)
}

// OriginOf returns the origin of a URL as browsers write it: in lower case, without the scheme's default port.
func OriginOf(u *url.URL) Origin {
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch {
	case scheme == "https":
		host = strings.TrimSuffix(host, ":443")
	case scheme == "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return Origin(scheme + "://" + strings.TrimSuffix(host, ":"))
}

// Protected reports whether traffic to a URL cannot be read on the way: https, or http on this machine.
func Protected(u *url.URL) bool {
	switch u.Scheme {
	case "https":
		return true
	case "http":
		return OnThisMachine(u)
	}
	return false
}

// OnThisMachine reports whether a URL leads to the machine of its user: localhost, or an address of the loopback
// interface.
func OnThisMachine(u *url.URL) bool {
	host := u.Hostname()
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}
