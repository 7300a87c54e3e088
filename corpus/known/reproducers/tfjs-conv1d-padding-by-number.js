// SPDX-License-Identifier: Apache-2.0
// TensorFlow.js: conv1d fails if its padding is a number.
//     NODE_PATH=build/js/node_modules node tfjs-conv1d-padding-by-number.js
// Exit code 0: right. 1: wrong.
const tf = require("@tensorflow/tfjs-core");
require("@tensorflow/tfjs-backend-cpu");

const [x, filter] = [tf.ones([1, 7, 1]), tf.ones([3, 1, 1])];
try {
  const result = tf.conv1d(x, filter, 1, 1);
  console.log("ones, three at a time:", Array.from(result.dataSync()).join(" "), "must be 2 3 3 3 3 3 2");
  process.exit(result.dataSync().join() === "2,3,3,3,3,3,2" ? 0 : 1);
} catch (error) {
  console.log("conv1d with padding 1 fails:", error.message);
  process.exit(1);
}
