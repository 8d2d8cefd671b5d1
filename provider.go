package crier

// Provider is the name of a social network.
type Provider string

// The networks.
const (
	ProviderX         Provider = "x"
	ProviderTikTok    Provider = "tiktok"
	ProviderInstagram Provider = "instagram"
	ProviderFacebook  Provider = "facebook"
	ProviderYouTube   Provider = "youtube"
	ProviderLinkedIn  Provider = "linkedin"
	ProviderThreads   Provider = "threads"
)

// Providers lists the networks in the order of the contract.
func Providers() []Provider {
	return []Provider{ProviderX, ProviderTikTok, ProviderInstagram, ProviderFacebook, ProviderYouTube, ProviderLinkedIn, ProviderThreads}
}

// Enum lists the values on the wire.
func (Provider) Enum() []string { return enumOf(Providers()) }
