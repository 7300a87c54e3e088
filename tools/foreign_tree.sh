#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Unpacks packages of this release of Debian for another architecture, with what they depend on. Nothing is installed, and
# nothing of them is run:
#     tools/foreign_tree.sh FOLDER ARCHITECTURE PACKAGE...
# The tree is FOLDER/tree, and is kept. The mirror is that of this machine.
set -euo pipefail

[ $# -ge 3 ] || { echo "usage: $0 FOLDER ARCHITECTURE PACKAGE..." >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
architecture=$2
shift 2

# The list is kept in the tree: a package that was added later makes it anew.
list=$(printf '%s\n' "$@" | sort)
[ "$(cat "$folder/tree/packages" 2> /dev/null)" != "$list" ] || exit 0

# An apt of its own, to which nothing is installed: that of this machine need not know the architecture.
apt=$folder/apt
rm -rf "$apt"
mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
touch "$apt/status"
# shellcheck disable=SC1091  # a file of the machine
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016  # what apt puts in, not this shell
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' | sed -n 1p)
[ -n "$mirror" ] || { echo "$0: apt knows no mirror of Debian; 'apt-get update' may help" >&2; exit 1; }
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" > "$apt/parts/foreign.list"
foreign() {
  apt-get -q -y -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
    -o Dir::State::Status="$apt/status" -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" \
    -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$apt/parts" -o APT::Sandbox::User=root "$@"
}
foreign update
foreign install --no-install-recommends --download-only "$@"

rm -rf "$folder/tree"
mkdir "$folder/tree"
for package in "$apt"/cache/archives/*.deb; do dpkg-deb --extract "$package" "$folder/tree"; done
rm -rf "$apt"
printf '%s\n' "$list" > "$folder/tree/packages"
