// SPDX-License-Identifier: Apache-2.0
// TensorFlow.js: SAME of conv3d pads by a negative number where the stride is larger than the kernel.
//     NODE_PATH=build/js/node_modules node tfjs-conv3d-same-stride-beyond-kernel.js
// Exit code 0: right. 1: wrong.
const tf = require("@tensorflow/tfjs-core");
require("@tensorflow/tfjs-backend-cpu");

const numbers = [1, 2, 3, 4, 5, 6];
const flat = tf.conv2d(tf.tensor4d(numbers, [1, 1, 6, 1]), tf.ones([1, 1, 1, 1]), [1, 3], "same").dataSync().join();
const deep = tf.conv3d(tf.tensor5d(numbers, [1, 1, 1, 6, 1]), tf.ones([1, 1, 1, 1, 1]), [1, 1, 3], "same").dataSync().join();
console.log(`each third of ${numbers.join()}: conv2d ${flat}, conv3d ${deep}, must be 1,4`);
process.exit(deep === "1,4" ? 0 : 1);
