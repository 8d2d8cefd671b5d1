package api_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"crier/internal/server/servertest"
)

// The tables in this file are written by hand from the specification of the API. The OpenAPI document is generated from
// our code: if bodies were checked against it alone, both could be wrong together.
//
// A shape lists fields as "name: type". A ? after the name means that the field may be absent. Types are string,
// number, integer, boolean, uuid, null, {Name} for an object of that shape and [T] for a list, joined by | where null
// is allowed too; (a,b) are the only values, and 2..64 are bounds: of a number, of the characters of a string, of the
// items of a list.
var shapes = map[string]string{
	"Organization": `
		id: uuid
		name: string
		billingEmail: string|null
		onboardingData: {OnboardingData}|null
		paymentCustomerId: string|null
		paymentSubscriptionId: string|null
		paymentMethodId: string|null
		paymentMeteredSubscriptionItemId: string|null
		creditsBalance: number
		reservedCredits: number
		autoRechargeEnabled: boolean
		autoRechargeThreshold: number|null
		autoRechargeAmount: number|null
		metricsPolicy: string(free,all)
		isSubscribed: boolean
		subscriptionStatus: string(none,trialing,active,past_due,canceled)
		subscriptionPlan: string
		subscriptionStartedAt: string
		subscriptionEndsAt: string
		subscriptionCurrentPeriodEnd: string
		metricsPolicy: string(free,all)
		returnOrigins: [string]
		createdAt: string
		updatedAt: string`,
	"OnboardingData": `
		version: number(1)
		status: string(in_progress,completed)
		currentStep: string(organization_profile,job_role,workspace_setup,goals,mcp_cli_setup,spend_cap,completed)
		completedSteps: [string(organization_profile,job_role,workspace_setup,goals,mcp_cli_setup,spend_cap,completed)] ..100
		organizationProfile?: {OrganizationProfile}
		workspaceProfile?: {WorkspaceProfile}
		goals?: {OnboardingGoals}
		completedAt?: string|null`,
	"OrganizationProfile": `
		displayName: string 2..64
		jobRole?: string(developer_or_technical_founder,founder_or_owner,marketing_or_social,agency_or_client_services,operations_or_admin,other)`,
	"WorkspaceProfile": `
		teamName: string 2..64
		website: string|null ..2048`,
	"OnboardingGoals": `
		primaryGoal?: string(vibe_marketing,social_media_marketing,automated_campaigns_for_clients)
		teamSize?: string(1-5,6-20,21-50,51+)`,
	"OrganizationCreate": `
		name: string 2..64`,
	"OrganizationUpdate": `
		name?: string 2..64
		billingEmail?: string|null ..254
		onboardingData?: {OnboardingData}|null
		autoRechargeEnabled?: boolean
		autoRechargeThreshold?: integer|null 1..1000000000000
		autoRechargeAmount?: integer|null 1..1000000000000
		metricsPolicy?: string(free,all)
		returnOrigins?: [string] ..50`,
	"Team": `
		id: uuid
		organizationId: uuid
		name: string
		website: string|null
		linkTrackingDefault: boolean|null
		timezone: string|null
		requireApproval: boolean
		publishLateMinutes: integer
		createdAt: string
		updatedAt: string`,
	"TeamCreate": `
		organizationId: uuid
		name: string 2..64
		website?: string|null ..2048
		timezone?: string|null
		linkTrackingDefault?: boolean|null`,
	"TeamUpdate": `
		name?: string 2..64
		website?: string|null ..2048
		linkTrackingDefault?: boolean|null
		timezone?: string|null
		requireApproval?: boolean
		publishLateMinutes?: integer 0..1440`,
	"Deleted": `
		deleted: boolean(true)`,
	"OrganizationPage": page("Organization"),
	"TeamPage":         page("Team"),
	"APIKeyPage":       page("APIKey"),
	"APIKey":           apiKey,
	"APIKeyWithSecret": apiKey + `
		secret?: string`,
	"APIKeyCreate": `
		name: string 2..64
		role: string(owner,admin,editor,viewer)
		permissions?: [` + permission + `]|null 1..18
		teamIds?: [uuid]|null 1..100
		expiresAt?: string|null`,
	"APIKeyRotate": `
		graceSeconds?: integer 0..86400`,
	"AgentContext": `
		user: {User}|null
		credential: {Credential}
		organizations: [{ContextOrganization}]
		teams: [{ContextTeam}]
		defaultOrganizationId: uuid|null
		defaultTeamId: uuid|null
		serverTime: string`,
	"User": `
		id: uuid
		email: string|null ..254
		name: string`,
	"HttpApiDecodeError": `
		issues: [{Issue}]
		message: string
		_tag: string(HttpApiDecodeError)`,
	"Issue": `
		path: [string]
		message: string`,
	"Unauthorized":    errorShape("Unauthorized"),
	"PaymentRequired": errorShape("PaymentRequired"),
	"Forbidden":       errorShape("Forbidden"),
	"NotFound":        errorShape("NotFound"),
	"Conflict":        errorShape("Conflict"),
	"TooManyRequests": errorShape("TooManyRequests"),
	"InternalError":   errorShape("InternalError"),
}

