#!/usr/bin/env bash
# Builds a release into dist/: static binaries for Linux, macOS and Windows, a bill of materials for each and the
# checksums of all. Needs only Go.
#
#   scripts/release.sh v1.2.3
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=${1:?which version? scripts/release.sh v1.2.3}
targets=${CRIER_RELEASE_TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64}
rm -rf dist
mkdir -p dist
for target in $targets; do
	os=${target%/*} arch=${target#*/}
	file=crier-$version-$os-$arch
	if [ "$os" = windows ]; then file=$file.exe; fi
	echo "$file"
	GOOS=$os GOARCH=$arch CGO_ENABLED=0 go build -trimpath -buildvcs=false \
		-ldflags "-s -w -X main.version=$version" -o "dist/$file" ./cmd/crier
	# The modules of the binary, as recorded by the toolchain: for people one line per module with its checksum, for
	# scanners a CycloneDX bill of materials.
	go version -m "dist/$file" >"dist/$file.modules.txt"
	go run ./scripts/sbom "dist/$file" "$version" >"dist/$file.cdx.json"
done
(cd dist && sha256sum -- * >SHA256SUMS)
echo "dist/SHA256SUMS"
