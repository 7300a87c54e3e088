// SPDX-License-Identifier: Apache-2.0
// OpenCV.js 4.12: a depthwise convolution with a 3x3 kernel of ones of two 3x3 images, padded by two rows at the end:
// the last row of the first result has the first row of the second image in it.
//     NODE_PATH=build/js/node_modules node opencv-depthwise-rows-of-padding.js
// Exit code 0: right. 1: wrong.
const cv = require("@techstark/opencv-js");

// An ONNX model, opset 11: x [1,18] -> Reshape [1,2,3,3] -> Conv(kernel_shape=[3,3], pads=[0,0,2,0], group=2) ->
// Reshape [1,6]. All weights are 1.
const model =
  "CAc6lwMKIAoBeAoLaW1hZ2Vfc2hhcGUSBWltYWdlIgdSZXNoYXBlCnYKBWltYWdlCgF3EgZyZXN1bHQiBENvbnYqFQoMa2VybmVsX3No" +
  "YXBlQANAA6ABByoQCgdzdHJpZGVzQAFAAaABByoSCglkaWxhdGlvbnNAAUABoAEHKhEKBHBhZHNAAEAAQAJAAKABByoMCgVncm91cBgC" +
  "oAECChkKBnJlc3VsdAoDcm93EgF5IgdSZXNoYXBlEgtjb252b2x1dGlvbiozCAQQB0ILaW1hZ2Vfc2hhcGVKIAEAAAAAAAAAAgAAAAAA" +
  "AAADAAAAAAAAAAMAAAAAAAAAKhsIAhAHQgNyb3dKEAEAAAAAAAAABgAAAAAAAAAqVwgCCAEIAwgDEAFCAXdKSAAAgD8AAIA/AACAPwAA" +
  "gD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAPwAAgD8AAIA/AACAP1oTCgF4Eg4KDAgBEggKAggBCgII" +
  "EmITCgF5Eg4KDAgBEggKAggBCgIIBkIECgAQCw==";

cv.onRuntimeInitialized = () => {
  cv.FS_createDataFile("/", "model.onnx", Buffer.from(model, "base64"), true, false, true);
  const net = cv.readNetFromONNX("model.onnx");
  net.setInput(cv.matFromArray(1, 18, cv.CV_32F, Array.from({ length: 18 }, (_, i) => i + 1)));
  const result = Array.from(net.forward().data32F).join();
  console.log(`${result}, must be 45,39,24,126,93,51`);
  process.exit(result === "45,39,24,126,93,51" ? 0 : 1);
};
