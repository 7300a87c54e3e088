// SPDX-License-Identifier: Apache-2.0
// TensorFlow.js, wasm: conv3dTranspose and the data gradient of conv3d leave out planes.
//     NODE_PATH=build/js/node_modules node tfjs-wasm-conv3d-data-gradient.js
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
    const inputs = { dy: tf.tensor5d([1, 1, 2, 2], [1, 2, 1, 1, 2]), filter: tf.ones([1, 1, 1, 1, 2]) };
    const attributes = { strides: [1, 1, 1], inputShape: [1, 2, 1, 1, 1], pad: "valid" };
    got[backend] = tf.engine().runKernel("Conv3DBackpropInputV2", inputs, attributes).dataSync().join();
  }
  console.log(`two planes of two channels, which are added: cpu ${got.cpu}, wasm ${got.wasm}, must be 2,4`);
  process.exit(got.wasm === "2,4" ? 0 : 1);
}

main();
