package api

import "crier"

// addHealth adds the routes of every node, whatever its role.
func (s *Server) addHealth() {
	open(s, "GET /healthz", s.healthz)
	open(s, "GET /readyz", s.readyz)
}

// addRoutes is the table of contents of the API and its permission matrix.
func (s *Server) addRoutes() {
	s.addOrganizationRoutes()
	s.addTeamRoutes()
	s.addPostRoutes()
	s.addAccountRoutes()
	s.addMediaRoutes()
	s.addWebhookRoutes()
}

// addOrganizationRoutes: organizations, their members, keys and credits.
func (s *Server) addOrganizationRoutes() {
	public(s, "GET /v1/instance", s.getInstance, getInstanceDoc)
	person(s, "GET /v1/me/sessions", s.listSessions, listSessionsDoc)
	person(s, "DELETE /v1/me/sessions/{id}", s.endSession, endSessionDoc)
	caller(s, "GET /v1/agent/context", s.getAgentContext, getAgentContextDoc)
	caller(s, "GET /v1/organizations", s.listOrganizations, listOrganizationsDoc)
	caller(s, "POST /v1/organizations", s.createOrganization, createOrganizationDoc)
	organization(s, "GET /v1/organizations/{organizationId}", crier.Read, s.getOrganization, getOrganizationDoc)
	organization(s, "PATCH /v1/organizations/{organizationId}", crier.ManageOrganization, s.updateOrganization,
		updateOrganizationDoc)
	organization(s, "GET /v1/organizations/{organizationId}/api-keys", crier.ManageAPIKeys, s.listKeys, listKeysDoc)
	organization(s, "POST /v1/organizations/{organizationId}/api-keys", crier.ManageAPIKeys, s.createKey, createKeyDoc)
	organization(s, "DELETE /v1/organizations/{organizationId}/api-keys/{id}", crier.ManageAPIKeys, s.revokeKey,
		revokeKeyDoc)
	organization(s, "POST /v1/organizations/{organizationId}/api-keys/{id}/rotate", crier.ManageAPIKeys, s.rotateKey,
		rotateKeyDoc)
	caller(s, "GET /v1/permissions", s.listPermissions, listPermissionsDoc)
	organization(s, "GET /v1/organizations/{organizationId}/members", crier.Read, s.listMembers, listMembersDoc)
	organization(s, "POST /v1/organizations/{organizationId}/members", crier.ManageMembers, s.inviteMember,
		inviteMemberDoc)
	organization(s, "PATCH /v1/organizations/{organizationId}/members/{memberId}", crier.ManageMembers, s.updateMember,
		updateMemberDoc)
	organization(s, "DELETE /v1/organizations/{organizationId}/members/{memberId}", crier.Read, s.removeMember,
		removeMemberDoc)
	organization(s, "GET /v1/organizations/{organizationId}/invitations", crier.ManageMembers, s.listInvitations,
		listInvitationsDoc)
	organization(s, "DELETE /v1/organizations/{organizationId}/invitations/{invitationId}", crier.ManageMembers,
		s.withdrawInvitation, withdrawInvitationDoc)
	organization(s, "GET /v1/organizations/{organizationId}/audit-log", crier.ManageOrganization, s.listAuditLog,
		listAuditLogDoc)
	organization(s, "GET /v1/organizations/{organizationId}/events", crier.Read, s.listEvents, listEventsDoc)
	organization(s, "GET /v1/organizations/{organizationId}/events/stream", crier.Read, s.streamEvents, streamEventsDoc)
	organization(s, "GET /v1/organizations/{organizationId}/credits", crier.Read, s.getCredits, getCreditsDoc)
	organization(s, "GET /v1/organizations/{organizationId}/credits/transactions", crier.Read, s.listCreditTransactions,
		listCreditTransactionsDoc)
}

