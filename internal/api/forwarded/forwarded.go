// Package forwarded determines the client address of requests that came through proxies.
package forwarded

import (
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the addresses that are trusted to name the caller.
type Proxies []netip.Prefix

// Resolve replaces the address of a request that a trusted proxy forwarded with the caller's, and reports whether the
// caller used TLS. Headers of anybody else are ignored: they could contain any address.
func (p Proxies) Resolve(r *http.Request) (secure bool) {
	secure = r.TLS != nil
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !p.contain(peer.Addr()) {
		return secure
	}
	hops := hopsOf(r.Header)
	if scheme := schemeOf(r.Header, hops); scheme != "" {
		secure = scheme == "https"
	}
	caller := peer.Addr()
	for i := len(hops) - 1; i >= 0 && p.contain(caller); i-- {
		if !hops[i].addr.IsValid() { // a proxy that hides its peer: nobody before it is known
			break
		}
		caller = hops[i].addr
	}
	if caller != peer.Addr() {
		r.RemoteAddr = netip.AddrPortFrom(caller, 0).String()
	}
	return secure
}

func (p Proxies) contain(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, prefix := range p {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// hop is one element of Forwarded or X-Forwarded-For, the caller first.
type hop struct {
	addr  netip.Addr // invalid when the proxy hides it
	proto string
}

// hopsOf parses Forwarded (RFC 7239), or X-Forwarded-For if there is none.
func hopsOf(h http.Header) []hop {
	var hops []hop
	for element := range strings.SplitSeq(strings.Join(h.Values("Forwarded"), ","), ",") {
		if element = strings.TrimSpace(element); element == "" {
			continue
		}
		var next hop
		for pair := range strings.SplitSeq(element, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			value = strings.Trim(strings.TrimSpace(value), `"`)
			switch strings.ToLower(name) {
			case "for":
				next.addr = hopAddress(value)
			case "proto":
				next.proto = strings.ToLower(value)
			}
		}
		hops = append(hops, next)
	}
	if hops != nil {
		return hops
	}
	for part := range strings.SplitSeq(strings.Join(h.Values("X-Forwarded-For"), ","), ",") {
		if part = strings.TrimSpace(part); part != "" {
			hops = append(hops, hop{addr: hopAddress(part)})
		}
	}
	return hops
}

// hopAddress parses an address with or without a port; IPv6 addresses may be in brackets.
func hopAddress(text string) netip.Addr {
	if port, err := netip.ParseAddrPort(text); err == nil {
		return port.Addr().Unmap()
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap()
}

// schemeOf returns how the caller reached the outermost proxy: "http", "https" or "" if it is unknown.
func schemeOf(h http.Header, hops []hop) string {
	if len(hops) > 0 && hops[0].proto != "" {
		return hops[0].proto
	}
	first, _, _ := strings.Cut(h.Get("X-Forwarded-Proto"), ",")
	return strings.ToLower(strings.TrimSpace(first))
}
