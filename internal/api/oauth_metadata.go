package api

import "net/http"

// registrationPath is where clients register themselves, if that is allowed.
const registrationPath = "/v1/auth/register"

// protectedResource serves the metadata of the MCP endpoint (RFC 9728).
type protectedResource struct {
	Resource             string   `json:"resource"`
	ResourceName         string   `json:"resource_name"`
	AuthorizationServers []string `json:"authorization_servers"`
	BearerMethods        []string `json:"bearer_methods_supported"`
	Documentation        string   `json:"resource_documentation"`
}

// authorizationServer serves the metadata for clients that request tokens (RFC 8414, with RFC 8628, 9207 and client ID
// metadata documents).
type authorizationServer struct {
	Issuer             string   `json:"issuer"`
	Authorization      string   `json:"authorization_endpoint"`
	Token              string   `json:"token_endpoint"`
	Device             string   `json:"device_authorization_endpoint"`
	Revocation         string   `json:"revocation_endpoint"`
	Registration       string   `json:"registration_endpoint,omitempty"`
	ResponseTypes      []string `json:"response_types_supported"`
	ResponseModes      []string `json:"response_modes_supported"`
	GrantTypes         []string `json:"grant_types_supported"`
	TokenAuth          []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuth     []string `json:"revocation_endpoint_auth_methods_supported"`
	ChallengeMethods   []string `json:"code_challenge_methods_supported"`
	ClientDescriptions bool     `json:"client_id_metadata_document_supported"`
	NamesIssuer        bool     `json:"authorization_response_iss_parameter_supported"`
	Documentation      string   `json:"service_documentation"`
}

// resourceMetadata points clients of the MCP endpoint to the authorization server, which is also this server.
func (s *Server) resourceMetadata(w http.ResponseWriter, _ *http.Request) {
	writePublic(w, protectedResource{
		Resource: s.services.Authorizations.Resource(), ResourceName: "crier",
		AuthorizationServers: []string{s.instance.PublicURL}, BearerMethods: []string{"header"},
		Documentation: s.instance.PublicURL + "/docs",
	})
}

func (s *Server) authorizationMetadata(w http.ResponseWriter, _ *http.Request) {
	at, public := s.instance.PublicURL, []string{"none"}
	out := authorizationServer{
		Issuer: at, Authorization: at + "/oauth/authorize", Token: at + "/v1/auth/token",
		Device: at + "/v1/auth/device", Revocation: at + "/v1/auth/revoke",
		ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
		GrantTypes: []string{grantCode, grantRefresh, grantDevice}, TokenAuth: public, RevocationAuth: public,
		ChallengeMethods: []string{"S256"}, ClientDescriptions: true, NamesIssuer: true, Documentation: at + "/docs",
	}
	if s.services.Authorizations.RegistrationAllowed() {
		out.Registration = at + registrationPath
	}
	writePublic(w, out)
}

// writePublic writes public data, which clients in a browser can read too.
func writePublic(w http.ResponseWriter, body any) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	write(w, http.StatusOK, body)
}
