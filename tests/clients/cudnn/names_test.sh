#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# names_test.sh SOURCE: where `make cudnn` has been, the values of clients/cudnn/names.py are those of cuDNN's header,
# and cuDNN takes what the client says of problems.
set -eu
set -- "$1" "$1"/build/venvs/cudnn/lib/python3*/site-packages/nvidia
[ -e "$2/cudnn/include/cudnn.h" ] || { echo 'skipped: make cudnn installs cuDNN'; exit 77; }
/usr/bin/python3 "$1/clients/cudnn/names.py" |
  "${CXX:-c++}" -std=c++17 -fsyntax-only -I"$2/cudnn/include" -I"$2/cu13/include" -x c++ -
# It tells at length that there is no driver.
"$1/build/venvs/cudnn/bin/python" "$(dirname "$0")/described.py" "$1" 2> /dev/null
