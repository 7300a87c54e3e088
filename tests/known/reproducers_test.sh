#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the programs of corpus/known/reproducers, which show known causes without convict: each has to fail, with exit
# code 1 or a signal. Those whose library is not here are skipped. Exit codes: 0 all fail, 1 one does not, 125 none ran.
# With --keep, the last lines that each prints go to CAUSE.out beside it, for the page of the cause.
#     tests/known/reproducers_test.sh SOURCE_FOLDER [--keep] [CAUSE...]
set -u

source=$(cd "$1" && pwd)
shift
keep=no
[ "${1:-}" = --keep ] && keep=yes && shift
programs=$source/corpus/known/reproducers
npm=$source/build/npm
ggml=$npm/@node-llama-cpp/linux-x64/bins/linux-x64
runtime=$npm/onnxruntime-node/bin/napi-v6/linux/x64
headers=$source/build/deb/libonnxruntime-dev/usr/include/onnxruntime
ggml_headers=$source/build/deb/libggml-dev/usr/include
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ran=0
failed=0

build() { g++ -std=c++17 -o "$work/program" "$@"; }

# Whether oneDNN has this major version, the processor this feature, and this file compiles.
onednn() {
  grep -qs "DNNL_VERSION_MAJOR $1" /usr/include/oneapi/dnnl/dnnl_version.h && grep -qw "$2" /proc/cpuinfo &&
    build "$3" -ldnnl
}

# What the line in this file that says how to run it sets: oneDNN for an older processor.
settings() { sed -n 's,^// .* && \(ONEDNN_MAX_CPU_ISA=[A-Z0-9_]*\) \./a\.out.*,\1,p' "$1"; }

# A program that compiles this module by the passes that it names, and compares what it prints with what it names.
mlir() {
  command -v mlir-opt-22 mlir-runner-22 > /dev/null || return 1
  helpers=$(find /usr/lib/llvm-22/lib -name 'libmlir_c_runner_utils.so*' | head -n 1)
  cat > "$work/program" << END
#!/bin/sh
printed=\$(mlir-opt-22 '$1' -pass-pipeline='builtin.module($(sed -n 's,^// PASSES: ,,p' "$1"))' |
  mlir-runner-22 -e main -entry-point-result=i32 -shared-libs=$helpers)
echo "prints \$printed, must print $(sed -n 's,^// MUST PRINT: ,,p' "$1")"
[ "\$printed" = '$(sed -n 's,^// MUST PRINT: ,,p' "$1")' ]
END
  chmod +x "$work/program"
}

# Whether this file can run in the environment of its framework, on a processor with this feature, if it needs one.
python() {
  interpreter=$source/build/venvs/$2/bin/python
  [ -x "$interpreter" ] && { [ $# = 2 ] || grep -qw "$3" /proc/cpuinfo; } &&
    printf '#!/bin/sh\nTF_CPP_MIN_LOG_LEVEL=3 exec %s -W ignore %s\n' "$interpreter" "$1" > "$work/program" &&
    chmod +x "$work/program"
}

# Whether the program of this file is ready to run as "$work/program".
ready() {
  case $1 in
    *.js) [ -e "$source/build/js/node_modules" ] && command -v node > /dev/null &&
      printf '#!/bin/sh\nNODE_PATH=%s/build/js/node_modules exec node %s\n' "$source" "$1" > "$work/program" &&
      chmod +x "$work/program" ;;
    */onednn-amx-integers-*) onednn 2 amx_tile "$1" ;;
    */onednn-amx-*) onednn 3 amx_tile "$1" ;;
    */onednn-integers-grouped-* | */onednn-integers-sum-*) onednn 2 avx512_vnni "$1" ;;
    */onednn-integers-*) onednn 3 avx512_vnni "$1" ;;
    */onednn-bf16-1x1-*) onednn 2 avx512_bf16 "$1" ;;
    */onednn-bf16-*) onednn 3 avx512_bf16 "$1" ;;
    */onednn-sum-* | */onednn-data-gradient-*) onednn 2 avx512bw "$1" ;;
    */onednn-strided-* | */onednn-weight-gradient-*) onednn 3 avx2 "$1" ;;
    */onednn-*) onednn 3 avx512bw "$1" ;;
    */opencv-*) [ -e /usr/include/opencv4/opencv2/dnn.hpp ] &&
      build "$1" -isystem /usr/include/opencv4 -lopencv_dnn -lopencv_core ;;
    */xnnpack-*) [ -e /usr/include/xnnpack.h ] && build "$1" -lXNNPACK -lpthreadpool ;;
    */ggml-*) [ -e "$ggml_headers/ggml.h" ] && [ -e "$ggml/libggml-base.so" ] &&
      build "$1" -isystem "$ggml_headers" -L"$ggml" -lggml-base -lggml-cpu-x64 -Wl,-rpath,"$ggml" ;;
    */onnxruntime-output-padding-*) grep -qs 'ORT_API_VERSION 21$' /usr/include/onnxruntime/onnxruntime_c_api.h &&
      build "$1" -isystem /usr/include/onnxruntime -lonnxruntime ;;
    */onnxruntime-*) [ -e "$headers" ] && [ -e "$runtime/libonnxruntime.so.1" ] &&
      build "$1" -isystem "$headers" "$runtime/libonnxruntime.so.1" -Wl,-rpath,"$runtime" ;;
    */mlir-*) mlir "$1" ;;
    */paddle-onednn-one-column-* | */paddle-onednn-wide-kernel-*) python "$1" paddle avx512bw ;;
    */executorch-*.py) python "$1" executorch ;;
    */paddle-*.py) python "$1" paddle ;;
    */iree-*.py) python "$1" iree ;;
    */jax-*.py) python "$1" jax ;;
    */litert-*.py) python "$1" litert ;;
    */mlx-*.py) python "$1" mlx ;;
    */mnn-*.py) python "$1" mnn ;;
    */opencv5-*.py) python "$1" opencv5 ;;
    */ncnn-*.py) python "$1" ncnn avx2 ;;
    */openvino-bf16-few-*) python "$1" openvino amx_tile ;;
    */openvino-bf16-*) python "$1" openvino avx512_bf16 ;;
    */openvino-strided-*.py) python "$1" openvino avx2 ;;
    */openvino-*.py) python "$1" openvino avx512bw ;;
    */tinygrad-*.py) python "$1" tinygrad ;;
    */tvm-*.py) python "$1" tvm ;;
    */torch-amx-*) python "$1" torch amx_tile ;;
    */torch-quantized-*) python "$1" torch avx512_vnni ;;
    */torch-strided-*) python "$1" torch avx512f ;;
    */torch-bf16-* | */torch-wide-kernel-* | */torch-conv3d-*) python "$1" torch avx512bw ;;
    */torch-*) python "$1" torch avx2 ;;
    */tensorflow-amx-*) python "$1" tensorflow amx_tile ;;
    */tensorflow-f16-*) python "$1" tensorflow avx512_fp16 ;;
    */tensorflow-bf16-*) python "$1" tensorflow avx512_bf16 ;;
    */tensorflow-one-column-*) python "$1" tensorflow avx512bw ;;
    */tensorflow-*) python "$1" tensorflow avx2 ;;
    *) false ;;
  esac
}

