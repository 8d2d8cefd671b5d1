#!/usr/bin/env bash
# Prints the path of Prometheus's promtool for the tests of the alerts. If the machine has none, it takes the program out
# of Debian's package: installing the package would start a Prometheus server.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
unpacked=${here%/*}/.tools/promtool

unpack() (
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
	chmod 755 "$dir" && { chown _apt "$dir" 2>/dev/null || true; } # apt-get gives up root while it downloads
	cd "$dir"
	apt-get -qq download prometheus || return 1
	dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool
	mkdir -p "$unpacked"
	mv usr/bin/promtool "$unpacked/promtool"
)

find_promtool() { command -v promtool || command -v "$unpacked/promtool"; }

if ! find_promtool; then
	# The second try is for a machine without lists of packages, which installing any package fetches.
	{ unpack || { "$here/install-packages.sh" ca-certificates && unpack; }; } >&2
	find_promtool
fi
