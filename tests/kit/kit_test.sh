#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kit_test.sh NAME SOURCE_DIR BUILD_DIR: what authors of kernels get, used as they would. CONVICT is the program, CXX the
# compiler. Exit code 77: skipped, with the reason.
set -euo pipefail
name=$1 source=$(realpath "$2") build=$(realpath "$3") here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
export PYTHONDONTWRITEBYTECODE=1

# Says what went wrong, and ends.
fail() { echo "FAILED: $*"; exit 1; }

# Skips unless the command works.
need() { "$@" > /dev/null 2>&1 || { echo "skipped: '$*' does not work here"; exit 77; }; }

# A prefix with an installed convict.
installed() { cmake --install "$build" --prefix "$here/prefix" > /dev/null; }

prefix() { # header, CMake, pkg-config and the Python package, of an installed prefix
  installed
  need pkg-config --version
  export PKG_CONFIG_PATH=$(dirname "$(find prefix -name convict.pc)")
  printf '#include <convict/convict.h>\nint main(void) { return CONVICT_ABI_VERSION - 1; }\n' > a.c
  cc -std=c99 -pedantic -Werror -o a a.c $(pkg-config --cflags convict)
  ./a || fail 'another version of the header'
  site=$(dirname "$(find prefix -path '*dist-packages/convict' -type d)")
  env -u CONVICT PATH=/usr/bin:/bin PYTHONPATH="$site" /usr/bin/python3 -c '
import convict._program
assert convict._program.find_program().endswith("prefix/bin/convict"), convict._program.find_program()'
  find prefix -name entry_points.txt | grep -q convict || fail 'no entry points'
}

new_plugin() { # a project in both languages, called like its folder, which builds, refuses what it must and is right
  installed
  for language in c c++; do
    kernel=dw-${language/++/pp}
    prefix/bin/convict new-plugin --lang $language $kernel > said
    grep -q "wrote CMakeLists.txt and $kernel.${language/++/pp} to $kernel" said || { cat said; fail 'another name'; }
    grep -q "cmake -B build -DCMAKE_PREFIX_PATH=$here/prefix &&" said || { cat said; fail 'a command that does not find convict'; }
    cmake -S $kernel -B "build-$language" -DCMAKE_PREFIX_PATH="$here/prefix" > /dev/null
    cmake --build "build-$language" > /dev/null
    "$CONVICT" fuzz -q --plugin "build-$language/$kernel.so" --oracle none --cases 500 --illegal 0.2 > log || { cat log; fail $language; }
    "$CONVICT" doctor --plugin "build-$language/$kernel.so" | grep -q 'ready for a trial' || fail "doctor: $language"
    ctest --test-dir "build-$language" -N | grep -q 'Total Tests: 1' || fail 'no test'
  done
  "$CONVICT" new-plugin --lang c some/test > said
  grep -q 'add_library(mine MODULE mine.c)' some/test/CMakeLists.txt || fail 'CMake has no target of that name'
  ! "$CONVICT" new-plugin dw-c 2> said || fail 'it wrote over a project'
  grep -q 'not empty' said
}

gtest() { # a right kernel passes, a wrong one prints the falsifying case
  installed
  need test -e /usr/include/gtest/gtest.h
  cp "$source/templates/plugin/mine.cpp" right.cpp
  sed 's|k / (p->oc / p->groups)|k % p->groups|' right.cpp > wrong.cpp
  for kind in right wrong; do
    printf '#include <convict/gtest.h>\n#include "%s.cpp"\nTEST(Mine, IsRight) { CONVICT_TRIAL(mine, "--cases=200", "--where=conv2d", "--shrink=5m"); }\n' $kind > $kind-test.cpp
    ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror -Iprefix/include -o $kind $kind-test.cpp -lgtest -lgtest_main -pthread
  done
  ./right || fail 'a right kernel fails'
  ! ./wrong > said || fail 'a wrong kernel passes'
  grep -q 'fails if .*g >= 2 and oc/g >= 2' said || { cat said; fail 'no falsifying case'; }
  ! grep -q 'fd:' said || { cat said; fail 'a command that nobody can paste'; }
  command=$(sed -n 's/^ *\(CONVICT_CASE=.*--gtest_filter=Mine.IsRight\)$/\1/p' said | head -n 1)
  test -n "$command" || { cat said; fail 'no command that runs the case alone'; }
  ! sh -c "$command" > alone || fail 'the case passes alone'
  grep -q 'wrong-exact' alone || { cat alone; fail 'the case alone shows something else'; }
}