// addWebhookRoutes: webhooks and their deliveries.
func (s *Server) addWebhookRoutes() {
	const webhooks = "/v1/organizations/{organizationId}/webhooks"
	organization(s, "GET "+webhooks, crier.ManageWebhooks, s.listWebhooks, listWebhooksDoc)
	organization(s, "POST "+webhooks, crier.ManageWebhooks, s.createWebhook, createWebhookDoc)
	organization(s, "GET "+webhooks+"/{id}", crier.ManageWebhooks, s.getWebhook, getWebhookDoc)
	organization(s, "PATCH "+webhooks+"/{id}", crier.ManageWebhooks, s.updateWebhook, updateWebhookDoc)
	organization(s, "DELETE "+webhooks+"/{id}", crier.ManageWebhooks, s.deleteWebhook, deleteWebhookDoc)
	organization(s, "POST "+webhooks+"/{id}/rotate", crier.ManageWebhooks, s.rotateWebhook, rotateWebhookDoc)
	organization(s, "POST "+webhooks+"/{id}/test", crier.ManageWebhooks, s.testWebhook, testWebhookDoc)
	organization(s, "POST "+webhooks+"/{id}/replay", crier.ManageWebhooks, s.replayWebhook, replayWebhookDoc)
	organization(s, "GET "+webhooks+"/{id}/deliveries", crier.ManageWebhooks, s.listDeliveries, listDeliveriesDoc)
	organization(s, "POST "+webhooks+"/{id}/deliveries/{deliveryId}/redeliver", crier.ManageWebhooks, s.redeliver,
		redeliverDoc)
}

// addTeamRoutes: teams and their slots.
func (s *Server) addTeamRoutes() {
	caller(s, "GET /v1/teams", s.listTeams, listTeamsDoc)
	organization(s, "POST /v1/teams", crier.CreateTeams, s.createTeam, createTeamDoc)
	team(s, "GET /v1/teams/{teamId}", crier.Read, s.getTeam, getTeamDoc)
	team(s, "PATCH /v1/teams/{teamId}", crier.ManageTeams, s.updateTeam, updateTeamDoc)
	team(s, "DELETE /v1/teams/{teamId}", crier.DeleteTeams, s.deleteTeam, deleteTeamDoc)
	team(s, "GET /v1/teams/{teamId}/scheduling-slots", crier.Read, s.listSlots, listSlotsDoc)
	team(s, "POST /v1/teams/{teamId}/scheduling-slots", crier.ManageSlots, s.createSlot, createSlotDoc)
	team(s, "GET /v1/teams/{teamId}/scheduling-slots/next", crier.Read, s.nextSlots, nextSlotsDoc)
	team(s, "GET /v1/teams/{teamId}/scheduling-slots/calendar", crier.Read, s.getSlotCalendar, getSlotCalendarDoc)
	team(s, "PATCH /v1/teams/{teamId}/scheduling-slots/{slotId}", crier.ManageSlots, s.updateSlot, updateSlotDoc)
	team(s, "DELETE /v1/teams/{teamId}/scheduling-slots/{slotId}", crier.ManageSlots, s.deleteSlot, deleteSlotDoc)
}

