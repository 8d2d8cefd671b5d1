#!/usr/bin/env bash
# Runs a command with a Node.js that can build the dashboard: with-node.sh COMMAND [ARGUMENT...]
# Vite needs 20.19 or later of Node 20, or 22.12 and later; Debian 13 has 20.19. Installed when the machine has none.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

new_enough() {
	command -v node >/dev/null && command -v npm >/dev/null &&
		node -e 'const [a, b] = process.versions.node.split(".").map(Number)
			process.exit((a === 20 && b >= 19) || (a === 22 && b >= 12) || a > 22 ? 0 : 1)'
}

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
	echo "Node.js: not found; building the dashboard needs it (running crier does not)."
	"$here/install-packages.sh" nodejs npm
fi
if ! new_enough; then
	echo "Node.js: $(node --version) is too old for the dashboard's tools: 20.19 or 22.12 is needed." >&2
	exit 1
fi
exec "$@"
