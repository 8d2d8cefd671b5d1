#!/usr/bin/env bash
# Runs all checks that take minutes on one machine: vet, every test on both databases, the race detector, and a short
# run of each fuzz target. Needs Go; finds or installs the rest. Tests of one package: with-postgres.sh go test ./...
#
# The race detector quadruples the work. It is used for every package that starts goroutines or holds locks, in
# its code or in its tests; of the large ones, which test the whole API and the whole program, only for concurrent tests
# and those that call every operation.
#
#   CRIER_TEST_RACE=all      use it for everything (make race; half an hour)
#   CRIER_TEST_FUZZ_RUNS     runs of each fuzz target (4000)
#   CRIER_TEST_NO_HISTORY=1  skip the upgrade from the previous version, which a shallow clone cannot build
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The race detector needs a C compiler for linking.
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

CRIER_TEST_CHROMIUM=$(scripts/find-chromium.sh)
CRIER_TEST_PROMTOOL=$(scripts/find-promtool.sh)
export CRIER_TEST_CHROMIUM CRIER_TEST_PROMTOOL

if [ -z "${CRIER_TEST_POSTGRES_URL:-}" ]; then
	exec scripts/with-postgres.sh scripts/test.sh
fi

# Without absolute paths, all copies of the source on a machine share the build cache.
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-trimpath"
# crier is released without C code; a build with it would be a third one, beside that of the race detector.
export CGO_ENABLED=0

results=$(mktemp)
trap 'kill ${dashboard:-} ${tests:-} 2>/dev/null || true; rm -rf "$results" "$results.fuzz" "$results.fuzzed" "$results.web" "$results.program" "${in_memory:-}"' EXIT

# Test files are kept in memory if there is room: SQLite waits for the disk on every commit, and the tests do not depend
# on the disk (PostgreSQL runs without fsync here for the same reason). Builds stay on disk.
in_memory=
room=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1 || true)
if [ "${room:-0}" -ge 6000000 ]; then
	export GOTMPDIR="${GOTMPDIR:-${TMPDIR:-/tmp}}"
	in_memory=$(mktemp -d /dev/shm/crier-test.XXXXXX)
	export TMPDIR="$in_memory"
fi

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# passed counts the passed tests whose package and name match a pattern.
passed() {
	grep -ciE "^pass"$'\t'"$1" "$results" || true
}

# unwatched are packages without the race detector: the embedded database is C translated to Go, and the
# code of images and hashes runs long loops. Instrumenting them takes most of the time and finds nothing in crier.
# Libraries that use atomics must be instrumented: otherwise they cause false reports.
unwatched=(modernc.org/...=-race=false golang.org/x/image/...=-race=false golang.org/x/crypto/...=-race=false
	image/...=-race=false)

# large are the packages besides the program whose tests start whole servers or process many pixels, slowest first;
# at_once are those of their tests, and of the program's, that run with the race detector.
program=./cmd/crier
large=(./internal/api ./internal/media ./internal/mcp ./internal/cli)
at_once='AtOnce|Concurrently|ManyTimes|InParallel|LastSecond|SameSlot|TwoWorkers|WakesUp|DuringTheCall|AllSevenNetworks'
at_once+='|DoNotWait|DoesNotBlock|WhileRows|Stream|TestFuzzed|EveryRouteThatChanges|KeepsSessionsApart|Followed'

# concurrent prints the other packages that start goroutines or hold locks.
concurrent() {
	grep -rlE '^\s*go |\.Go\(|\bsync\.(Mutex|RWMutex|Map|Pool|WaitGroup|Cond)|\batomic\.|errgroup' --include='*.go' \
		--exclude-dir={.git,.tools,web} . |
		xargs -n 1 dirname | sort -u | grep -vxFf <(printf '%s\n' "$program" "${large[@]}")
}

# run_tests runs go test and reports. It runs more tests of a package concurrently than there are cores: those of the
# whole program wait most of the time. More than four concurrent packages would only wait for the one PostgreSQL. Linking
# without debug information takes half the time; traces of panics do not need it. A test that hangs ends its package
# after the timeout, with the stacks of all goroutines.
run_tests() {
	local cores
	cores=$(getconf _NPROCESSORS_ONLN)
	GOGC=400 go test -json -vet=off -ldflags='-s -w' -count=1 -timeout 30m -parallel "$((cores * 4))" \
		-p "$((cores < 4 ? cores : 4))" "$@" | awk -v results="$results" -f scripts/test-report.awk || failed=1
}

# test_watched is run_tests with the race detector, without its wait of a second at the end of each process.
test_watched() {
	CGO_ENABLED=1 GORACE="${GORACE:-atexit_sleep_ms=50}" run_tests -race "${unwatched[@]/#/-gcflags=}" "$@"
}

# test_program tests the whole program, concurrently with the packages.
test_program() {
	local failed=0 results=$results.program
	test_watched -run "$at_once" "$program"
	run_tests -skip "$at_once" "$program"
	return "$failed"
}

