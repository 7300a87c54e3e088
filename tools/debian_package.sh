#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unpacks packages of another release of Debian, for what this one has not, without installing them:
#     tools/debian_package.sh FOLDER SUITE PACKAGE...
# Each goes to FOLDER/PACKAGE; one that is there is left alone. The mirror is that of this machine.
set -eu

[ $# -ge 3 ] || { echo "usage: $0 FOLDER SUITE PACKAGE..." >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
suite=$2
shift 2

missing=
for package; do [ -d "$folder/$package" ] || missing="$missing $package"; done
[ -n "$missing" ] || exit 0

apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
# shellcheck disable=SC2016  # what apt puts in, not this shell
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' | head -n 1)
[ -n "$mirror" ] || { echo "$0: apt knows no mirror of Debian; 'apt-get update' may help" >&2; exit 1; }
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" > "$apt/parts/other.list"
other() {
  apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$apt/parts" -o Dir::State::Lists="$apt/lists" \
    -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root "$@"
}
other update
for package in $missing; do
  (cd "$apt" && other download "$package")
  dpkg-deb --extract "$apt/$package"_*.deb "$apt/tree"
  mv "$apt/tree" "$folder/$package"
done