# Of the program of this file, which ended with this exit code: what it printed, without logs and our folders.
kept() {
  sed -E -e 's,(^|[ ("=])/([^ /:"]+/)+,\1,g' -e '/^(=+|Hi, looks like you are running .*)?$/d' \
    -e '/^WARNING: All log messages |^Schema error: |^[IW][0-9]{4} [0-9:.]+ /d' "$work/output" |
    tail -n 12 > "${1%.*}.out"
  [ "$2" -le 128 ] || echo "killed by signal $(($2 - 128))" >> "${1%.*}.out"
}

# Whether the cause of this file is one of the others, or there are no others.
asked() {
  cause=$(basename "${1%.*}")
  shift
  [ $# = 0 ] && return
  for one in "$@"; do [ "$one" = "$cause" ] && return; done
  false
}

for file in "$programs"/*; do
  case $file in *.out | *.diff) continue ;; esac
  asked "$file" "$@" || continue
  if ! ready "$file"; then
    echo "skipped    $(basename "$file"): its library is not here, or it does not compile"
    continue
  fi
  ran=$((ran + 1))
  # shellcheck disable=SC2046  # nothing, or one word
  GGML_NO_BACKTRACE=1 OMP_NUM_THREADS=1 env $(settings "$file") "$work/program" > "$work/output" 2>&1
  code=$?
  if [ "$code" -eq 1 ] || [ "$code" -gt 128 ]; then
    echo "as known   $(basename "$file") (exit code $code): $(tail -n 1 "$work/output")"
    [ $keep = no ] || kept "$file" "$code"
  else
    echo "NOT THERE  $(basename "$file") (exit code $code): $(tail -n 1 "$work/output")"
    failed=1
  fi
  rm -f "$work/program"
done
[ "$ran" -gt 0 ] || exit 125
exit "$failed"
