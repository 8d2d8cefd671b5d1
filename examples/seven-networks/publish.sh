#!/usr/bin/env bash
# Publishes a short vertical video to all seven networks of a fresh install's sandbox with one request, and prints where
# it can be seen. Needs Go and curl.
#
#   make run                                      in one terminal
#   examples/seven-networks/publish.sh KEY        in another, with the API key that was printed
set -euo pipefail

key=${1:?usage: publish.sh API-KEY [ADDRESS]}
base=${2:-http://127.0.0.1:8080}
here=$(cd "$(dirname "$0")" && pwd)
video=$(mktemp)
trap 'rm -f "$video"' EXIT

call() { curl -sS --fail-with-body -H "Authorization: Bearer $key" "$@"; }
send() { call -H "Content-Type: application/json" -d "$1" "$2"; }
# values NAME prints the strings under a key of the JSON on standard input, one a line.
values() { grep -o "\"$1\":\"[^\"]*" | cut -d'"' -f4; }
first() { values "$1" | head -n 1; }

(cd "$here" && go run .) >"$video"
team=$(call "$base/v1/agent/context" | first defaultTeamId)
accounts=$(call "$base/v1/teams/$team/social-accounts" | grep -o '{"id":"[^"]*' | cut -d'"' -f4 | sed 's/.*/"&"/' | paste -sd, -)
asset=$(call -F "file=@$video;filename=vertical.mp4;type=video/mp4" "$base/v1/teams/$team/assets" | first id)
post=$(send "{\"text\":\"Seven networks, one request\",\"assetIds\":[\"$asset\"]}" "$base/v1/teams/$team/posts" | first id)
result=$(send "{\"socialAccountIds\":[$accounts],\"waitSeconds\":30,
	\"platformSettings\":{\"tiktokPrivacyLevel\":\"PUBLIC_TO_EVERYONE\",\"youtubeTitle\":\"Seven networks\"}}" \
	"$base/v1/teams/$team/posts/$post/post-now")

values permalink <<<"$result" | sort -u
published=$(grep -o '"status":"published"' <<<"$result" | wc -l)
if [ "$published" -ne 7 ]; then
	printf 'Published on %d networks instead of 7:\n%s\n' "$published" "$result" >&2
	exit 1
fi