// addPostRoutes: posts, their publications, tags and the calendar.
func (s *Server) addPostRoutes() {
	team(s, "GET /v1/teams/{teamId}/posts", crier.Read, s.listPosts, listPostsDoc)
	team(s, "POST /v1/teams/{teamId}/posts", crier.WritePosts, s.createPost, createPostDoc)
	team(s, "GET /v1/teams/{teamId}/posts/facets/enrichment", crier.Read, s.getFacets, getFacetsDoc)
	team(s, "GET /v1/teams/{teamId}/posts/{postId}", crier.Read, s.getPost, getPostDoc)
	team(s, "PATCH /v1/teams/{teamId}/posts/{postId}", crier.WritePosts, s.updatePost, updatePostDoc)
	team(s, "GET /v1/teams/{teamId}/posts/{postId}/versions", crier.Read, s.listPostVersions, listPostVersionsDoc)
	team(s, "GET /v1/teams/{teamId}/posts/{postId}/versions/{contentPayloadId}", crier.Read, s.getPostVersion,
		getPostVersionDoc)
	team(s, "DELETE /v1/teams/{teamId}/posts/{postId}", crier.DeletePosts, s.deletePost, deletePostDoc)
	team(s, "POST /v1/teams/{teamId}/posts/{postId}/move-to-draft", crier.WritePosts, s.movePostToDraft,
		movePostToDraftDoc)
	team(s, "POST /v1/teams/{teamId}/posts/{postId}/status", crier.WritePosts, s.setPostStatus, setPostStatusDoc)
	team(s, "PUT /v1/teams/{teamId}/posts/{postId}/tags", crier.WritePosts, s.setPostTags, setPostTagsDoc)
	team(s, "GET /v1/teams/{teamId}/analytics/summary", crier.ReadAnalytics, s.getAnalyticsSummary,
		getAnalyticsSummaryDoc)
	team(s, "GET /v1/teams/{teamId}/analytics/series", crier.ReadAnalytics, s.getAnalyticsSeries, getAnalyticsSeriesDoc)
	team(s, "GET /v1/teams/{teamId}/analytics/posts", crier.ReadAnalytics, s.listAnalyticsPosts, listAnalyticsPostsDoc)
	team(s, "GET /v1/teams/{teamId}/analytics/best-times", crier.ReadAnalytics, s.getBestTimes, getBestTimesDoc)
	team(s, "GET /v1/teams/{teamId}/analytics/delivery", crier.ReadAnalytics, s.getAnalyticsDelivery,
		getAnalyticsDeliveryDoc)
	team(s, "GET /v1/teams/{teamId}/posts/{postId}/metrics", crier.ReadAnalytics, s.getPostMetrics, getPostMetricsDoc)
	team(s, "POST /v1/teams/{teamId}/posts/validate", crier.Read, s.validateContent, validateContentDoc)
	team(s, "POST /v1/teams/{teamId}/posts/{postId}/validate", crier.Read, s.validatePost, validatePostDoc)
	team(s, "POST /v1/teams/{teamId}/posts/{postId}/schedule", crier.PublishPosts, s.schedulePost, schedulePostDoc)
	team(s, "POST /v1/teams/{teamId}/posts/{postId}/post-now", crier.PublishPosts, s.postNow, postNowDoc)
	team(s, "GET /v1/teams/{teamId}/scheduled-posts", crier.Read, s.listScheduledPosts, listScheduledPostsDoc)
	team(s, "GET /v1/teams/{teamId}/scheduled-posts/{id}", crier.Read, s.getScheduledPost, getScheduledPostDoc)
	team(s, "PATCH /v1/teams/{teamId}/scheduled-posts/{id}", crier.PublishPosts, s.updateScheduledPost,
		updateScheduledPostDoc)
	team(s, "POST /v1/teams/{teamId}/scheduled-posts/{id}/cancel", crier.PublishPosts, s.cancelScheduledPost,
		cancelScheduledPostDoc)
	team(s, "POST /v1/teams/{teamId}/scheduled-posts/{id}/dismiss", crier.PublishPosts, s.dismissScheduledPost,
		dismissScheduledPostDoc)
	team(s, "GET /v1/teams/{teamId}/scheduled-posts/{id}/attempts", crier.Read, s.listAttempts, listAttemptsDoc)
	team(s, "POST /v1/teams/{teamId}/scheduled-posts/{id}/retry", crier.PublishPosts, s.retryScheduledPost,
		retryScheduledPostDoc)
	team(s, "POST /v1/teams/{teamId}/scheduled-posts/{id}/resolve", crier.PublishPosts, s.resolveScheduledPost,
		resolveScheduledPostDoc)
	team(s, "GET /v1/teams/{teamId}/calendar", crier.Read, s.getCalendar, getCalendarDoc)
	team(s, "GET /v1/teams/{teamId}/tags", crier.Read, s.listTags, listTagsDoc)
	team(s, "POST /v1/teams/{teamId}/tags", crier.WritePosts, s.createTag, createTagDoc)
	team(s, "PATCH /v1/teams/{teamId}/tags/{tagId}", crier.WritePosts, s.updateTag, updateTagDoc)
	team(s, "DELETE /v1/teams/{teamId}/tags/{tagId}", crier.WritePosts, s.deleteTag, deleteTagDoc)
}

