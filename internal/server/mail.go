package server

import (
	"fmt"

	"crier/internal/mail"
	"crier/internal/service"
)

// mailer returns the configured mailer, or nil when no mail server is set.
func (c *Config) mailer() (service.Mailer, error) {
	if c.SMTPURL == "" {
		return nil, nil
	}
	sender, err := mail.New(c.SMTPURL, c.MailFrom, c.Now)
	if err != nil {
		return nil, fmt.Errorf("CRIER_SMTP_URL with CRIER_MAIL_FROM %w", err)
	}
	return sender, nil
}