const permission = `string(manage_organization,manage_members,manage_api_keys,manage_billing,manage_webhooks,create_teams,manage_teams,delete_teams,` +
	`manage_social_accounts,manage_slots,manage_media,write_posts,approve_posts,publish_posts,delete_posts,read,read_analytics,read_live_analytics)`

const apiKey = `
		id: uuid
		organizationId: uuid
		name: string
		role: string(owner,admin,editor,viewer)
		permissions: [` + permission + `]|null
		teamIds: [uuid]|null
		lastFour: string
		createdById: uuid|null
		expiresAt: string|null
		lastUsedAt: string|null
		createdAt: string
		updatedAt: string`

func page(of string) string {
	return `
		data: [{` + of + `}]
		total: number
		totalIsCapped?: boolean
		nextCursor: string|null
		prevCursor: string|null`
}

func errorShape(tag string) string {
	return `
		message: string
		_tag: string(` + tag + `)`
}

// operations are the paths of the API: parameters, body → status and body of the success.
var operations = map[string]string{
	"GET /v1/organizations": listParameters +
		"updatedAt,name)=createdAt sortOrder?:string(asc,desc)=desc → 200 {OrganizationPage}",
	"POST /v1/organizations":                 "{OrganizationCreate} → 201 {Organization}",
	"GET /v1/organizations/{organizationId}": "organizationId:uuid → 200 {Organization}",
	"PATCH /v1/organizations/{organizationId}": "organizationId:uuid {OrganizationUpdate} → 200 " +
		"{Organization}",
	"GET /v1/organizations/{organizationId}/api-keys": "organizationId:uuid " + listParameters +
		"name)=createdAt sortOrder?:string(asc,desc)=desc → 200 {APIKeyPage}",
	"POST /v1/organizations/{organizationId}/api-keys": "organizationId:uuid {APIKeyCreate} → 201 " +
		"{APIKeyWithSecret}",
	"DELETE /v1/organizations/{organizationId}/api-keys/{id}": "organizationId:uuid id:uuid → 200 {Deleted}",
	"POST /v1/organizations/{organizationId}/api-keys/{id}/rotate": "organizationId:uuid id:uuid {APIKeyRotate}? → " +
		"200 {APIKeyWithSecret}",
	"GET /v1/teams": "organizationId?:uuid " + listParameters +
		"updatedAt,name)=createdAt sortOrder?:string(asc,desc)=desc → 200 {TeamPage}",
	"POST /v1/teams":            "{TeamCreate} → 201 {Team}",
	"GET /v1/teams/{teamId}":    "teamId:uuid → 200 {Team}",
	"PATCH /v1/teams/{teamId}":  "teamId:uuid {TeamUpdate} → 200 {Team}",
	"DELETE /v1/teams/{teamId}": "teamId:uuid → 200 {Deleted}",
	"GET /v1/agent/context":     "→ 200 {AgentContext}",
}

