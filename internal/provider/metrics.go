package provider

import "crier"

// Metrics are the metrics of one post.
type Metrics = crier.Metrics

// AccountMetrics are the metrics of an account.
type AccountMetrics = crier.AccountMetrics
