#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What computes on the GPU of this machine, on trial for MINUTES (docs/gpu.md). Needs no network:
#     tools/gpu_trial.sh [--dry-run] WHEEL MINUTES FOLDER
# WHEEL is convict's, or a program `convict`. It is installed into FOLDER/venv, which sees the packages of $PYTHON
# [python3]: PyTorch, Triton, JAX. FOLDER gets gpu.db, gpu.html, gpu.md and what each step said. With --dry-run, a client
# plays the device. Exit codes: 0 every step was made, 1 one failed, which is said, 2 usage, or nothing could begin.
set -euo pipefail
: "${PYTHON:=python3}"

began=$(date +%s)
dry=()
if [ "${1:-}" = --dry-run ]; then
  dry=(--dry-run)
  shift
fi
[ $# = 3 ] || { echo "usage: $0 [--dry-run] WHEEL MINUTES FOLDER" >&2; exit 2; }
[ -f "$1" ] || { echo "gpu_trial: $1 is not there" >&2; exit 2; }
wheel=$(realpath "$1") minutes=$2
mkdir -p "$3"
folder=$(realpath "$3")
here=$(realpath "$(dirname "$0")")

# A new environment that sees what this Python sees, also where that is of an environment itself. pip is that of the latter.
install_wheel() {
  "$PYTHON" -m venv --clear --system-site-packages --without-pip "$folder/venv"
  "$PYTHON" -c 'import sys
for folder in sys.path:
    if folder.endswith("-packages"):  # with what .pth files there add
        print(f"import site; site.addsitedir({folder!r})")' > "$folder/seen"
  mv "$folder/seen" "$(echo "$folder"/venv/lib/python3*/site-packages)/seen.pth"
  "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --ignore-installed "$wheel"
}

convict=$wheel
if [[ $wheel != *.whl ]]; then
  export PYTHONPATH=$here/../python${PYTHONPATH:+:$PYTHONPATH}
else
  export -f install_wheel
  export PYTHON folder wheel
  if ! timeout 120 bash -ec install_wheel > "$folder/install.log" 2>&1; then
    echo "install: failed: $(tail -n 1 "$folder/install.log")"
    exit 2
  fi
  PYTHON=$folder/venv/bin/python convict=$folder/venv/bin/convict
  echo "install: $(($(date +%s) - began)) s"
fi
export CONVICT_PYTHON=$PYTHON CONVICT=$convict
exec "$PYTHON" "$here/gpu_trial.py" "$convict" "$minutes" "$folder" --began "$began" "${dry[@]}"
