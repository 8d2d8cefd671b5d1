#!/usr/bin/env bash
# Checks crier, its dependencies and the Go release that builds it for known vulnerabilities. Needs Go and vuln.go.dev.
#
#   CRIER_VULN_DB  address of the database (https://vuln.go.dev)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=v1.8.0
database=${CRIER_VULN_DB:-https://vuln.go.dev}

if ! curl --silent --fail --max-time 20 --output /dev/null "$database/index/db.json"; then
	echo "vuln: $database cannot be reached; nothing was checked." >&2
	exit 3
fi
go run "golang.org/x/vuln/cmd/govulncheck@$version" -db "$database" ./...
