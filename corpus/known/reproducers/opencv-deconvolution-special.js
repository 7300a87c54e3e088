// SPDX-License-Identifier: Apache-2.0
// OpenCV.js 4.12: a deconvolution of the image (infinity, 1) with the 1x1 kernel [[1]] makes NaN of the infinity. It
// multiplies channels by four at a time, with weights of 0 for those that are not there.
//     NODE_PATH=build/js/node_modules node opencv-deconvolution-special.js
// Exit code 0: right. 1: wrong.
const cv = require("@techstark/opencv-js");

// An ONNX model, opset 11: x [1,2] -> Reshape [1,1,1,2] -> ConvTranspose(kernel_shape=[1,1]) -> Reshape [1,2].
// The weight is 1.
const model =
  "CAc69gIKIAoBeAoLaW1hZ2Vfc2hhcGUSBWltYWdlIgdSZXNoYXBlCpgBCgVpbWFnZQoBdxIGcmVzdWx0Ig1Db252VHJhbnNwb3NlKhUK" +
  "DGtlcm5lbF9zaGFwZUABQAGgAQcqEAoHc3RyaWRlc0ABQAGgAQcqEgoJZGlsYXRpb25zQAFAAaABByoRCgRwYWRzQABAAEAAQACgAQcq" +
  "DAoFZ3JvdXAYAaABAioXCg5vdXRwdXRfcGFkZGluZ0AAQACgAQcKGQoGcmVzdWx0CgNyb3cSAXkiB1Jlc2hhcGUSC2NvbnZvbHV0aW9u" +
  "KjMIBBAHQgtpbWFnZV9zaGFwZUogAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAgAAAAAAAAAqGwgCEAdCA3Jvd0oQAQAAAAAAAAACAAAA" +
  "AAAAACoTCAEIAQgBCAEQAUIBd0oEAACAP1oTCgF4Eg4KDAgBEggKAggBCgIIAmITCgF5Eg4KDAgBEggKAggBCgIIAkIECgAQCw==";

cv.onRuntimeInitialized = () => {
  cv.FS_createDataFile("/", "model.onnx", Buffer.from(model, "base64"), true, false, true);
  const net = cv.readNetFromONNX("model.onnx");
  net.setInput(cv.matFromArray(1, 2, cv.CV_32F, [Infinity, 1]));
  const result = Array.from(net.forward().data32F).join();
  console.log(`${result}, must be Infinity,1`);
  process.exit(result === "Infinity,1" ? 0 : 1);
};