// listParameters are the parameters of every list, up to the sorts, which differ per list.
const listParameters = "cursor?:string limit?:string=25 sortBy?:string(createdAt,"

// errorTags are the error bodies by status. Every operation has them all, except 409, which only changes have, and 402.
var errorTags = map[string]string{
	"400": "HttpApiDecodeError", "401": "Unauthorized", "403": "Forbidden", "404": "NotFound", "409": "Conflict",
	"429": "TooManyRequests",
	"500": "InternalError", "503": "InternalError",
}

func TestDocumentMatchesTheSpecification(t *testing.T) {
	t.Parallel()
	d := sharedServer(t).document(t)
	if version, _ := servertest.Walk(d.Root, []any{"info", "version"}); version != "0.1.0" {
		t.Errorf("info.version is %v", version)
	}
	if version, _ := d.Root["openapi"].(string); !strings.HasPrefix(version, "3.1.") {
		t.Errorf("openapi is %v", version)
	}
	for name, text := range shapes {
		t.Run("shape "+name, func(t *testing.T) { compareShape(t, d, name, text) })
	}
	for operation, want := range operations {
		t.Run(operation, func(t *testing.T) {
			if got := d.describeOperation(t, operation); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestEveryOperationIsUnderV1AndNeedsAToken(t *testing.T) {
	t.Parallel()
	d := sharedServer(t).document(t)
	for path, item := range d.Root["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			if !strings.HasPrefix(path, "/v1/") {
				t.Errorf("%s is not under /v1", path)
			}
			security, _ := servertest.Walk(operation, []any{"security", 0, "bearer"})
			open := strings.HasPrefix(path, "/v1/auth/") || path == "/v1/instance"
			if open != (security == nil) {
				t.Errorf("%s %s needs a token: %t", method, path, security != nil)
			}
			if id, _ := servertest.Walk(operation, []any{"operationId"}); id == nil || id == "" {
				t.Errorf("%s %s has no operation id", method, path)
			}
			if security != nil {
				compareErrors(t, d, method+" "+path, method != "get", operation)
				continue
			}
			if path == "/v1/instance" { // which has no errors
				continue
			}
			refusal, _ := servertest.Walk(operation, []any{"responses", "400", "content", "application/json", "schema"})
			if got := d.describe(refusal); got != "{OAuthError}" {
				t.Errorf("%s %s: the body of a 400 is %s, want {OAuthError}", method, path, got)
			}
		}
	}
}

func compareErrors(t *testing.T, d *document, name string, changes bool, operation any) {
	t.Helper()
	responses, _ := servertest.Walk(operation, []any{"responses"})
	for status, tag := range errorTags {
		if status == "409" && !changes {
			continue
		}
		schema, _ := servertest.Walk(responses, []any{status, "content", "application/json", "schema"})
		if got := d.describe(schema); got != "{"+tag+"}" {
			t.Errorf("%s: the body of a %s is %s, want {%s}", name, status, got, tag)
		}
	}
}

func compareShape(t *testing.T, d *document, name, text string) {
	t.Helper()
	want := map[string]string{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		field, kind, _ := strings.Cut(strings.TrimSpace(line), ": ")
		want[field] = kind
	}
	schema, ok := servertest.Walk(d.Root, []any{"components", "schemas", name})
	if !ok {
		t.Fatalf("the document has no schema %s", name)
	}
	got := d.describeFields(schema.(map[string]any))
	for _, field := range slices.Sorted(maps.Keys(want)) {
		if got[field] != want[field] {
			t.Errorf("%s is %q in the document, want %q", field, got[field], want[field])
		}
		delete(got, field)
	}
	if len(got) > 0 {
		t.Errorf("the document has more fields: %v", got)
	}
	if closed := schema.(map[string]any)["additionalProperties"]; closed != false {
		t.Errorf("additionalProperties is %v: other keys are allowed", closed)
	}
}

// describeFields formats the properties of an object as the tables do.
func (d *document) describeFields(schema map[string]any) map[string]string {
	required, _ := schema["required"].([]any)
	fields := map[string]string{}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if !slices.Contains(required, any(name)) {
			name += "?"
		}
		fields[name] = d.describe(property)
	}
	return fields
}

// describe formats a schema as the tables do.
func (d *document) describe(schema any) string {
	s, ok := schema.(map[string]any)
	if !ok {
		return "nothing"
	}
	if ref, ok := s["$ref"].(string); ok {
		return "{" + strings.TrimPrefix(ref, "#/components/schemas/") + "}"
	}
	if anyOf, ok := s["anyOf"].([]any); ok {
		parts := []string{}
		for _, part := range anyOf {
			parts = append(parts, d.describe(part))
		}
		return strings.Join(parts, "|")
	}
	kind, null := kindOf(s)
	switch {
	case kind == "array":
		kind = "[" + d.describe(s["items"]) + "]"
	case s["pattern"] == "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$":
		kind = "uuid"
	}
	if values, ok := s["enum"].([]any); ok {
		words := []string{}
		for _, value := range values {
			if value != nil {
				words = append(words, fmt.Sprint(value))
			}
		}
		kind += "(" + strings.Join(words, ",") + ")"
	}
	return kind + null + bounds(s)
}

func kindOf(s map[string]any) (kind, null string) {
	switch types := s["type"].(type) {
	case string:
		return types, ""
	case []any:
		if len(types) == 2 && types[1] == "null" {
			return fmt.Sprint(types[0]), "|null"
		}
	}
	return fmt.Sprint(s["type"]), ""
}

func bounds(s map[string]any) string {
	for _, names := range [][2]string{{"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}} {
		least, most := s[names[0]], s[names[1]]
		if least != nil || most != nil {
			return " " + bound(least) + ".." + bound(most)
		}
	}
	return ""
}

func bound(n any) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(n)
}

// describeOperation formats an operation as the tables do.
func (d *document) describeOperation(t *testing.T, name string) string {
	t.Helper()
	method, path, _ := strings.Cut(name, " ")
	operation, ok := servertest.Walk(d.Root, []any{"paths", path, strings.ToLower(method)})
	if !ok {
		t.Fatalf("the document has no %s", name)
	}
	parts := d.describeParameters(t, name, operation)
	if body, ok := servertest.Walk(operation, []any{"requestBody"}); ok {
		schema, _ := servertest.Walk(body, []any{"content", "application/json", "schema"})
		optional := ""
		if body.(map[string]any)["required"] != true {
			optional = "?"
		}
		parts = append(parts, d.describe(schema)+optional)
	}
	responses, _ := servertest.Walk(operation, []any{"responses"})
	for status, response := range responses.(map[string]any) {
		if strings.HasPrefix(status, "2") {
			schema, _ := servertest.Walk(response, []any{"content", "application/json", "schema"})
			parts = append(parts, "→ "+status+" "+d.describe(schema))
		}
	}
	return strings.Join(parts, " ")
}

func (d *document) describeParameters(t *testing.T, name string, operation any) []string {
	t.Helper()
	parts := []string{}
	parameters, _ := servertest.Walk(operation, []any{"parameters"})
	list, _ := parameters.([]any)
	for _, p := range list {
		parameter := p.(map[string]any)
		if (parameter["required"] == true) != (parameter["in"] == "path") {
			t.Errorf("the parameter %v in the %v: required is %v", parameter["name"], parameter["in"],
				parameter["required"])
		}
		text := fmt.Sprint(parameter["name"])
		if text == "Idempotency-Key" && !strings.HasPrefix(name, "GET ") {
			continue // every change has it
		}
		if parameter["in"] == "query" {
			text += "?"
		}
		kind, _, _ := strings.Cut(d.describe(parameter["schema"]), " ")
		text += ":" + kind
		if fallback, ok := servertest.Walk(parameter, []any{"schema", "default"}); ok {
			text += "=" + fmt.Sprint(fallback)
		}
		parts = append(parts, text)
	}
	return parts
}
