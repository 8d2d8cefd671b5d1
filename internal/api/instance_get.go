package api

import (
	"context"

	"crier"
)

var getInstanceDoc = doc{
	ID: "getInstance", Tag: "Instance", Summary: "Get information about this installation",
	Description: "Needs no token.",
}

func newInstance(cfg Config) crier.Instance {
	instance := crier.Instance{Version: cfg.Version, PublicURL: cfg.PublicURL, Mail: cfg.Mail,
		Sandbox: cfg.SandboxURL != ""}
	if instance.Sandbox {
		instance.SandboxURL = &cfg.SandboxURL
	}
	return instance
}

func (s *Server) getInstance(context.Context, *struct{}) (crier.Instance, error) {
	instance := s.instance
	instance.ServerTime = crier.TimeOf(s.now())
	return instance, nil
}
