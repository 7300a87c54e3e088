#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// OpenCV.js as a process target (docs/process-targets.md): dnn compiled to WebAssembly, in f32. `make js` installs it.
//
//     convict fuzz --target opencvjs
//
// A problem becomes an ONNX model, as users give it their networks. JavaScript has matrices of two dimensions only, so
// that the model makes an image of a row first, and a row of the result.
"use strict";
const path = require("path");
const {failed, notLegal, operands, serve} = require("./client.js");
const {convolutionModel} = require("./onnx.js");

const folder = path.resolve(process.argv[2] || "build/js");
const library = require("module").createRequire(path.join(folder, "package.json"))("@techstark/opencv-js");

const kModel = "model.onnx"; // in the memory of the library

function refusal(p) {
  if (notLegal(p)) return "not a legal problem";
  if (p.pass !== "forward") return "no gradients";
  if (Object.values(p.tensors).some((tensor) => tensor.dtype !== "f32")) return "f32 only";
  if (p.op === "conv_transpose" && p.rank !== 2) return "transposed convolutions of rank 2 only";
  if (Math.min(p.batch, p.ic, p.oc, ...p.in) < 1) return "a Mat has at least one element";
  if ([...p.pad_begin, ...p.pad_end].some((pad) => pad < 0)) return "no negative padding";
  return null;
}

function modelOf(p, tensors) {
  const inOrder = (operand) => operand.values(operand.dims.map((_, dim) => dim));
  const attributes = {
    kernel_shape: p.kernel, strides: p.stride, dilations: p.dilation, pads: [...p.pad_begin, ...p.pad_end], group: p.groups,
  };
  if (p.op === "conv_transpose") attributes.output_padding = p.output_padding;
  return convolutionModel({
    op: p.op, imageDims: tensors.src.dims, weightDims: tensors.wei.dims, resultDims: tensors.dst.dims,
    weights: inOrder(tensors.wei), bias: p.bias ? inOrder(tensors.bias) : null, attributes,
  });
}

/** The row that the network makes of the image. Everything that the library keeps for us is given back. */
function forward(cv, model, image) {
  const kept = [];
  const keep = (object) => (kept.push(object), object);
  const stack = cv.stackSave();
  cv.FS_createDataFile("/", kModel, model, true, false, true);
  try {
    const net = keep(cv.readNetFromONNX(kModel));
    const row = keep(new cv.Mat(1, image.length, cv.CV_32F));
    row.data32F.set(image);
    net.setInput(row);
    return Float32Array.from(keep(net.forward()).data32F);
  } finally {
    // A model that cannot be read stays open, and the library has 4,096 files.
    for (const stream of cv.FS.streams) if (stream && stream.path === "/" + kModel) cv.FS.close(stream);
    cv.FS_unlink("/" + kModel);
    for (const object of kept) object.delete();
    cv.stackRestore(stack); // a C++ exception leaves it where it was thrown
  }
}

/** Exceptions of C++ come as numbers, addresses of what was thrown. */
const textOf = (cv, error) => (typeof error === "number" ? cv.exceptionFromPtr(error).msg : error.message || String(error));

function compute(cv, p) {
  const tensors = operands(p);
  const order = tensors.src.dims.map((_, dim) => dim);
  try {
    const result = forward(cv, modelOf(p, tensors), tensors.src.values(order));
    if (result.length !== tensors.dst.count())
      return {status: "wrong_shape", error: `OpenCV.js computes ${result.length} elements`};
    tensors.dst.write(result, order);
    return "ok";
  } catch (error) {
    return failed("OpenCV.js", error, textOf(cv, error));
  }
}

library.onRuntimeInitialized = () => {
  const version = /OpenCV (\S+)/.exec(library.getBuildInformation())[1];
  const contract = {algorithm: "direct", min_accumulator: "f32", flushes_subnormals: false, deterministic: true};
  serve({
    version,
    implementations: [{name: "opencvjs", description: "OpenCV.js, dnn", lineage: "opencvjs", batch: 32, contract}],
    refusal,
    compute: (problem) => compute(library, problem),
  });
};
