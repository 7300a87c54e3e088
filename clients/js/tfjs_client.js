#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// TensorFlow.js as a process target (docs/process-targets.md): its backends cpu and wasm, in f32. `make js` installs it.
//
//     convict fuzz --command 'node clients/js/tfjs_client.js build/js'
//
// conv of all ranks, depthwise of rank 2, conv_transpose of rank 2 and 3; gradients of conv by the kernels that training
// runs, where a backend has them. What its functions have no argument for is refused. Operands are copied into tensors,
// channels last, and back.
"use strict";
const fs = require("fs");
const path = require("path");

const folder = path.resolve(process.argv[2] || "build/js");
const library = require("module").createRequire(path.join(folder, "package.json"));
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr); // what the library prints is no answer
const tf = library("@tensorflow/tfjs-core");
library("@tensorflow/tfjs-backend-cpu");
const wasm = library("@tensorflow/tfjs-backend-wasm");
wasm.setWasmPaths(path.join(path.dirname(library.resolve("@tensorflow/tfjs-backend-wasm")), path.sep));
wasm.setThreadsCount(1);
tf.env().set("PROD", true);

let file = null; // descriptor of the operands

const isDepthwise = (p) => p.groups > 1;

/** The kernel that computes a gradient. */
function gradientKernel(p) {
  const input = p.pass === "backward_data";
  if (p.rank === 3) return input ? tf.Conv3DBackpropInputV2 : tf.Conv3DBackpropFilterV2;
  if (!isDepthwise(p)) return input ? tf.Conv2DBackpropInput : tf.Conv2DBackpropFilter;
  return input ? tf.DepthwiseConv2dNativeBackpropInput : tf.DepthwiseConv2dNativeBackpropFilter;
}

/** The extent that follows from an axis, or 0: illegal problems have to be refused. */
function extent(p, axis) {
  const window = p.dilation[axis] * (p.kernel[axis] - 1) + 1;
  const pads = p.pad_begin[axis] + p.pad_end[axis];
  if (p.op === "conv") return Math.floor((p.in[axis] + pads - window) / p.stride[axis]) + 1;
  return (p.in[axis] - 1) * p.stride[axis] - pads + window + p.output_padding[axis];
}

function notLegal(p) {
  if ([...p.kernel, ...p.stride, ...p.dilation, p.groups, p.threads].some((number) => number < 1)) return true;
  if (Math.min(p.batch, p.ic, p.oc, ...p.in, ...p.output_padding) < 0) return true;
  if (p.ic % p.groups || p.oc % p.groups) return true;
  const limit = (axis) => (p.op === "conv" ? 1 : Math.max(p.stride[axis], p.dilation[axis]));
  return p.in.some((_, axis) => p.out[axis] < 1 || p.out[axis] !== extent(p, axis) || p.output_padding[axis] >= limit(axis));
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

/** An operand: its buffer is read, and written back if it is an output. */
class Operand {
  constructor(tensor) {
    this.dims = tensor.dims;
    this.strides = tensor.strides;
    [this.begin, this.bytes] = tensor.buffer;
    this.first = tensor.at - this.begin;
    this.buffer = Buffer.alloc(this.bytes);
    for (let got = 0; got < this.bytes; ) got += fs.readSync(file, this.buffer, got, this.bytes - got, this.begin + got);
  }
  /** Calls visit(offset) for all elements, dimensions in this order, the outermost first. */
  walk(order, visit) {
    const level = (depth, at) => {
      if (depth === order.length) return visit(at);
      for (let i = 0; i < this.dims[order[depth]]; ++i) level(depth + 1, at + 4 * i * this.strides[order[depth]]);
    };
    level(0, this.first);
  }
  tensor(order) {
    const values = new Float32Array(this.dims.reduce((product, extent) => product * extent, 1));
    let next = 0;
    this.walk(order, (at) => (values[next++] = this.buffer.readFloatLE(at)));
    return tf.tensor(values, order.map((dim) => this.dims[dim]), "float32");
  }
  /** Whether the result has the extents of the operand. */
  write(result, order) {
    if (result.shape.length !== order.length || result.shape.some((extent, i) => extent !== this.dims[order[i]])) return false;
    const values = result.dataSync();
    let next = 0;
    this.walk(order, (at) => this.buffer.writeFloatLE(values[next++], at));
    fs.writeSync(file, this.buffer, 0, this.bytes, this.begin);
    return true;
  }
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
  const given = (name, dims) => tensors[name].tensor(dims);
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

async function compute(p, backend) {
  await tf.setBackend(backend);
  const tensors = {};
  for (const name in p.tensors) tensors[name] = new Operand(p.tensors[name]);
  const output = p.pass === "forward" ? "dst" : p.pass === "backward_data" ? "diff_src" : "diff_wei";
  const order = orders(p);
  tf.engine().startScope();
  try {
    const computed = result(p, tensors, order);
    if (tensors[output].write(computed, output === "diff_wei" ? order.filter : order.image)) return "ok";
    return { status: "wrong_shape", error: `TensorFlow.js computes the extents ${computed.shape.join("x")}` };
  } catch (error) {
    return { status: "failed", error: `TensorFlow.js: ${error.message}`.split("\n")[0].slice(0, 400) };
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

async function answer(question) {
  if (question.hello) {
    file = question.hello.file;
    return { hello: { protocol: 1, version: tf.version_core, implementations: announcements() } };
  }
  if (question.ask) return { ask: question.ask.map((problem) => refusal(problem, BACKENDS[question.implementation])) };
  const statuses = [];
  for (const problem of question.run) statuses.push(await compute(problem, BACKENDS[question.implementation]));
  return { run: statuses };
}

async function serve() {
  const lines = require("readline").createInterface({ input: process.stdin });
  for await (const line of lines) {
    const question = JSON.parse(line);
    write(JSON.stringify({ id: question.id, ...(await answer(question)) }) + "\n");
  }
}

serve();