examples() { # the session of examples/python/README.md
  need /usr/bin/python3 -c 'import numpy, pytest'
  cp -r "$source/examples/python" session && cd session
  export PYTHONPATH=$source/python PYTHONWARNINGS=ignore
  ! /usr/bin/python3 -m pytest -q -p convict.pytest_plugin -p no:cacheprovider test_numpy.py > said || fail 'numpy: no bug'
  grep -q 'Falsifying example: @convict.example("conv_transpose2d' said || { cat said; fail 'numpy'; }
  ! /usr/bin/python3 -m convict fuzz plain.py:conv1d --like torch.conv1d --cases 100 > said || fail 'plain: no bug'
  grep -q 'wrong' said || { cat said; fail 'plain'; }
  if /usr/bin/python3 -c 'import torch' 2> /dev/null; then
    ! /usr/bin/python3 -m convict grade with_torch.py:conv2d --cases 200 > said || fail 'torch: no bug'
    grep -q '"verdict": "wrong"' said || { cat said; fail 'torch'; }
  fi
}

embeds_python() { # a plugin with an interpreter in it, whose numpy finds the interpreter's symbols; one sum is numpy's
  installed
  need /usr/bin/python3-config --embed --cflags
  need /usr/bin/python3 -c 'import numpy'
  sed 's|  return sum;|  return numpy_says(sum);|' "$source/templates/plugin/mine.cpp" > kernel.cpp
  cat - kernel.cpp > plugin.cpp << 'C++'
#include <Python.h>
static float numpy_says(float sum) {
  if (!Py_IsInitialized()) {
    PyPreConfig own; // it leaves the locale of the process as it is
    PyPreConfig_InitIsolatedConfig(&own);
    Py_PreInitialize(&own);
    Py_InitializeEx(0);
    PyRun_SimpleString("import numpy");
  }
  PyObject* main = PyModule_GetDict(PyImport_AddModule("__main__"));
  PyObject* same = PyRun_String("float(numpy.float32(1) * numpy.ones(3).sum() / 3)", Py_eval_input, main, main);
  return same ? sum * static_cast<float>(PyFloat_AsDouble(same)) : -1;
}
C++
  ${CXX:-c++} -std=c++17 -O1 -shared -fPIC -I"$here/prefix/include" $(/usr/bin/python3-config --embed --cflags | tr ' ' '\n' | grep '^-I') \
    -o plugin.so plugin.cpp $(/usr/bin/python3-config --embed --ldflags)
  "$CONVICT" fuzz -q --plugin ./plugin.so --oracle none --cases 100 --where 'conv2d.forward in<=6' > said || { cat said; fail 'a right plugin is convicted'; }
}

other_language() { # a client that was written from docs/process-targets.md alone
  need node --version
  "$CONVICT" doctor --command "node '$source/tests/clients/client.js'" > said || { cat said; fail 'not ready'; }
  grep -q 'conv1d  *takes  *[1-9]' said || { cat said; fail 'it takes nothing'; }
  "$CONVICT" fuzz -q --command "node '$source/tests/clients/client.js'" --oracle none --cases 200 --where 'conv1d' \
    --illegal 0.1 > said || { cat said; fail 'a right client is convicted'; }
  ! "$CONVICT" fuzz -q --command "node '$source/tests/clients/client.js' --wrong" --oracle none --cases 200 \
    --where 'conv1d' > said || fail 'a wrong client is acquitted'
  grep -q 'wrong-' said || { cat said; fail 'for another reason'; }
}

$name
echo "$name: fine"
