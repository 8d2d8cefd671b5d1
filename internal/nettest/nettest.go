// Package nettest provides addresses for tests: free ones to listen on, and closed ones.
package nettest

import (
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

// usedPorts are the ports that FreeAddress has returned in this process.
var usedPorts sync.Map

// FreeAddress returns a loopback address that is free at the moment, for programs that cannot report their port. The
// port is below the ephemeral range, so that no outgoing connection takes it before a server does.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	for range 1000 {
		port := 10_000 + rand.IntN(20_000)
		if _, used := usedPorts.LoadOrStore(port, true); used {
			continue
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		if listener, err := net.Listen("tcp", address); err == nil {
			_ = listener.Close()
			return address
		}
	}
	tb.Fatal("no free port was found")
	return ""
}

// ClosedAddress returns a loopback address that refuses every connection until the test ends. The port of a closed
// server is not suitable: another test's server may take it at once.
func ClosedAddress(tb testing.TB) string {
	tb.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = syscall.Close(fd) })
	// A socket that is bound and does not listen reserves the port.
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		tb.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		tb.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(name.(*syscall.SockaddrInet4).Port))
}
