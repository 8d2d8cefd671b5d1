package crier

// DeviceCode is the response that starts a device login (RFC 8628, section 3.2).
type DeviceCode struct {
	DeviceCode              string `json:"device_code" doc:"The device polls for tokens with it. It stays on the device."`
	UserCode                string `json:"user_code" doc:"The code that the person enters there." example:"BDWP-HQXT"`
	VerificationURI         string `json:"verification_uri" format:"uri" doc:"Where the person approves the device."`
	VerificationURIComplete string `json:"verification_uri_complete" format:"uri" doc:"The same URL with the code in it."`
	ExpiresIn               int    `json:"expires_in" doc:"Seconds until the codes expire."`
	Interval                int    `json:"interval" doc:"Seconds between polls for the tokens."`
}

// BearerTokens are the tokens of a device that its person has approved, and of each refresh.
type BearerTokens struct {
	AccessToken  string `json:"access_token" doc:"The bearer token of requests."`
	TokenType    string `json:"token_type" enum:"Bearer"`
	ExpiresIn    int    `json:"expires_in" doc:"Seconds until the access token expires."`
	RefreshToken string `json:"refresh_token" doc:"Works once, for 30 days; using one again ends the login."`
}

// TokenRevocation is the response to the revocation of a login.
type TokenRevocation struct {
	Revoked bool `json:"revoked"`
}

// OAuthError is an error of the token endpoints, with its code in RFC 6749, section 5.2, or RFC 8628, section 3.5.
type OAuthError struct {
	Code        string `json:"error" example:"authorization_pending"`
	Description string `json:"error_description,omitempty"`
}

// Error returns the code with its description.
func (e *OAuthError) Error() string { return e.Code + ": " + e.Description }
