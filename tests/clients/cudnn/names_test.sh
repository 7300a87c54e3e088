#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# names_test.sh SOURCE: the values of clients/cudnn/names.py are those of cuDNN's header, where `make cudnn` has been.
set -eu
set -- "$1" "$1"/build/venvs/cudnn/lib/python3*/site-packages/nvidia
[ -e "$2/cudnn/include/cudnn.h" ] || { echo 'skipped: make cudnn installs the header'; exit 77; }
/usr/bin/python3 "$1/clients/cudnn/names.py" |
  "${CXX:-c++}" -std=c++17 -fsyntax-only -I"$2/cudnn/include" -I"$2/cu13/include" -x c++ -
