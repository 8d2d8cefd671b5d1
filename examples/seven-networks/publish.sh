#!/usr/bin/env bash
# Publishes a short vertical video to all seven networks of a fresh install's sandbox with one request.
#
#   make run                                      in one terminal
#   examples/seven-networks/publish.sh KEY        in another, with the API key that was printed
set -euo pipefail

key=${1:?usage: publish.sh API-KEY [ADDRESS]}
base=${2:-http://127.0.0.1:8080}
here=$(cd "$(dirname "$0")" && pwd)
video=$(mktemp --suffix=.mp4)
trap 'rm -f "$video"' EXIT

call() { curl -sS --fail-with-body -H "Authorization: Bearer $key" "$@"; }
# field NAME prints the first string under a key of the JSON on standard input.
field() { grep -o "\"$1\":\"[^\"]*" | head -1 | cut -d'"' -f4; }

(cd "$here" && go run .) >"$video"
team=$(call "$base/v1/agent/context" | field defaultTeamId)
accounts=$(call "$base/v1/teams/$team/social-accounts" | grep -o '{"id":"[^"]*' | cut -d'"' -f4 | sed 's/.*/"&"/' | paste -sd,)
asset=$(call -F "file=@$video;type=video/mp4" "$base/v1/teams/$team/assets" | field id)
post=$(call --json "{\"text\":\"Seven networks, one request\",\"assetIds\":[\"$asset\"]}" "$base/v1/teams/$team/posts" | field id)
call --json "{\"socialAccountIds\":[$accounts],\"waitSeconds\":30,\"platformSettings\":{\"tiktokPrivacyLevel\":\"PUBLIC_TO_EVERYONE\",\"youtubeTitle\":\"Seven networks\"}}" \
	"$base/v1/teams/$team/posts/$post/post-now"
echo