// addAccountRoutes: networks and the accounts on them.
func (s *Server) addAccountRoutes() {
	caller(s, "GET /v1/providers", s.listProviders, listProvidersDoc)
	team(s, "GET /v1/teams/{teamId}/social-accounts", crier.Read, s.listAccounts, listAccountsDoc)
	team(s, "GET /v1/teams/{teamId}/social-accounts/{id}", crier.Read, s.getAccount, getAccountDoc)
	team(s, "GET /v1/teams/{teamId}/social-accounts/{id}/analytics", crier.ReadLiveAnalytics, s.getAccountAnalytics,
		getAccountAnalyticsDoc)
	team(s, "GET /v1/teams/{teamId}/social-accounts/{id}/choices", crier.Read, s.listAccountChoices,
		listAccountChoicesDoc)
	team(s, "GET /v1/teams/{teamId}/social-accounts/{id}/mentions", crier.Read, s.findMentions, findMentionsDoc)
	team(s, "PATCH /v1/teams/{teamId}/social-accounts/{id}", crier.ManageSocialAccounts, s.updateAccount,
		updateAccountDoc)
	team(s, "POST /v1/teams/{teamId}/social-accounts/connect", crier.ManageSocialAccounts, s.connectAccount,
		connectAccountDoc)
	team(s, "POST /v1/teams/{teamId}/social-accounts/{id}/disconnect", crier.ManageSocialAccounts, s.disconnectAccount,
		disconnectAccountDoc)
}

// addMediaRoutes: the media library.
func (s *Server) addMediaRoutes() {
	team(s, "GET /v1/teams/{teamId}/assets", crier.Read, s.listAssets, listAssetsDoc)
	team(s, "POST /v1/teams/{teamId}/assets", crier.ManageMedia, s.createAsset, createAssetDoc)
	team(s, "POST /v1/teams/{teamId}/assets/import", crier.ManageMedia, s.importAsset, importAssetDoc)
	team(s, "POST /v1/teams/{teamId}/assets/upload-addresses", crier.ManageMedia, s.createUploadAddress,
		createUploadAddressDoc)
	team(s, "GET /v1/teams/{teamId}/assets/{assetId}", crier.Read, s.getAsset, getAssetDoc)
	team(s, "PATCH /v1/teams/{teamId}/assets/{assetId}", crier.ManageMedia, s.updateAsset, updateAssetDoc)
	team(s, "DELETE /v1/teams/{teamId}/assets/{assetId}", crier.ManageMedia, s.deleteAsset, deleteAssetDoc)
	team(s, "GET /v1/teams/{teamId}/assets/{assetId}/content", crier.Read, s.getAssetContent, getAssetContentDoc)
	team(s, "POST /v1/teams/{teamId}/assets/uploads", crier.ManageMedia, s.createUpload, createUploadDoc)
	team(s, "GET /v1/teams/{teamId}/assets/uploads/{uploadId}", crier.Read, s.getUpload, getUploadDoc)
	team(s, "PUT /v1/teams/{teamId}/assets/uploads/{uploadId}", crier.ManageMedia, s.appendUpload, appendUploadDoc)
	team(s, "POST /v1/teams/{teamId}/assets/uploads/{uploadId}/complete", crier.ManageMedia, s.completeUpload,
		completeUploadDoc)
	team(s, "GET /v1/teams/{teamId}/uploads/{uploadId}", crier.Read, s.getUpload, aliasOf(getUploadDoc))
	team(s, "PUT /v1/teams/{teamId}/uploads/{uploadId}", crier.ManageMedia, s.appendUpload, aliasOf(appendUploadDoc))
	team(s, "POST /v1/teams/{teamId}/uploads/{uploadId}/complete", crier.ManageMedia, s.completeUpload,
		aliasOf(completeUploadDoc))
	team(s, "GET /v1/teams/{teamId}/folders", crier.Read, s.listFolders, listFoldersDoc)
	team(s, "POST /v1/teams/{teamId}/folders", crier.ManageMedia, s.createFolder, createFolderDoc)
	team(s, "GET /v1/teams/{teamId}/folders/{folderId}", crier.Read, s.getFolder, getFolderDoc)
	team(s, "PATCH /v1/teams/{teamId}/folders/{folderId}", crier.ManageMedia, s.updateFolder, updateFolderDoc)
	team(s, "DELETE /v1/teams/{teamId}/folders/{folderId}", crier.ManageMedia, s.deleteFolder, deleteFolderDoc)
	openLong(s, "PUT /media/uploads/{address}", s.receiveUpload)
	openLong(s, "GET /media/{assetId}/{variant}", s.serveSigned)
	openLong(s, "HEAD /media/{assetId}/{variant}", s.serveSigned)
}

