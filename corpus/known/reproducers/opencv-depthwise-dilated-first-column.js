// SPDX-License-Identifier: Apache-2.0
// OpenCV.js 4.12: a depthwise convolution with the kernel [1, 1, 1], dilation 2, of two rows, padded by one number on
// each side: the first number of each result is the sum of the first and third number, not of the second and fourth.
//     NODE_PATH=build/js/node_modules node opencv-depthwise-dilated-first-column.js
// Exit code 0: right. 1: wrong.
const cv = require("@techstark/opencv-js");

// An ONNX model, opset 11: x [1,8] -> Reshape [1,2,4] -> Conv(kernel_shape=[3], dilations=[2], pads=[1,1], group=2)
// -> Reshape [1,4]. All weights are 1.
const model =
  "CAc60wIKIAoBeAoLaW1hZ2Vfc2hhcGUSBWltYWdlIgdSZXNoYXBlCmwKBWltYWdlCgF3EgZyZXN1bHQiBENvbnYqEwoMa2VybmVsX3No" +
  "YXBlQAOgAQcqDgoHc3RyaWRlc0ABoAEHKhAKCWRpbGF0aW9uc0ACoAEHKg0KBHBhZHNAAUABoAEHKgwKBWdyb3VwGAKgAQIKGQoGcmVz" +
  "dWx0CgNyb3cSAXkiB1Jlc2hhcGUSC2NvbnZvbHV0aW9uKisIAxAHQgtpbWFnZV9zaGFwZUoYAQAAAAAAAAACAAAAAAAAAAQAAAAAAAAA" +
  "KhsIAhAHQgNyb3dKEAEAAAAAAAAABAAAAAAAAAAqJQgCCAEIAxABQgF3ShgAAIA/AACAPwAAgD8AAIA/AACAPwAAgD9aEwoBeBIOCgwI" +
  "ARIICgIIAQoCCAhiEwoBeRIOCgwIARIICgIIAQoCCARCBAoAEAs=";

cv.onRuntimeInitialized = () => {
  cv.FS_createDataFile("/", "model.onnx", Buffer.from(model, "base64"), true, false, true);
  const net = cv.readNetFromONNX("model.onnx");
  net.setInput(cv.matFromArray(1, 8, cv.CV_32F, [1, 2, 3, 4, 5, 6, 7, 8]));
  const result = Array.from(net.forward().data32F).join();
  console.log(`${result}, must be 6,4,14,12`);
  process.exit(result === "6,4,14,12" ? 0 : 1);
};
