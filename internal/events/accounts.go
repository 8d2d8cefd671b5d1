package events

import "crier"

// AccountFacts returns the events of an account change: none if only its profile changed.
func AccountFacts(before, after crier.SocialAccount) []Fact {
	fact := Fact{TeamID: &after.TeamID, Object: after, Before: before}
	switch {
	case after.Status == crier.AccountDisconnected && before.Status != crier.AccountDisconnected:
		fact.Type = crier.AccountDisconnectedEvent
	case after.Status == crier.AccountConnected && after.ConnectedAt != before.ConnectedAt:
		fact.Type = crier.AccountReconnected
	case after.Status != before.Status ||
		crier.Text(after.AccountHealthIssue) != crier.Text(before.AccountHealthIssue) ||
		crier.Text(after.AccountHealthMessage) != crier.Text(before.AccountHealthMessage):
		fact.Type = crier.AccountHealthChanged
	default:
		return nil
	}
	return []Fact{fact}
}
