package store

// PlannedOnNetworkQuery is for tests that look how a database goes about it.
const PlannedOnNetworkQuery = plannedOnNetwork
