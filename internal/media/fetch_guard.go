package media

import (
	"net/netip"
	"strings"
)

// notPublic lists ranges that the predicates of netip do not cover: addresses of private networks, of this machine,
// embedded IPv4 addresses, and unroutable ones (IANA special-purpose registries, RFC 6890).
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),        // this network
	netip.MustParsePrefix("100.64.0.0/10"),    // carrier-grade NAT; also a cloud's metadata service
	netip.MustParsePrefix("168.63.129.16/32"), // a cloud's metadata service on a public address
	netip.MustParsePrefix("192.0.0.0/24"),     // protocol assignments; also a cloud's metadata service
	netip.MustParsePrefix("192.0.2.0/24"),     // documentation
	netip.MustParsePrefix("192.88.99.0/24"),   // 6to4 relays
	netip.MustParsePrefix("198.18.0.0/15"),    // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"),  // documentation
	netip.MustParsePrefix("203.0.113.0/24"),   // documentation
	netip.MustParsePrefix("240.0.0.0/4"),      // reserved, broadcast
	netip.MustParsePrefix("2001::/23"),        // protocol assignments, Teredo
	netip.MustParsePrefix("2001:db8::/32"),    // documentation
	netip.MustParsePrefix("2002::/16"),        // 6to4
	netip.MustParsePrefix("3fff::/20"),        // documentation
}

// globalUnicast is the only IPv6 range assigned for the internet. IPv4-mapped, NAT64, unique local, link-local and
// multicast addresses are all outside of it.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// isPublic reports whether an address is a public internet address, to which untrusted input may make crier connect.
func isPublic(addr netip.Addr) bool {
	if addr.Zone() != "" || addr.Is4In6() {
		return false
	}
	if addr.Is6() && !globalUnicast.Contains(addr) {
		return false
	}
	if !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() {
		return false
	}
	for _, prefix := range notPublic {
		if prefix.Contains(addr) {
			return false
		}
	}
	return true
}

// looksNumeric reports whether the last label of a host name is a number, as in 2130706433, 0x7f.1 or 127.1. Some
// resolvers parse these as addresses, and no name on the internet ends so (WHATWG URL, "ends in a number").
func looksNumeric(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndex(host, ".")+1:]
	if last == "" {
		return true
	}
	if hex, ok := strings.CutPrefix(strings.ToLower(last), "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}
