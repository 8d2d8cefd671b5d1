package crier

// Instance is what an installation tells everybody about itself.
type Instance struct {
	Version    string  `json:"version" doc:"Version of the program."`
	PublicURL  string  `json:"publicUrl" doc:"Where people and networks reach this installation."`
	Sandbox    bool    `json:"sandbox" doc:"True when posts go to the simulated networks."`
	SandboxURL *string `json:"sandboxUrl" doc:"Where the simulated networks can be looked at; null when they are off."`
	Mail       bool    `json:"mail" doc:"True when this installation sends mail; otherwise invitations are handed over as links."`
	Billing    bool    `json:"billing" doc:"True when plans and credits are sold here."`
	ServerTime Time    `json:"serverTime"`
}
