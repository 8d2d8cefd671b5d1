#!/usr/bin/env bash
# Runs a command with a temporary PostgreSQL cluster: with-postgres.sh COMMAND [ARGUMENT...]
#
# CRIER_TEST_POSTGRES_URL is set to the URL of a superuser, and CRIER_TEST_POSTGRES_RESTART to a program that restarts
# the server without a clean shutdown. If the first is already set, the command simply runs with it. Otherwise a cluster
# is created in a temporary directory, listens on a free loopback port, and is stopped and removed when the command has
# ended, however it ended. PostgreSQL is installed if the machine has none.
#
#   CRIER_TEST_POSTGRES_FSYNC    on: commits reach the disk, as in production (benchmarks). Default off, for speed.
#   CRIER_TEST_POSTGRES_BINDIRS  directories with PostgreSQL, separated by colons, instead of the usual ones.
set -euo pipefail

if [ $# -eq 0 ]; then
	echo "usage: with-postgres.sh COMMAND [ARGUMENT...]" >&2
	exit 2
fi
if [ -n "${CRIER_TEST_POSTGRES_URL:-}" ]; then
	echo "PostgreSQL: using CRIER_TEST_POSTGRES_URL."
	exec "$@"
fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir='' bin='' server_user='' child=''

say() { echo "PostgreSQL: $*"; }

die() {
	echo "PostgreSQL: $*" >&2
	exit 1
}

# candidate_dirs lists possible directories of the server programs, preferred ones first. On Debian they are not in
# PATH.
candidate_dirs() {
	if [ -n "${CRIER_TEST_POSTGRES_BINDIRS:-}" ]; then
		tr ':' '\n' <<<"$CRIER_TEST_POSTGRES_BINDIRS"
		return
	fi
	local program
	if program=$(command -v postgres); then dirname "$(readlink -f "$program")"; fi
	printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV
	if command -v pg_config >/dev/null; then pg_config --bindir; fi
}

find_server() {
	local candidate
	while read -r candidate; do
		if [ -x "$candidate/initdb" ] && [ -x "$candidate/pg_ctl" ] && [ -x "$candidate/postgres" ]; then
			bin=$candidate
			return 0
		fi
	done <<<"$(candidate_dirs)"
	return 1
}

# choose_server_user: PostgreSQL refuses to run as root, so for root the cluster is owned by an unprivileged user.
choose_server_user() {
	[ "$(id -u)" -eq 0 ] || return 0
	local name
	for name in postgres nobody; do
		if id "$name" >/dev/null 2>&1; then
			server_user=$name
			return 0
		fi
	done
	die "it cannot run as root, and there is neither a user postgres nor nobody."
}

# as_server_user runs a command as the user that owns the cluster.
as_server_user() {
	if [ -z "$server_user" ]; then
		"$@"
	elif command -v setpriv >/dev/null; then
		setpriv --reuid="$server_user" --regid="$(id -g "$server_user")" --clear-groups "$@"
	elif command -v runuser >/dev/null; then
		runuser -u "$server_user" -- "$@"
	else
		su -s /bin/sh "$server_user" -c "$(printf '%q ' "$@")"
	fi
}

# make_dir creates the temporary directory where the server's user can access it: root's TMPDIR is often closed to
# others. A socket's path is limited to 107 bytes, so a long TMPDIR is not used. A cluster without fsync is kept in
# memory if there is room: each test has its own database, hundreds of small files.
make_dir() {
	local parent memory='' room
	room=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1 || true)
	if [ "${CRIER_TEST_POSTGRES_FSYNC:-off}" = off ] && [ "${room:-0}" -ge 6000000 ]; then memory=/dev/shm; fi
	for parent in ${memory:+"$memory"} "${TMPDIR:-/tmp}" /tmp /var/tmp; do
		[ "${#parent}" -le 60 ] || continue
		dir=$(mktemp -d "${parent%/}/crier-postgres.XXXXXX" 2>/dev/null) || continue
		if [ -z "$server_user" ] || chown "$server_user" "$dir"; then
			cd "$dir"
			if as_server_user test -w "$dir"; then return 0; fi
			cd /
		fi
		rm -rf "$dir"
		dir=''
	done
	die "found no temporary directory that ${server_user:-this user} can write to; set TMPDIR to one."
}

