package forwarded

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"testing"
)

func TestProxiesResolveTheCaller(t *testing.T) {
	t.Parallel()
	trusted := Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"),
		netip.MustParsePrefix("127.0.0.1/32")}
	const peer = "10.0.0.1:4711"
	cases := map[string]struct {
		remote string
		header http.Header
		tls    bool
		want   string
		secure bool
	}{
		"no proxy":      {remote: "203.0.113.9:99", want: "203.0.113.9:99"},
		"no proxy, TLS": {remote: "203.0.113.9:99", tls: true, want: "203.0.113.9:99", secure: true},
		"no header":     {remote: peer, want: peer},
		"garbled peer":  {remote: "@", header: http.Header{"X-Forwarded-For": {"1.2.3.4"}}, want: "@"},
		"one hop": {remote: peer, header: http.Header{"X-Forwarded-For": {"203.0.113.9"}},
			want: "203.0.113.9:0"},
		"two trusted hops": {remote: peer, header: http.Header{"X-Forwarded-For": {"203.0.113.9, 10.2.2.2"}},
			want: "203.0.113.9:0"},
		"two header lines": {remote: peer, header: http.Header{"X-Forwarded-For": {"203.0.113.9", "10.2.2.2"}},
			want: "203.0.113.9:0"},
		"a forged first": {remote: peer, header: http.Header{"X-Forwarded-For": {"1.1.1.1, 203.0.113.9"}},
			want: "203.0.113.9:0"},
		"all trusted": {remote: peer, header: http.Header{"X-Forwarded-For": {"10.3.3.3"}}, want: "10.3.3.3:0"},
		"garbage":     {remote: peer, header: http.Header{"X-Forwarded-For": {"somebody"}}, want: peer},
		"garbage before": {remote: peer, header: http.Header{"X-Forwarded-For": {"somebody, 10.2.2.2"}},
			want: "10.2.2.2:0"},
		"with a port": {remote: peer, header: http.Header{"X-Forwarded-For": {"203.0.113.9:5000"}},
			want: "203.0.113.9:0"},
		"IPv6": {remote: "[fd00::1]:1", header: http.Header{"X-Forwarded-For": {"2001:db8::7"}},
			want: "[2001:db8::7]:0"},
		"mapped IPv4 peer": {remote: "[::ffff:10.0.0.1]:1", header: http.Header{"X-Forwarded-For": {"203.0.113.9"}},
			want: "203.0.113.9:0"},
		"untrusted sender": {remote: "203.0.113.9:99",
			header: http.Header{"X-Forwarded-For": {"1.1.1.1"}, "X-Forwarded-Proto": {"https"}},
			want:   "203.0.113.9:99"},
		"forwarded proto": {remote: peer, header: http.Header{"X-Forwarded-For": {"203.0.113.9"},
			"X-Forwarded-Proto": {"https"}}, want: "203.0.113.9:0", secure: true},
		"proto turned down": {remote: peer, tls: true, header: http.Header{"X-Forwarded-Proto": {"http"}}, want: peer},
		"Forwarded": {remote: peer,
			header: http.Header{"Forwarded": {`for="[2001:db8::7]:80";proto=https;by=10.0.0.1`}},
			want:   "[2001:db8::7]:0", secure: true},
		"Forwarded wins": {remote: peer, header: http.Header{"Forwarded": {"for=203.0.113.9, for=10.2.2.2"},
			"X-Forwarded-For": {"1.1.1.1"}},
			want: "203.0.113.9:0"},
		"Forwarded hides": {remote: peer, header: http.Header{"Forwarded": {"for=_secret;proto=https"}}, want: peer,
			secure: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &http.Request{RemoteAddr: c.remote, Header: c.header}
			if c.tls {
				r.TLS = &tls.ConnectionState{}
			}
			if secure := trusted.Resolve(r); r.RemoteAddr != c.want || secure != c.secure {
				t.Errorf("caller %s, secure %v; want %s, %v", r.RemoteAddr, secure, c.want, c.secure)
			}
		})
	}
}

func FuzzResolve(f *testing.F) {
	f.Add(`for="[2001:db8::7]:80";proto=https`, "1.2.3.4, 5.6.7.8")
	f.Add(";;==,,", "[::1")
	f.Fuzz(func(_ *testing.T, forwarded, xff string) {
		r := &http.Request{RemoteAddr: "127.0.0.1:1",
			Header: http.Header{"Forwarded": {forwarded}, "X-Forwarded-For": {xff}}}
		Proxies{netip.MustParsePrefix("0.0.0.0/0")}.Resolve(r)
	})
}
