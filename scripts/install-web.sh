#!/usr/bin/env bash
# Installs the packages that the dashboard is built with, exactly those of its lock file, if they are not there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../web"

kept=node_modules/.crier-lock
if ! cmp -s package-lock.json "$kept"; then
	npm ci --no-audit --no-fund
	cp package-lock.json "$kept"
fi
