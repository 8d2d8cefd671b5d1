package all_test

import (
	"slices"
	"strings"
	"testing"

	"crier/internal/provider/all/alltest"
	"crier/internal/provider/providertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	var conforming []string
	for name, network := range alltest.Networks() {
		provider, _, _ := strings.Cut(name, ":")
		conforming = append(conforming, provider)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			providertest.Run(t, network)
		})
	}
	for _, name := range newRegistry(t).Names() {
		if !slices.Contains(conforming, name) {
			t.Errorf("the suite does not test %s", name)
		}
	}
}
