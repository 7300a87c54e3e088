// SPDX-License-Identifier: Apache-2.0
// Writes ONNX models of one convolution: the few messages of onnx.proto that it takes, in protobuf's wire format.
"use strict";

const kFloat = 1, kInt64 = 7; // TensorProto.DataType
const kInt = 2, kInts = 7; // AttributeProto.AttributeType

function varint(number) {
  const bytes = [];
  for (; number >= 128; number = Math.floor(number / 128)) bytes.push((number % 128) | 128);
  return Buffer.from([...bytes, number]);
}
const integer = (field, number) => Buffer.concat([varint(field * 8), varint(number)]);
const bytes = (field, data) => Buffer.concat([varint(field * 8 + 2), varint(data.length), data]);
const text = (field, value) => bytes(field, Buffer.from(value));
const message = (field, ...parts) => bytes(field, Buffer.concat(parts));

const shape = (dims) => message(2, ...dims.map((extent) => message(1, integer(1, extent))));
const value = (field, name, dims) =>
  message(field, text(1, name), message(2, message(1, integer(1, kFloat), shape(dims))));

function initializer(name, type, dims, data) {
  return message(5, ...dims.map((extent) => integer(1, extent)), integer(2, type), text(8, name), bytes(9, data));
}

function attribute([name, numbers]) {
  if (Array.isArray(numbers))
    return message(5, text(1, name), ...numbers.map((number) => integer(8, number)), integer(20, kInts));
  return message(5, text(1, name), integer(3, numbers), integer(20, kInt));
}

function node(type, inputs, output, attributes = {}) {
  return message(1, ...inputs.map((name) => text(1, name)), text(2, output), text(4, type),
    ...Object.entries(attributes).map(attribute));
}

const raw = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
const numbers = (list) => raw(BigInt64Array.from(list, BigInt));

/**
 * One convolution between two matrices of one row: `x` becomes an image of these extents, and `y` is the result.
 * `weights` and `bias` (or null) are Float32Arrays. Padding is of both ends, not negative.
 */
function convolutionModel({op, imageDims, weightDims, resultDims, weights, bias, attributes}) {
  const count = (dims) => dims.reduce((product, extent) => product * extent, 1);
  const graph = [
    node("Reshape", ["x", "image_shape"], "image"),
    node(op === "conv" ? "Conv" : "ConvTranspose", ["image", "w", ...(bias ? ["b"] : [])], "result", attributes),
    node("Reshape", ["result", "row"], "y"),
    text(2, "convolution"),
    initializer("image_shape", kInt64, [imageDims.length], numbers(imageDims)),
    initializer("row", kInt64, [2], numbers([1, count(resultDims)])),
    initializer("w", kFloat, weightDims, raw(weights)),
    ...(bias ? [initializer("b", kFloat, [bias.length], raw(bias))] : []),
    value(11, "x", [1, count(imageDims)]),
    value(12, "y", [1, count(resultDims)]),
  ];
  return Buffer.concat([integer(1, 7), message(7, ...graph), message(8, text(1, ""), integer(2, 11))]);
}

module.exports = {convolutionModel};
