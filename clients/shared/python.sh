#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the Python that has a framework, with the remaining arguments:
#     sh clients/shared/python.sh NAME ARGUMENT...
# NAME is that of the folder of its client, and of its module but for five. The user's own Python comes first,
# CONVICT_PYTHON or that of the active virtual environment; then that of `make NAME`. It is found without importing the
# framework, which takes seconds.
set -u
name=$1
module=$name
[ "$name" = litert ] && module=ai_edge_litert
[ "$name" = cudnn ] && module=nvidia.cudnn  # a part of PyTorch for CUDA
[ "$name" = mnn ] && module=MNN
[ "$name" = ort ] && module=onnxruntime
[ "$name" = opencv5 ] && module=cv2
shift
has='import importlib.util, sys
sys.path = [folder for folder in sys.path if folder]  # not what lies in the working directory
sys.exit(importlib.util.find_spec(sys.argv[1]) is None)'
for python in "${CONVICT_PYTHON:-}" "${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python}" \
  "$(dirname "$0")/../../build/venvs/$name/bin/python"; do
  [ -n "$python" ] && "$python" -c "$has" "$module" 2> /dev/null && exec "$python" "$@"
done
echo "no Python here has $name" >&2
exit 1
