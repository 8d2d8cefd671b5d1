package media

import (
	"net/netip"
	"testing"
)

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	public := []string{"1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.255.255", "172.32.0.1", "100.63.255.255",
		"100.128.0.1",
		"192.0.1.1", "198.17.255.255", "223.255.255.255", "2606:4700:4700::1111", "2a00:1450:4001:82b::200e",
		"2400:cb00::1"}
	private := []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "127.0.0.1", "127.255.255.254", "100.64.0.1",
		"100.100.100.200",
		"100.127.255.255", "169.254.0.1", "169.254.169.254", "168.63.129.16", "172.16.0.1", "172.31.255.255",
		"192.0.0.192",
		"192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
		"224.0.0.1",
		"239.255.255.250", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1",
		"64:ff9b:1::a00:1", "100::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1", "2002:7f00:1::",
		"3fff::1",
		"5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
		"2606:4700:4700::1111%eth0",
	}
	for _, text := range public {
		if !isPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s is refused", text)
		}
	}
	for _, text := range private {
		if isPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s is allowed", text)
		}
	}
}

func TestObfuscatedIPAddressesAreDetected(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"2130706433", "0x7f000001", "0X7F.1", "017700000001", "127.1", "0177.0.0.1",
		"1.2.3.4.", "0", "0x", "a.b.1", ""} {
		if !looksNumeric(host) {
			t.Errorf("%q passes as a name", host)
		}
	}
	for _, host := range []string{"example.com", "example.com.", "1.2.3.example", "0xample.com",
		"xn--bcher-kva.example", "localhost", "3com"} {
		if looksNumeric(host) {
			t.Errorf("%q is taken for a number", host)
		}
	}
}

func TestNoProxyIsUsed(t *testing.T) {
	t.Parallel()
	transport := Fetcher{}.withDefaults().transport()
	if transport.Proxy != nil || !transport.DisableKeepAlives || transport.DialContext == nil {
		t.Error("a connection could be made that no check has seen")
	}
}
