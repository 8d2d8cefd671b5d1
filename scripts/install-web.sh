#!/usr/bin/env bash
# Installs the dashboard's packages, exactly those of its lock file, if they are not installed yet.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../web"

kept=node_modules/.crier-lock
if ! cmp -s package-lock.json "$kept"; then
	npm ci --no-audit --no-fund
	cp package-lock.json "$kept"
fi
