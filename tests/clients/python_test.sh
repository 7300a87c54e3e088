#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Which Python runs a client (clients/shared/python.sh): the user's own if it has the framework, else that of `make NAME`. It
# is found without importing the framework.
#     tests/clients/python_test.sh SOURCE_FOLDER
set -eu

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/clients/shared" "$tree/build/venvs"
cp "$1/clients/shared/python.sh" "$1/clients/shared/version.py" "$tree/clients/shared"

# environment FOLDER [VERSION]: a virtual environment, with a framework that must not be imported.
environment() {
  /usr/bin/python3 -m venv --without-pip "$tree/$1"
  [ $# = 2 ] || return 0
  for packages in "$tree/$1"/lib/python3*/site-packages; do
    mkdir -p "$packages/frame" "$packages/frame_cpu-$2.dist-info"
    echo 'raise SystemExit("imported")' > "$packages/frame/__init__.py"
    printf 'Metadata-Version: 2.1\nName: frame-cpu\nVersion: %s\n' "$2" > "$packages/frame_cpu-$2.dist-info/METADATA"
  done
}

# expect WHAT [VARIABLE...]: the version that a client would find.
expect() {
  what=$1
  shift
  found=$(cd "$tree" && env -u CONVICT_PYTHON -u VIRTUAL_ENV "$@" sh clients/shared/python.sh frame \
    clients/shared/version.py frame-cpu frame 2>&1 | sed -n 1p) || true
  [ "$found" = "$what" ] || { echo "with '$*': $found instead of $what"; exit 1; }
}

mkdir "$tree/frame" # in the working directory: no framework
expect 'no Python here has frame'
environment build/venvs/frame 1.0
environment active 2.0
environment other 3.0
environment bare
expect 1.0
expect 2.0 VIRTUAL_ENV="$tree/active"
expect 3.0 CONVICT_PYTHON="$tree/other/bin/python3" VIRTUAL_ENV="$tree/active"
expect 1.0 VIRTUAL_ENV="$tree/bare"
expect 2.0 CONVICT_PYTHON="$tree/bare/bin/python3" VIRTUAL_ENV="$tree/active"
expect 1.0 CONVICT_PYTHON=/nowhere/python3
