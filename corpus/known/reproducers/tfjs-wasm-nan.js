// SPDX-License-Identifier: Apache-2.0
// TensorFlow.js, wasm: a convolution of the image (NaN, 2) with the 1x1 kernel [[1]] makes minus infinity of the NaN.
//     NODE_PATH=build/js/node_modules node tfjs-wasm-nan.js
// Exit code 0: right. 1: wrong.
const path = require("path");
const tf = require("@tensorflow/tfjs-core");
require("@tensorflow/tfjs-backend-cpu");
const wasm = require("@tensorflow/tfjs-backend-wasm");

async function main() {
  wasm.setWasmPaths(path.dirname(require.resolve("@tensorflow/tfjs-backend-wasm")) + path.sep);
  const got = {};
  for (const backend of ["cpu", "wasm"]) {
    await tf.setBackend(backend);
    got[backend] = tf.conv2d(tf.tensor4d([NaN, 2], [1, 1, 2, 1]), tf.ones([1, 1, 1, 1]), 1, "valid").dataSync().join();
  }
  console.log(`NaN and 2, each times 1: cpu ${got.cpu}, wasm ${got.wasm}, must be NaN,2`);
  process.exit(got.wasm === "NaN,2" ? 0 : 1);
}

main();