# init_cluster: text is sorted by a language's rules, as on most servers, so that tests detect queries that rely on byte
# order without requesting it. Other users of the machine can reach the port too, so a password is required; it is
# random and short-lived, which makes md5 good enough. SCRAM would add 20 ms to each connection under the race detector.
# A busy node opens about 40 connections, and tests of two packages start dozens of nodes at once.
init_cluster() {
	local order=(--locale=C)
	if "$bin/initdb" --help | grep -- --icu-locale >/dev/null; then order+=(--locale-provider=icu --icu-locale=en); fi
	password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	(umask 077 && echo "$password" >"$dir/password")
	if [ -n "$server_user" ]; then chown "$server_user" "$dir/password"; fi
	as_server_user "$bin/initdb" -D "$dir/data" --username=crier --pwfile="$dir/password" --auth=md5 \
		--encoding=UTF8 "${order[@]}" --no-sync >"$dir/initdb.log" 2>&1 || {
		cat "$dir/initdb.log" >&2
		die "initdb failed."
	}
	cat >>"$dir/data/postgresql.conf" <<-CONF
		listen_addresses = '127.0.0.1'
		unix_socket_directories = '$dir'
		max_connections = 1000
		fsync = ${CRIER_TEST_POSTGRES_FSYNC:-off}
		full_page_writes = ${CRIER_TEST_POSTGRES_FSYNC:-off}
		synchronous_commit = on
	CONF
}

# start_server tries ports below the ephemeral range. Only binding a port shows whether it is free.
start_server() {
	local attempt
	for attempt in {1..20}; do
		port=$((20000 + RANDOM % 10000))
		if as_server_user "$bin/pg_ctl" start -w -t 60 -D "$dir/data" -l "$dir/server.log" -o "-p $port" \
			>/dev/null 2>&1; then return 0; fi
		grep -q 'Address already in use' "$dir/server.log" || break
		: >"$dir/server.log"
	done
	cat "$dir/server.log" >&2
	die "the server did not start."
}

# write_restart writes a program that restarts the server, for tests of restarts.
write_restart() {
	cat >"$dir/restart" <<-SCRIPT
		#!/usr/bin/env bash
		set -euo pipefail
		$(declare -p server_user)
		$(declare -f as_server_user)
		cd "$dir"
		as_server_user "$bin/pg_ctl" restart -w -t 60 -m immediate -D "$dir/data" -l "$dir/server.log" -o "-p $port" >/dev/null
	SCRIPT
	chmod 0755 "$dir/restart"
}

clean_up() {
	local status=$?
	trap '' INT TERM HUP
	cd /
	if [ -n "$dir" ]; then
		if [ -f "$dir/data/postmaster.pid" ]; then
			as_server_user "$bin/pg_ctl" stop -w -t 30 -m immediate -D "$dir/data" >/dev/null || say "the server did not stop."
		fi
		rm -rf "$dir"
		say "cluster removed."
	fi
	exit "$status"
}

# run passes the terminal to the command if there is one. Otherwise the command gets its own process group, so that a
# signal to this script alone ends all of it at once.
run() {
	if [ -t 0 ]; then
		"$@"
		return
	fi
	set -m
	"$@" <&0 &
	child=$!
	wait "$child"
}

end_by() {
	if [ -n "$child" ]; then { kill -TERM -- "-$child" && wait "$child"; } 2>/dev/null || true; fi
	exit "$((128 + $1))"
}

trap clean_up EXIT
trap 'end_by 1' HUP
trap 'end_by 2' INT
trap 'end_by 15' TERM

started_in=$PWD
if ! find_server; then
	say "not found on this machine."
	"$here/install-packages.sh" postgresql
	find_server || die "initdb, pg_ctl and postgres still cannot be found."
fi
choose_server_user
make_dir
init_cluster
start_server
write_restart
say "$("$bin/postgres" --version | sed 's/^postgres (PostgreSQL) //') on 127.0.0.1:$port${server_user:+, run as $server_user}."

export CRIER_TEST_POSTGRES_RESTART="$dir/restart"
export CRIER_TEST_POSTGRES_URL="postgres://crier:$password@127.0.0.1:$port/postgres?sslmode=disable"
cd "$started_in"
run "$@"
