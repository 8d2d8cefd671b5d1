package provider

import "crier"

// Metrics are the numbers of one post.
type Metrics = crier.Metrics

// AccountMetrics are the numbers of an account.
type AccountMetrics = crier.AccountMetrics
