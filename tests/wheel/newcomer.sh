#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# newcomer.sh LINKS SOURCES STEPS: what somebody does who has Python and the wheel, and nothing else: in a tree of a
# distribution without any package of ours and without a network. LINKS is a folder of wheels: ours, and what it or the test
# needs; SOURCES has examples/; STEPS are the commands of deploy/ci/wheel and action.yml, a file each. Prints what it measured.
set -euo pipefail
links=$(realpath "$1") sources=$(realpath "$2") steps=$(realpath "$3") here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
export HOME=$here

fail() { echo "FAILED: $*"; exit 1; }
# Of a clock, and of the processors that all commands so far have used; and the difference to an earlier answer, in words.
now() { echo "$(date +%s.%N) $(awk '{ print ($16 + $17) / 100 }' /proc/$$/stat)"; }
since() { echo "$1 $(now)" | awk '{ printf "%.1f s (%.1f s of a processor)", $3 - $1, $4 - $2 }'; }
expect() { grep -q -- "$1" "$2" || { cat "$2"; fail "no '$1'"; }; }

# "CODE COMMAND...": its output is in the file `said`.
expect_code() {
  local code=0
  "${@:2}" > said 2>&1 || code=$?
  [ "$code" = "$1" ] || { cat said; fail "exit code $code instead of $1: ${*:2}"; }
}

install() { # into an empty environment
  python3 -m venv env
  (cd env && find . -type f ! -name '*.pyc' | sort) > before
  local began
  began=$(now)
  env/bin/pip install -q --no-index --find-links "$links" convict-conv
  # shellcheck disable=SC1091  # it is not there yet
  . env/bin/activate
  expect_code 0 convict fuzz --cases 1 --min-judged 1 --db first.db -q
  echo "first verdict: $(since "$began") from the command pip install"
  expect_code 0 convict fuzz --cases 5000 -q
  echo "5,000 cases judged: $(since "$began") from there"
  tr -s ' \n' ' ' < said > one_line
  expect 'note: judging without an oracle: .* torch or tvm' one_line
  expect '^5,000 cases in ' said
  grep '^5,000 cases in ' said
}

# Nothing of the machine is used but the C and C++ libraries; and data of our own are there.
is_whole() {
  ldd "$(find env -path '*/program/bin/convict')" | awk '$2 == "=>" { print $3 }' > libraries
  [ -s libraries ] || fail 'ldd says nothing'
  grep -v "^$here/env/" libraries | grep -Ev '/lib(c|m|stdc\+\+|gcc_s|z)\.so' && fail 'it needs these libraries of the machine'
  expect_code 0 convict doctor
  expect '^ready' said
  expect "torch .*pip install 'convict-conv\[torch\]'" said
  cat said
  expect_code 0 convict replay --relations none -j 2
  expect ' cases: [0-9]* judged, 0 unjudged' said
  expect_code 0 convict new-plugin mine
  expect 'cmake -B build -DCMAKE_PREFIX_PATH=.*/convict/program &&' said
  for file in share/man/man1/convict-fuzz.1 share/bash-completion/completions/convict; do
    [ -f "env/$file" ] || fail "no $file"
  done
  ls env/lib/python3*/site-packages/convict_conv-*.dist-info/sboms/{auditwheel,program}.cdx.json > said
}

grades() { # a function in Python, from a shell
  cp "$sources"/examples/python/*.py .
  local began
  began=$(now)
  expect_code 1 python -m convict grade plain.py:conv1d --like torch.conv1d --cases 100
  expect '"falsifying": "conv1d' said
  echo "grade: $(since "$began")"
}

tests() { # the five lines of a test
  local began
  began=$(now)
  pip install -q --no-index --find-links "$links" pytest
  expect_code 1 python -m pytest -q -p no:cacheprovider test_numpy.py
  expect 'Falsifying example: @convict.example("conv_transpose2d' said
  echo "falsifying example in pytest: $(since "$began")"
}

# Each as its service runs it: a first time red, then green, since only what is new counts.
jobs() {
  local step
  export WHEEL CONVICT_WHEEL TARGET=plain.py:conv1d LIKE=torch.conv1d CASES=1000 FLAGS=''
  export CONVICT_TARGET=$TARGET CONVICT_LIKE=$LIKE CONVICT_CASES=$CASES GITHUB_STEP_SUMMARY=$here/step_summary
  WHEEL=$(ls "$links"/convict_conv-*.whl) CONVICT_WHEEL=$WHEEL
  export PIP_NO_INDEX=1 PIP_FIND_LINKS=$links
  for step in "$steps"/*; do
    rm -rf convict.db convict-reports step_summary
    BASELINE='' CONVICT_BASELINE='' expect_code 1 bash -e "$step"
    expect '^<testsuites .* failures="1"' convict-reports/junit.xml
    expect '^## convict: 1 new cause' convict-reports/summary.md
    [[ $step != *action* ]] || expect '^## convict: 1 new cause' step_summary
    expect '^## convict: 1 new cause' said
    BASELINE=--baseline CONVICT_BASELINE=--baseline expect_code 0 bash -e "$step"
    expect '^<testsuites .* failures="0"' convict-reports/junit.xml
    echo "$(basename "$step"): red for a new cause, green for a known one"
  done
}

uninstall() {
  pip uninstall -q -y convict-conv numpy pytest iniconfig packaging pluggy pygments
  (cd env && find . -type f ! -name '*.pyc' | sort) > after  # pip leaves empty folders, and what pytest has compiled
  diff before after || fail 'it leaves something'
  echo 'uninstalled: no file is left'
}

install
is_whole
grades
tests
jobs
uninstall
