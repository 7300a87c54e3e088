#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// TensorFlow.js as a process target (docs/process-targets.md): its backends cpu and wasm, in f32. `make js` installs it.
//
//     convict fuzz --target tfjs
//
// conv of all ranks, depthwise of rank 2, conv_transpose of rank 2 and 3; gradients of conv by the kernels that training
// runs, where a backend has them. What its functions have no argument for is refused. Operands are copied into tensors,
// channels last, and back.
"use strict";
const path = require("path");
const {failed, notLegal, operands, serve} = require("./client.js");

const folder = path.resolve(process.argv[2] || "build/js");
const library = require("module").createRequire(path.join(folder, "package.json"));
const tf = library("@tensorflow/tfjs-core");
library("@tensorflow/tfjs-backend-cpu");
const wasm = library("@tensorflow/tfjs-backend-wasm");
wasm.setWasmPaths(path.join(path.dirname(library.resolve("@tensorflow/tfjs-backend-wasm")), path.sep));
wasm.setThreadsCount(1);
tf.env().set("PROD", true);

const isDepthwise = (p) => p.groups > 1;

/** The kernel that computes a gradient. */
function gradientKernel(p) {
  const input = p.pass === "backward_data";
  if (p.rank === 3) return input ? tf.Conv3DBackpropInputV2 : tf.Conv3DBackpropFilterV2;
  if (!isDepthwise(p)) return input ? tf.Conv2DBackpropInput : tf.Conv2DBackpropFilter;
  return input ? tf.DepthwiseConv2dNativeBackpropInput : tf.DepthwiseConv2dNativeBackpropFilter;
}

/** What its functions say for the padding: a name, or both ends of every axis; null if they cannot say it. */
function padding(p) {
  if (p.pad_begin.every((pad, axis) => pad === 0 && p.pad_end[axis] === 0)) return "valid";
  if (p.rank === 2) return [[0, 0], ...p.pad_begin.map((pad, axis) => [pad, p.pad_end[axis]]), [0, 0]];
  if (p.rank === 1 && p.pad_begin[0] === p.pad_end[0]) return p.pad_begin[0];
  return isSame(p) ? "same" : null;
}

/** Whether the padding is that of SAME, the odd one at the end. conv_transpose is the gradient of a convolution of dst. */
function isSame(p) {
  const [image, result] = p.op === "conv" ? [p.in, p.out] : [p.out, p.in];
  return image.every((size, axis) => {
    const window = p.dilation[axis] * (p.kernel[axis] - 1) + 1;
    const total = Math.max((Math.ceil(size / p.stride[axis]) - 1) * p.stride[axis] + window - size, 0);
    const begin = Math.floor(total / 2);
    if (result[axis] !== Math.ceil(size / p.stride[axis])) return false;
    return p.pad_begin[axis] === begin && p.pad_end[axis] === total - begin;
  });
}

function refusal(p, backend) {
  if (notLegal(p)) return "not a legal problem";
  if (Object.values(p.tensors).some((tensor) => tensor.dtype !== "f32")) return "f32 only";
  if (p.pass !== "forward" && p.op !== "conv") return "no gradients of transposed convolutions";
  if (p.pass !== "forward" && p.rank === 1) return "gradients of rank 2 and 3 only";
  if (p.bias && p.pass !== "forward") return "gradients without bias only";
  if ([...p.pad_begin, ...p.pad_end].some((pad) => pad < 0)) return "no negative padding";
  if (padding(p) === null) return "no name for this padding";
  if (p.stride.some((stride) => stride > 1) && p.dilation.some((dilation) => dilation > 1))
    return "no stride together with dilation";
  if (p.op === "conv_transpose") {
    if (p.rank === 1) return "no transposed convolution of rank 1";
    if (p.groups > 1) return "no groups of transposed convolutions";
    if (p.dilation.some((dilation) => dilation > 1)) return "no dilation of transposed convolutions";
    if (p.output_padding.some((op, axis) => op >= p.stride[axis])) return "no output padding from the stride on";
  }
  if (isDepthwise(p) && (p.rank !== 2 || p.groups !== p.ic)) return "groups of one input channel in rank 2 only";
  if (p.pass === "forward") return null;
  if (!isDepthwise(p) && p.dilation.some((dilation) => dilation > 1)) return "no gradients with dilation";
  return tf.getKernel(gradientKernel(p), backend) ? null : "no kernel for this gradient in this backend";
}

