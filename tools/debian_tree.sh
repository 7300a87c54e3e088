#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command in another release of Debian, on this checkout, with a build folder of its own:
#     tools/debian_tree.sh FOLDER SUITE "PACKAGE..." COMMAND...
# The release is unpacked into FOLDER/SUITE, the build is FOLDER/SUITE-build; both are kept for the next call. Mounts and
# processes end with the command: it has name spaces of its own. Needs root, mmdebstrap, and a mirror (MIRROR=, or
# mmdebstrap's own).
set -euo pipefail

[ $# -ge 4 ] || { echo "usage: $0 FOLDER SUITE 'PACKAGE...' COMMAND..." >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "$0: needs root, to mount and to change the root folder" >&2; exit 2; }
checkout=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
suite=$2
read -ra packages <<< "$3"
shift 3
tree=$folder/$suite
build=$folder/$suite-build

# The list is kept in the tree: a package that was added later makes it anew.
list=$(printf '%s\n' "${packages[@]}" | sort)
if [ "$(cat "$tree/packages" 2> /dev/null)" != "$list" ]; then
  rm -rf "$tree" "$tree.new"
  mmdebstrap --variant=apt --include="$(tr '\n' ',' <<< "$list")" "$suite" "$tree.new" ${MIRROR:+"$MIRROR"}
  printf '%s\n' "$list" > "$tree.new/packages"
  mv "$tree.new" "$tree"
fi

mkdir -p "$tree/checkout" "$build" "$checkout/build"
export tree build checkout
# shellcheck disable=SC2016  # for the inner shell
exec unshare --mount --pid --fork --kill-child -- bash -euc '
  mount --make-rprivate /
  mount --bind "$tree" "$tree"  # name spaces inside want a root that is a mount
  mount --bind "$checkout" "$tree/checkout"
  mount --bind "$build" "$tree/checkout/build"
  mount -t proc proc "$tree/proc"
  mount --rbind /dev "$tree/dev"
  mount -t sysfs -o ro sysfs "$tree/sys"
  mount -t tmpfs tmpfs "$tree/tmp"
  exec chroot "$tree" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}" \
    bash -euc "cd /checkout; exec \"\$@\"" run "$@"' run "$@"
