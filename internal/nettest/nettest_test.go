package nettest_test

import (
	"errors"
	"net"
	"syscall"
	"testing"

	"crier/internal/nettest"
)

func TestFreeAddressesAreUniqueAndUsable(t *testing.T) {
	t.Parallel()
	given := map[string]bool{}
	for range 100 {
		address := nettest.FreeAddress(t)
		if given[address] {
			t.Errorf("%s was given twice", address)
		}
		given[address] = true
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = listener.Close()
	}
}

func TestClosedAddressesRefuseConnections(t *testing.T) {
	t.Parallel()
	address := nettest.ClosedAddress(t)
	if _, err := net.Dial("tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("Dial error = %v", err)
	}
	if _, err := net.Listen("tcp", address); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("Listen error = %v", err)
	}
}