/** Logical dimensions in the order of the library. */
function orders(p) {
  const axes = p.in.map((_, axis) => axis + 2);
  const image = [0, ...axes, 1];
  // conv: [oc][ic/g]; conv_transpose: [ic][oc/g]. The library wants the first one last, for both.
  return { image, filter: [...axes, 1, 0] };
}

/** The extents of a filter: a depthwise one has a multiplier for each channel. */
function filterShape(p) {
  return isDepthwise(p) ? [...p.kernel, p.groups, p.oc / p.groups] : [...p.kernel, p.ic, p.oc];
}

/** The library's convolution of x with this filter. */
function convolve(p, x, filter) {
  const pad = padding(p);
  if (p.rank === 1) return tf.conv1d(x, filter, p.stride[0], pad, "NWC", p.dilation[0]);
  if (p.rank === 3) return tf.conv3d(x, filter, p.stride, pad, "NDHWC", p.dilation);
  if (!isDepthwise(p)) return tf.conv2d(x, filter, p.stride, pad, "NHWC", p.dilation);
  return tf.depthwiseConv2d(x, tf.reshape(filter, filterShape(p)), p.stride, pad, "NHWC", p.dilation);
}

function deconvolve(p, x, filter) {
  const transpose = p.rank === 2 ? tf.conv2dTranspose : tf.conv3dTranspose;
  return transpose(x, filter, [p.batch, ...p.out, p.oc], p.stride, padding(p));
}

function result(p, tensors, order) {
  const given = (name, dims) =>
    tf.tensor(tensors[name].values(dims), dims.map((dim) => tensors[name].dims[dim]), "float32");
  if (p.pass === "forward") {
    const operation = p.op === "conv" ? convolve : deconvolve;
    const computed = operation(p, given("src", order.image), given("wei", order.filter));
    return p.bias ? tf.add(computed, given("bias", [0])) : computed;
  }
  const attributes = { strides: p.stride, dilations: p.dilation, pad: padding(p), dataFormat: "NHWC" };
  const dy = given("diff_dst", order.image);
  if (p.pass === "backward_data") {
    const inputShape = [p.batch, ...p.in, p.ic];
    const filter = tf.reshape(given("wei", order.filter), filterShape(p));
    return tf.engine().runKernel(gradientKernel(p), { dy, filter }, { ...attributes, inputShape });
  }
  const x = given("src", order.image);
  const computed = tf.engine().runKernel(gradientKernel(p), { x, dy }, { ...attributes, filterShape: filterShape(p) });
  return isDepthwise(p) ? tf.reshape(computed, [...p.kernel, 1, p.oc]) : computed;
}

async function compute(p, implementation) {
  await tf.setBackend(BACKENDS[implementation]);
  const tensors = operands(p);
  const output = p.pass === "forward" ? "dst" : p.pass === "backward_data" ? "diff_src" : "diff_wei";
  const order = orders(p);
  tf.engine().startScope();
  try {
    const computed = result(p, tensors, order);
    const dims = output === "diff_wei" ? order.filter : order.image;
    if (computed.shape.length === dims.length && dims.every((dim, i) => computed.shape[i] === tensors[output].dims[dim])) {
      tensors[output].write(computed.dataSync(), dims);
      return "ok";
    }
    return { status: "wrong_shape", error: `TensorFlow.js computes the extents ${computed.shape.join("x")}` };
  } catch (error) {
    return failed("TensorFlow.js", error);
  } finally {
    tf.engine().endScope();
  }
}

const BACKENDS = { "tfjs:cpu": "cpu", "tfjs:wasm": "wasm" };

function announcements() {
  const contract = { algorithm: "direct", min_accumulator: "f32", flushes_subnormals: false, deterministic: true };
  return [
    { name: "tfjs:cpu", description: "TensorFlow.js, backend cpu", lineage: "tfjs", batch: 32, contract },
    { name: "tfjs:wasm", description: "TensorFlow.js, backend wasm", lineage: "tfjs-wasm", batch: 32, contract },
  ];
}

serve({
  version: tf.version_core,
  implementations: announcements(),
  refusal: (problem, implementation) => refusal(problem, BACKENDS[implementation]),
  compute,
});
