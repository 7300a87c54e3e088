#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks packages of npm, without installing what they depend on or running anything of theirs:
#     tools/npm_package.sh FOLDER NAME@VERSION...
# Each goes to FOLDER/NAME; one that is there in this version is left alone.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 FOLDER NAME@VERSION..." >&2; exit 2; }
folder=$1
shift

for package; do
  name=${package%@*}
  case $package in ?*@?*) ;; *) echo "$0: '$package' has no version; valid: NAME@VERSION" >&2; exit 2 ;; esac
  target=$folder/$name
  stamp=$target/.version
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$package" ] && continue
  archive=$(mktemp -d)
  trap 'rm -rf "$archive"' EXIT
  npm pack --silent --pack-destination "$archive" "$package" > /dev/null
  rm -rf "$target"
  mkdir -p "$target"
  tar -xzf "$archive"/*.tgz -C "$target" --strip-components=1 --no-same-owner
  echo "$package" > "$stamp"
  rm -rf "$archive"
done
