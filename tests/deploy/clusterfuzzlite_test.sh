#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# clusterfuzzlite_test.sh FOLDER: runs .clusterfuzzlite/build.sh with the variables of OSS-Fuzz' base-builder for
# libFuzzer and AddressSanitizer, and checks what it leaves in $OUT as a fleet would use it: in another folder, with
# no library of this machine but the C library. What is compiled stays in FOLDER for the next time.
set -euo pipefail
[ $# = 1 ] || { echo 'usage: clusterfuzzlite_test.sh FOLDER' >&2; exit 2; }
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
folder=$(realpath -m "$1")
runner=$(mktemp -d "${TMPDIR:-/tmp}/convict_runner.XXXXXX")
trap 'rm -rf "$runner"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# As infra/base-images of google/oss-fuzz sets them.
export SRC=$folder/src OUT=$folder/out WORK=$folder/work
export CC=clang CXX=clang++ SANITIZER=address FUZZING_ENGINE=libfuzzer ARCHITECTURE=x86_64 FUZZING_LANGUAGE=c++
export CFLAGS='-O1 -fno-omit-frame-pointer -gline-tables-only -Wno-error -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  -fsanitize=address -fsanitize-address-use-after-scope -fsanitize=fuzzer-no-link'
CFLAGS=${CFLAGS//$'\n'/}
export CXXFLAGS="$CFLAGS -stdlib=libc++" LIB_FUZZING_ENGINE=-fsanitize=fuzzer

build() {
  rm -rf "$OUT"
  mkdir -p "$SRC" "$OUT" "$WORK"
  ln -sfn "$root" "$SRC/convict"
  cp "$root/.clusterfuzzlite/build.sh" "$SRC/"
  bash -eu "$SRC/build.sh"
  cp -r "$OUT/." "$runner"
}

targets() { find "$1" -maxdepth 1 -type f -executable -printf '%f\n' | sort; }
promised_targets() {
  find "$root/tests/fuzz/targets" -name 'fuzz_*.cpp' ! -name fuzz_oracles.cpp -printf '%f\n' | sed 's/\.cpp$//' | sort
}

# Libraries come from beside the program; the C library's own are everywhere.
foreign_libraries() {
  (cd / && ldd "$1") | grep -Ev "linux-vdso|ld-linux|=> $runner/lib/|/lib(c|m|dl|rt|pthread|resolv)\.so"
}

# Instructions beyond x86-64's base may only stand in functions that are chosen at run time; those carry the names of
# Highway's targets. The sanitizer's runtime, written in C++ for the base, has none.
wide_instructions_outside_dispatch() {
  objdump --disassemble --demangle --no-show-raw-insn "$1" |
    awk '/^[0-9a-f]+ </ { name = $0 } /%[yz]mm/ && name !~ /N_(AVX|SSE|EMU)|__target_/ { print name; name = "N_AVX" }'
}

check_corpus() {  # target; leaves it in $runner/corpus/target
  mkdir -p "$runner/corpus"
  unzip -q "$runner/$1_seed_corpus.zip" -d "$runner/corpus/$1" || fail "$1 has no seed corpus"
  [ -n "$(find "$runner/corpus/$1" -type f -size +0)" ] || fail "the seed corpus of $1 is empty"
}

check_runs() {  # target
  local dictionary=()
  [ ! -f "$runner/$1.dict" ] || dictionary=(-dict="$runner/$1.dict")
  (cd / && "$runner/$1" -runs=10 -seed=1337 -timeout=25 -rss_limit_mb=2560 "${dictionary[@]}" \
    "$runner/corpus/$1") >"$runner/$1.log" 2>&1 || fail "$1 does not run: $(tail -5 "$runner/$1.log")"
  grep -q '^INFO: Loaded 1 modules .* inline 8-bit counters' "$runner/$1.log" || fail "$1 is not instrumented"
  [ "$(objdump --syms "$runner/$1" | grep -c ' __asan_report_load8$')" = 1 ] || fail "$1 has no AddressSanitizer"
}

check_target() {  # target
  local found
  [[ $1 =~ ^[A-Za-z0-9_-]+$ ]] || fail "'$1' is no name of a fuzz target"
  found=$(foreign_libraries "$runner/$1") && fail "$1 needs libraries of this machine: $found"
  found=$(wide_instructions_outside_dispatch "$runner/$1")
  [ -z "$found" ] || fail "$1 is compiled for this machine: $(head -3 <<<"$found")"
  check_corpus "$1"
  check_runs "$1"
  echo "passed: $1, $(find "$runner/corpus/$1" -type f | wc -l) seeds"
}

# The checks themselves: a program that is linked, compiled and named for this machine does not pass.
check_the_checks() {
  echo '#include <immintrin.h>
  #include <string>
  int main(int n, char** s) { auto v = _mm256_set1_ps(n); return std::string(s[0]).size() + _mm256_movemask_ps(v); }' |
    g++ -O2 -mavx2 -x c++ - -o "$runner/mine"
  foreign_libraries "$runner/mine" >/dev/null || fail 'the check of libraries does not see libstdc++'
  [ -n "$(wide_instructions_outside_dispatch "$runner/mine")" ] || fail 'the check of instructions does not see AVX'
  (check_corpus mine) 2>/dev/null && fail 'the check of corpora does not see that there is none'
  (check_runs mine) 2>/dev/null && fail 'the check of runs does not see that it is no fuzzer'
  rm -rf "$runner/mine" "$runner/corpus"
}

build
check_the_checks
[ "$(targets "$runner")" = "$(promised_targets)" ] ||
  fail "in OUT are: $(targets "$runner")"
for target in $(targets "$runner"); do check_target "$target"; done
[ -s "$runner/fuzz_case_text.dict" ] || fail 'fuzz_case_text has no dictionary'