test_all() {
	local failed=0 watched others
	mapfile -t watched < <(concurrent)
	mapfile -t others < <(go list ./... | grep -vxFf <(go list "$program" "${large[@]}" "${watched[@]}"))
	if [ "${CRIER_TEST_RACE:-}" = all ]; then
		echo "go test -race, both databases"
		test_watched ./...
	else
		# Two runs that need a package at the same time would both compile it: minutes, if the build cache is empty.
		CGO_ENABLED=1 go build -race "${unwatched[@]/#/-gcflags=}" ./internal/...
		# Its tests wait most of the time: for posts that are due, for a browser, for programs that are killed.
		test_program &
		tests=$!
		echo "go test -race, both databases: concurrent tests of large packages"
		test_watched -run "$at_once" "${large[@]}"
		echo "go test, both databases: the other tests of large packages"
		run_tests -skip "$at_once" "${large[@]}"
		echo "go test, both databases: sequential code"
		run_tests "${others[@]}"
		echo "go test -race, both databases: concurrent packages"
		test_watched "${watched[@]}"
		wait "$tests" || failed=1
		cat "$results.program" >>"$results"
	fi
	return "$failed"
}

# check_kinds fails if a kind of test is missing: a suite that skips a database passes and proves nothing.
check_kinds() {
	local skipped unexpected
	skipped=$(grep '^skip' "$results" | cut -f 2- || true)
	if [ -n "$skipped" ]; then printf 'Skipped:\n%s\n' "$skipped"; fi
	# Without history, as in an archive of the source, there is no previous version to upgrade from.
	unexpected=$(grep -i postgres <<<"$skipped" | grep -v 'has no history to build' || true)
	[ -z "$unexpected" ] || fail "a test of PostgreSQL was skipped."
	if grep -q 'no Chromium' <<<"$skipped"; then fail "a test in the browser was skipped."; fi
	if grep -q 'promtool is not installed' <<<"$skipped"; then fail "a test of the alerts was skipped."; fi
	[ "$(passed '.*sqlite')" -gt 0 ] || fail "no test has sqlite in its name: did the tests of the embedded database run?"
	[ "$(passed '.*postgres')" -gt 0 ] || fail "no test has postgres in its name: did the tests of PostgreSQL run?"
	[ "$(passed 'crier/cmd/crier'$'\t')" -gt 0 ] || fail "no test of the whole program (cmd/crier) ran."
}

# fuzz_targets prints one line per package: its directory and the names of its targets.
fuzz_targets() {
	grep -rEo '^func Fuzz[A-Za-z0-9_]*' --include='*_test.go' --exclude-dir={.git,.tools,node_modules,testdata} . |
		sed -E 's|/[^/]*_test\.go:func | |' | sort |
		awk '$1 != dir { if (dir) print line; line = dir = $1 } { line = line " " $2 } END { if (dir) print line }'
}

# fuzz_package fuzzes the targets of one package with one worker. It hardly minimizes inputs that reach new code, which
# took most of the calls. It counts calls and not seconds: when its time is over, Go 1.26 may report its own deadline as
# a failure (go.dev/issue/75804). xargs calls it, so it reports failures itself.
fuzz_package() {
	local dir=$1 files target
	shift
	files=$results.fuzz/$(tr / _ <<<"$dir")
	go test -vet=off -ldflags='-s -w' -c -fuzz . -o "$files.test" "$dir" || return 1
	for target in "$@"; do
		(cd "$dir" && "$files.test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "${fuzz_runs}x" \
			-test.fuzzminimizetime 10x -test.fuzzcachedir "$files.corpus" -test.parallel 1) >"$files.log" 2>&1 ||
			{ echo "FAIL: fuzzing $target in $dir" && cat "$files.log"; return 1; } >&2
		grep -q '^fuzz: .*new interesting' "$files.log" ||
			{ echo "FAIL: $target in $dir was not fuzzed." && cat "$files.log"; return 1; } >&2
		echo "ok	crier/${dir#./}	$target	$(grep -oE 'execs: [0-9]+' "$files.log" | tail -n 1)" | tee -a "$results.fuzzed"
	done
}

# run_fuzzing fuzzes as many packages concurrently as there are cores.
run_fuzzing() {
	mkdir "$results.fuzz"
	export -f fuzz_package
	results=$results fuzz_runs=${CRIER_TEST_FUZZ_RUNS:-4000} xargs -P "$(getconf _NPROCESSORS_ONLN)" -L 1 \
		bash -c 'fuzz_package "$@"' fuzz_package < <(fuzz_targets) || fail "fuzzing"
	fuzzed=$(wc -l <"$results.fuzzed")
}

# The types of the dashboard are checked by one thread, so the rest runs concurrently.
echo "dashboard, concurrently with go vet and the tests"
scripts/with-node.sh scripts/check-web.sh >"$results.web" 2>&1 &
dashboard=$!
echo "go vet"
go vet ./...
test_all
wait "$dashboard" || { cat "$results.web"; fail "the dashboard"; }
grep -E 'Tests|web/dist' "$results.web"
check_kinds
echo "go test -fuzz, ${CRIER_TEST_FUZZ_RUNS:-4000} calls each"
run_fuzzing
echo "PASS: $(passed '.*') tests and subtests ($(passed '.*sqlite') on SQLite, $(passed '.*postgres') on PostgreSQL), $fuzzed fuzz targets."
