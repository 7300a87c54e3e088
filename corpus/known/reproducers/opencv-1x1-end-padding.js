// SPDX-License-Identifier: Apache-2.0
// OpenCV.js 4.12: a convolution with the 1x1 kernel [[1]] of a 3x3 image, padded by a row at the
// end only: the row is what lies in memory, not zeros.
//     NODE_PATH=build/js/node_modules node opencv-1x1-end-padding.js
// Exit code 0: right. 1: wrong.
const cv = require("@techstark/opencv-js");

// An ONNX model, opset 11: x [1,9] -> Reshape [1,1,3,3] -> Conv(kernel_shape=[1,1], pads=[0,0,1,0]) -> Reshape [1,12].
const model =
  "CAc60wIKIAoBeAoLaW1hZ2Vfc2hhcGUSBWltYWdlIgdSZXNoYXBlCnYKBWltYWdlCgF3EgZyZXN1bHQiBENvbnYqFQoMa2VybmVs" +
  "X3NoYXBlQAFAAaABByoQCgdzdHJpZGVzQAFAAaABByoSCglkaWxhdGlvbnNAAUABoAEHKhEKBHBhZHNAAEAAQAFAAKABByoMCgVn" +
  "cm91cBgBoAECChkKBnJlc3VsdAoDcm93EgF5IgdSZXNoYXBlEgtjb252b2x1dGlvbiozCAQQB0ILaW1hZ2Vfc2hhcGVKIAEAAAAA" +
  "AAAAAQAAAAAAAAADAAAAAAAAAAMAAAAAAAAAKhsIAhAHQgNyb3dKEAEAAAAAAAAADAAAAAAAAAAqEwgBCAEIAQgBEAFCAXdKBAAA" +
  "gD9aEwoBeBIOCgwIARIICgIIAQoCCAliEwoBeRIOCgwIARIICgIIAQoCCAxCBAoAEAs=";

cv.onRuntimeInitialized = () => {
  cv.FS_createDataFile("/", "model.onnx", Buffer.from(model, "base64"), true, false, true);
  const net = cv.readNetFromONNX("model.onnx");
  net.setInput(cv.matFromArray(1, 9, cv.CV_32F, [1, 2, 3, 4, 5, 6, 7, 8, 9]));
  const result = Array.from(net.forward().data32F).join();
  console.log(`${result}, must be 1,2,3,4,5,6,7,8,9,0,0,0`);
  process.exit(result === "1,2,3,4,5,6,7,8,9,0,0,0" ? 0 : 1);
};