// addAppRoutes adds the dashboard.
func (s *Server) addAppRoutes() {
	open(s, "GET "+appPath, s.appPage)
	open(s, "GET "+appPath+"/*", s.appPage)
	open(s, "GET "+appPath+"/assets/*", s.appAsset)
}

// addPages adds the pages for people.
func (s *Server) addPages() {
	open(s, "GET /", s.homePage)
	open(s, "GET /docs", s.serveDocs)
	open(s, "GET /.well-known/security.txt", s.securityText)
	open(s, "GET /setup", s.fewGuesses(s.setupForm))
	open(s, "POST /setup", s.fewGuesses(s.setUp))
	open(s, "GET /setup/done", s.setupDone)
	open(s, "GET /sign-in", s.signInForm)
	open(s, "POST /sign-in", s.fewGuesses(s.signIn))
	open(s, "POST /sign-out", s.signOut)
	open(s, "GET /account", s.accountPage)
	open(s, "POST /account/password", s.fewGuesses(s.changePassword))
	open(s, "GET /reset-password", s.fewGuesses(s.resetForm))
	open(s, "POST /reset-password", s.fewGuesses(s.resetPassword))
	open(s, "GET /device", s.deviceForm)
	open(s, "POST /device", s.fewGuesses(s.decideDevice))
	open(s, "GET /invitation", s.fewGuesses(s.invitationForm))
	open(s, "POST /invitation", s.fewGuesses(s.acceptInvitation))
	open(s, "GET /mail-link", s.mailLinkForm)
	open(s, "POST /mail-link", s.fewGuesses(s.mailLink))
	oauthForm[deviceLoginForm, crier.DeviceCode](s, "POST /v1/auth/device", s.fewRequests(s.startDeviceLogin),
		startDeviceLoginDoc)
	oauthForm[tokenForm, crier.BearerTokens](s, "POST /v1/auth/token", s.fewRequests(s.issueToken), issueTokenDoc)
	oauthForm[revocationForm, crier.TokenRevocation](s, "POST /v1/auth/revoke", s.fewRequests(s.revokeToken),
		revokeTokenDoc)
	s.addAuthorization()
	open(s, "GET /oauth/{provider}/callback", s.oauthCallback)
	open(s, "POST /oauth/{provider}/choose", s.oauthChoose)
}

// addAuthorization adds the routes by which MCP clients sign in their person.
func (s *Server) addAuthorization() {
	open(s, "GET /.well-known/oauth-protected-resource", s.resourceMetadata)
	open(s, "GET /.well-known/oauth-protected-resource/mcp", s.resourceMetadata)
	open(s, "GET /.well-known/oauth-authorization-server", s.authorizationMetadata)
	open(s, "GET /oauth/authorize", s.authorizeForm)
	open(s, "POST /oauth/authorize", s.fewGuesses(s.decideAuthorization))
	open(s, "POST "+registrationPath, s.fewRequests(s.registerClient))
}
