#!/usr/bin/env bash
# Prints the path of the Chromium for the dashboard tests, and installs one if the machine has none. The one without
# windows is preferred: it is the same engine and needs less than half of the processor time.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

find_chromium() {
	local name
	for name in "${CRIER_TEST_CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome; do
		if [ -n "$name" ] && command -v "$name"; then return 0; fi
	done
	return 1
}

if ! find_chromium; then
	"$here/install-packages.sh" chromium-headless-shell >&2 || "$here/install-packages.sh" chromium >&2
	find_chromium
fi
