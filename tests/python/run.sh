#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh PYTHON TEST_FILE: skips (77) where that Python has no numpy or no pytest.
"$1" -c 'import numpy, pytest' 2> /dev/null || { echo "$1 has no numpy or no pytest"; exit 77; }
exec "$1" -m pytest -q -p convict.pytest_plugin -p no:cacheprovider -W ignore "$2"
