package cli

import "testing"

func TestEventsAreForwardedToAnAddressOrAPort(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"3000": "http://localhost:3000", "3000/hook": "http://localhost:3000/hook",
		":3000/hook": "http://localhost:3000/hook", "localhost/hook": "http://localhost/hook",
		"localhost:3000/hook": "http://localhost:3000/hook", "192.168.1.7:80": "http://192.168.1.7:80",
		"[::1]:3000": "http://[::1]:3000", "box:3000": "http://box:3000", "http://box/hook": "http://box/hook",
		"https://hooks.example.com/x": "https://hooks.example.com/x",
		"nonsense":                    "", "nonsense/hook": "", "": "", "/hook": "", "0": "", "70000": "", "box:x": "",
		"http://": "", "ftp://box": "", ":": "", "http://:": "",
	} {
		if got, err := receiver(address); got != want || (err != nil) != (want == "") {
			t.Errorf("%q is forwarded to %q, %v; want %q", address, got, err, want)
		}
	}
}
