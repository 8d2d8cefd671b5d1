#!/usr/bin/env bash
# Checks the dashboard: types, lint, unit tests, and that web/dist matches a build of its sources, byte by byte.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../web"

../scripts/install-web.sh
npm run --silent check
npm test --silent

built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT
CRIER_WEB_OUT="$built" npm run --silent build
if ! diff -rq "$built" dist; then
	echo "check-web: web/dist does not match its sources: run make web and commit it." >&2
	exit 1
fi
echo "web/dist matches its sources."
