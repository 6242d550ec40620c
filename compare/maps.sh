#!/bin/sh
# The share of functions touched by the last commits of repositories that a map made before
# them names: foveal's and Aider's, each of 2,000 tokens.
#
#     pip install aider-chat
#     compare/maps.sh COMMITS REPOSITORY…
#
# REPOSITORY is a git repository with its history. Works in a folder of temporary files.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
commits=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for repository; do
    repository=$(cd "$repository" && pwd)
    base=$(git -C "$repository" rev-list --first-parent -n $((commits + 1)) HEAD | tail -1)
    rm -rf "$work/folder"
    git clone -q --shared --no-checkout "$repository" "$work/folder"
    git -C "$work/folder" checkout -q "$base"
    ${PYTHON:-python3} "$here/compare/aider_map.py" "$work/folder" 2000 >"$work/aider" 2>"$work/said"
    echo "$repository, $commits commits from $(git -C "$work/folder" log -1 --format=%h) on"
    (cd "$here" && cargo run -q --release -p foveal-tools --example touched -- \
        "$repository" "$work/folder" 2000 "$work/aider")
done
