#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
#
# The fuzz targets for ClusterFuzzLite and OSS-Fuzz, by their contract: the compilers and flags of $CC, $CXX, $CFLAGS
# and $CXXFLAGS, the engine of $LIB_FUZZING_ENGINE, intermediate files in $WORK, and in $OUT programs that run on
# machines that have a C library and little else.

# - The base image compiles against libc++, but Ubuntu's fmt, SQLiteCpp, protobuf and ONNX are built with libstdc++.
# - Warnings are the business of our own CI: a newer clang that has more of them must not stop the fleet.
# - RPATH, because RUNPATH does not help a library to find what it needs itself.
export CXXFLAGS="${CXXFLAGS/-stdlib=libc++/-stdlib=libstdc++} -w"
export LDFLAGS="${LDFLAGS:-} -Wl,--disable-new-dtags"

# All targets but fuzz_oracles, which is about LibTorch and oneDNN.
targets=()
for file in "$SRC"/convict/tests/fuzz/targets/fuzz_*.cpp; do
  name=$(basename "$file" .cpp)
  [ "$name" = fuzz_oracles ] || targets+=("$name")
done

# shellcheck disable=SC2016  # $ORIGIN is the loader's
cmake -S "$SRC/convict" -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_BUILD_RPATH='$ORIGIN/lib' \
  -DCONVICT_FUZZ=ON -DCONVICT_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" \
  -DCONVICT_LIBTORCH=OFF -DCONVICT_ONEDNN=OFF -DBUILD_TESTING=OFF
cmake --build "$WORK/build" --target "${targets[@]}" fuzz_seeds
"$WORK/build/fuzz_seeds" "$WORK/seeds" "$SRC/convict/corpus"

# What a target needs beside the C library, which is that of the machine.
copy_libraries() {
  ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -Ev '/(libc|libm|libdl|librt|libpthread|libresolv)\.so' |
    xargs --no-run-if-empty cp --update --target-directory="$OUT/lib"
}

mkdir -p "$OUT/lib"
for target in "${targets[@]}"; do
  cp "$WORK/build/$target" "$OUT/"
  copy_libraries "$WORK/build/$target"
  (cd "$WORK/seeds/$target" && zip -q -r - .) > "$OUT/${target}_seed_corpus.zip"
  dictionary=$WORK/seeds/${target#fuzz_}.dict
  [ ! -f "$dictionary" ] || cp "$dictionary" "$OUT/$target.dict"
done
