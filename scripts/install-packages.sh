#!/usr/bin/env bash
# Installs Debian packages, as root or with passwordless sudo: install-packages.sh PACKAGE...
set -euo pipefail

refuse() {
	echo "install-packages: $1; please install manually: $packages" >&2
	exit 1
}

packages=$*
command -v apt-get >/dev/null || refuse "there is no apt-get here"

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	sudo -n true 2>/dev/null || refuse "installing needs root, or sudo without a password"
	as_root=(sudo -n)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

apt() {
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" </dev/null >"$log" 2>&1
}

echo "Installing with apt-get: $packages"
if ! { apt update && apt install -y --no-install-recommends "$@"; }; then
	cat "$log" >&2
	refuse "apt-get failed"
fi
