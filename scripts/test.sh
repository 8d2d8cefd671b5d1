#!/usr/bin/env bash
# Proves all that can be proved on one machine: vet, every test on both databases with the race detector, and a short
# run of each fuzz target. Needs Go; finds or installs the rest. Tests of one package: with-postgres.sh go test ./...
#
#   CRIER_TEST_FUZZ_RUNS  how often each fuzz target is called (20000)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The race detector is linked by a C compiler.
compiles_c() {
	# shellcheck disable=SC2046 # CC may hold arguments
	echo '#include <stdlib.h>' | $(go env CC) -x c -fsyntax-only - 2>/dev/null
}
if ! compiles_c; then
	echo "C compiler: not found; the race detector needs one."
	scripts/install-packages.sh gcc libc6-dev
fi
if ! command -v curl >/dev/null; then
	echo "curl: not found; the examples call it."
	scripts/install-packages.sh curl ca-certificates
fi

if [ -z "${CRIER_TEST_POSTGRES_URL:-}" ]; then
	exec scripts/with-postgres.sh scripts/test.sh
fi

results=$(mktemp)
trap 'rm -f "$results" "$results.fuzz"' EXIT
fuzzed=0

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# passed counts the passed tests whose package and name match a pattern.
passed() {
	grep -ciE "^pass"$'\t'"$1" "$results" || true
}

# unwatched are packages that the race detector leaves alone: the embedded database is C turned into Go, pictures are many
# pixels, hashes many rounds. Watching them takes most of the time and says nothing about crier. Libraries that use atomics
# must be watched: they would be accused wrongly.
unwatched=('modernc.org/...=-race=false' 'golang.org/x/image/...=-race=false' 'golang.org/x/crypto/...=-race=false' 'image/...=-race=false')

# run_tests has more tests of a package at once than there are cores: those of the whole program wait most of their time.
# More than four packages at once would only wait for each other at the one PostgreSQL.
run_tests() {
	local cores
	cores=$(getconf _NPROCESSORS_ONLN)
	CGO_ENABLED=1 GOGC=200 go test -json -race "${unwatched[@]/#/-gcflags=}" -vet=off -count=1 -timeout 30m \
		-parallel "$((cores * 5 / 2))" -p "$((cores < 4 ? cores : 4))" ./... | awk -v results="$results" -f scripts/test-report.awk
}

# check_kinds fails when a kind of test is missing: a suite that skips a database looks green and proves nothing.
check_kinds() {
	local skipped
	skipped=$(grep '^skip' "$results" | cut -f 2- || true)
	if [ -n "$skipped" ]; then printf 'Skipped:\n%s\n' "$skipped"; fi
	if grep -qiE 'postgres' <<<"$skipped"; then fail "a test of PostgreSQL was skipped."; fi
	[ "$(passed '.*sqlite')" -gt 0 ] || fail "no test has sqlite in its name: did the tests of the embedded database run?"
	[ "$(passed '.*postgres')" -gt 0 ] || fail "no test has postgres in its name: did the tests of PostgreSQL run?"
	[ "$(passed 'crier/cmd/crier'$'\t')" -gt 0 ] || fail "no test of the whole program (cmd/crier) ran."
}

# fuzz_targets prints one line per target: directory and name.
fuzz_targets() {
	grep -rEo '^func Fuzz[A-Za-z0-9_]*' --include='*_test.go' --exclude-dir={.git,.tools,node_modules,testdata} . |
		sed -E 's|/[^/]*_test\.go:func | |' | sort
}

# run_fuzzing counts calls and not seconds: when its time is over, Go 1.26 may take its own deadline for a failure
# (go.dev/issue/75804).
run_fuzzing() {
	local dir target
	while read -r dir target; do
		go test -vet=off -run '^$' -fuzz "^$target\$" -fuzztime "${CRIER_TEST_FUZZ_RUNS:-20000}x" "$dir" >"$results.fuzz" 2>&1 ||
			{ cat "$results.fuzz"; fail "fuzzing $target in $dir"; }
		grep -q '^fuzz: ' "$results.fuzz" || fail "$target in $dir is not a fuzz target of this platform."
		grep '^ok' "$results.fuzz" | sed "s/\$/\t$target/"
		fuzzed=$((fuzzed + 1))
	done < <(fuzz_targets)
	[ "$fuzzed" -gt 0 ] || fail "there is no fuzz target."
}

echo "go vet"
go vet ./...
echo "go test -race, both databases"
run_tests
check_kinds
echo "go test -fuzz, ${CRIER_TEST_FUZZ_RUNS:-20000} calls each"
run_fuzzing
echo "PASS: $(passed '.*') tests and subtests ($(passed '.*sqlite') on SQLite, $(passed '.*postgres') on PostgreSQL), $fuzzed fuzz targets."
