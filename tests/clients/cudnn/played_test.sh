#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# played_test.sh CONVICT SOURCE: the client of cuDNN on a device that is played (played.cpp). Needs numpy.
set -eu
convict=$1
source=$2
/usr/bin/python3 -c 'import numpy' 2> /dev/null || { echo "skipped: python3-numpy is not installed"; exit 77; }
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
/usr/bin/python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import names
for name, value in names.ALL.items(): print(f"enum {{ {name} = {value} }};")' "$source/clients/cudnn" > names.h
"${CXX:-c++}" -std=c++20 -O1 -shared -fPIC -Wall -Wextra -Werror -I. -o libcudnn.so.9 \
  "$source/tests/clients/cudnn/played.cpp"
ln -s libcudnn.so.9 libcudart.so.13
export CONVICT_CUDNN="$here"
fail() {
  echo "$1"
  cat "$2"
  exit 1
}
client="/usr/bin/python3 $source/clients/cudnn/client.py"
# right TYPE OPERATION ENGINE...: puts engines on trial, of which none is wrong.
right() {
  type=$1 operation=$2
  shift 2
  targets=$(printf ",cudnn:$type:$operation:%s" "$@")
  "$convict" fuzz --command "$client $type $operation" --target "${targets#,}" --oracle none --cases 100 --seed 1 -j 1 \
    --db "$here/right.db" > "$here/log" 2>&1 || fail "a right engine of $type $operation is accused" "$here/log"
  grep -q '^judged by the exact reference *100 ' "$here/log" || fail "$type $operation: not judged" "$here/log"
  rm "$here/right.db"
}
# wrong ENGINE VERDICT CASE: the verdict on an engine's answer.
wrong() {
  "$convict" repro --command "$client f32 forward" --target "cudnn:f32:forward:$1" --oracle none "$3" \
    > "$here/log" 2>&1 && fail "engine $1 is not accused" "$here/log"
  grep -q "$2" "$here/log" || fail "engine $1 is not $2" "$here/log"
}

for type in f32 ${CONVICT_THOROUGH:+f64 f16} bf16; do
  right "$type" forward 0 1 5
done
right f32 data 0
right f32 filter 0
wrong 2 wrong-exact 'conv2d in=5x5 k=3x3 p=0:0x0:1'
wrong 3 out-of-bounds 'conv2d in=5x5 k=3x3'
wrong 4 'an illegal memory access was encountered (700)' 'conv2d in=9x9 k=3x3 d=3x3'
wrong 6 output-unwritten 'conv2d in=5x5 k=3x3'
# The checker of NVIDIA, played: it says that the client made one error, or none.
for errors in 1 0; do
  cat > compute-sanitizer << END
#!/bin/sh
log=\$(echo "\$2" | sed "s/%p/\$\$/")
echo "========= ERROR SUMMARY: $errors errors" > "\$log"
shift 4
exec "\$@"
END
  chmod +x compute-sanitizer
  code=0
  PATH=$here:$PATH "$convict" repro --sanitize --command "$client f32 forward" --target cudnn:f32:forward:0 --oracle none \
    'conv2d in=5x5 k=3x3' > said 2>&1 || code=$?
  [ $code = $errors ] || fail "exit code $code where the checker found $errors errors" said
  grep -q "ERROR SUMMARY: $errors errors" said || fail 'the checker is not quoted' said
done
! "$convict" repro --sanitize --command "$client f32 forward" 'conv2d in=5x5 k=3x3' 2> said || fail 'no checker' said
grep -q 'compute-sanitizer is not in PATH; valid: ' said || fail 'no checker' said
"$convict" list implementations --command "$client f32 forward" > said
grep -q 'cudnn:f32:forward:6' said || fail 'an engine is missing' said
! grep -q 'cudnn:f32:forward:7' said || fail 'an engine that takes nothing is offered' said
for arguments in 'f8 forward' 'f32 backward'; do
  # shellcheck disable=SC2086
  ! $client $arguments < /dev/null 2> said || fail "$arguments is taken" said
  grep -q 'valid: one of f32, f64, f16, bf16, and one of forward, data, filter' said || fail "$arguments" said
done
