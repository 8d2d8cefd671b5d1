package auth

import "net/netip"

// NetworkOf returns the key under which attempts of a remote address are counted. The owner of one IPv6 address has all
// 2^64 of its network, so these count as one. An invalid address is counted as it is.
func NetworkOf(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	return netip.PrefixFrom(addr, 64).Masked().String()
}
