package main

import (
	"fmt"

	"crier/internal/mail"
	"crier/internal/service"
)

// mailer sends mail as the settings say; nil when they name no server.
func (a *app) mailer() (service.Mailer, error) {
	if a.config.smtpURL == "" {
		return nil, nil
	}
	sender, err := mail.New(a.config.smtpURL, a.config.mailFrom, a.now)
	if err != nil {
		return nil, fmt.Errorf("CRIER_SMTP_URL with CRIER_MAIL_FROM %w", err)
	}
	return sender, nil
}
