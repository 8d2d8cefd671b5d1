package linkedin

import (
	"testing"

	"crier/internal/provider"
	"crier/internal/provider/providertest"
)

func FuzzAnswers(f *testing.F) {
	providertest.FuzzAnswers(f, providertest.Fuzzed{
		New: func(caller *provider.Caller, clock *providertest.Clock) (provider.Provider, error) {
			return New(Config{Caller: caller, Now: clock.Now})
		},
		Account: provider.Account{ProviderAccountID: "urn:li:person:1",
			Token: provider.Token{Access: "a", Refresh: "r"}},
		Content: text("Hello"), Ready: provider.State{Ready: true}, IDInHeader: true,
	})
}
