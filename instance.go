package crier

// Instance is the public information about an installation.
type Instance struct {
	Version    string  `json:"version" doc:"Version of the program."`
	PublicURL  string  `json:"publicUrl" doc:"URL under which people and networks reach this installation."`
	Sandbox    bool    `json:"sandbox" doc:"True when posts are published to the sandbox."`
	SandboxURL *string `json:"sandboxUrl" doc:"URL of the sandbox's pages; null when it is off."`
	Mail       bool    `json:"mail" doc:"True when this installation sends mail; otherwise invitations are passed on as links."`
	Billing    bool    `json:"billing" doc:"True when plans and credits are sold here."`
	ServerTime Time    `json:"serverTime"`
}
