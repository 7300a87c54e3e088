// SPDX-License-Identifier: Apache-2.0
// TensorFlow.js: the kernels of both gradients of depthwise convolutions ignore the dilation.
//     NODE_PATH=build/js/node_modules node tfjs-depthwise-gradient-dilation.js
// Exit code 0: right. 1: wrong.
const tf = require("@tensorflow/tfjs-core");
require("@tensorflow/tfjs-backend-cpu");

const attributes = { strides: [1, 1], dilations: [1, 2], pad: "valid" };
const x = tf.tensor4d([1, 2, 3], [1, 1, 3, 1]);
const filter = tf.tensor4d([10, 20], [1, 2, 1, 1]); // touches the first and the last number of x
const dy = tf.ones([1, 1, 1, 1]);
const forward = tf.depthwiseConv2d(x, filter, [1, 1], "valid", "NHWC", [1, 2]).dataSync();
const dx = tf.engine().runKernel("DepthwiseConv2dNativeBackpropInput", { dy, filter }, { ...attributes, inputShape: x.shape });
const dw = tf.engine().runKernel("DepthwiseConv2dNativeBackpropFilter", { x, dy }, { ...attributes, filterShape: filter.shape });
const [gotX, gotFilter] = [dx.dataSync().join(), dw.dataSync().join()];
console.log(`forward: ${forward.join()}, must be 70`);
console.log(`gradient of x: ${gotX}, must be 10,0,20`);
console.log(`gradient of the filter: ${gotFilter}, must be 1,3`);
process.exit(gotX === "10,0,20" && gotFilter === "1,3" ? 0 : 1);
