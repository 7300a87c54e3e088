// SPDX-License-Identifier: Apache-2.0
// TensorFlow.js, wasm: the weight gradient of conv3d ignores the stride.
//     NODE_PATH=build/js/node_modules node tfjs-wasm-conv3d-weight-gradient.js
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
    const inputs = { x: tf.tensor5d([1, 2, 3, 4], [1, 1, 1, 4, 1]), dy: tf.tensor5d([1, 10], [1, 1, 1, 2, 1]) };
    const attributes = { strides: [1, 1, 2], filterShape: [1, 1, 2, 1, 1], pad: "valid" };
    got[backend] = tf.engine().runKernel("Conv3DBackpropFilterV2", inputs, attributes).dataSync().join();
  }
  console.log(`1*1 + 3*10 and 2*1 + 4*10: cpu ${got.cpu}, wasm ${got.wasm}, must be 31,42`);
  process.exit(got.wasm === "31,42" ? 0 : 1);
}

main();
