package sim

import "net/http"

// TokenOperation is the operation of a call to a token endpoint of OAuth 2.0: refreshing, or else connecting.
func TokenOperation(r *http.Request) Operation {
	if r.PostFormValue("grant_type") == "refresh_token" {
		return Refresh
	}
	return Connect
}

// OAuthError returns an error of a token endpoint (RFC 6749, section 5.2).
func OAuthError(status int, code, description string) Reply {
	return Reply{Status: status, Body: struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, description}}
}
