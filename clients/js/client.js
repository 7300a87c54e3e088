// SPDX-License-Identifier: Apache-2.0
// What clients of process targets in JavaScript share (docs/process-targets.md): legal problems, operands in the file,
// questions and answers.
"use strict";
const fs = require("fs");

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr); // what a library prints is no answer

let file = null; // descriptor of the operands

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

/** An operand of f32: its buffer is read, and written back if it is an output. */
class Operand {
  constructor(tensor) {
    this.dims = tensor.dims;
    this.strides = tensor.strides;
    [this.begin, this.bytes] = tensor.buffer;
    this.first = tensor.at - this.begin;
    this.buffer = Buffer.alloc(this.bytes);
    for (let got = 0; got < this.bytes; ) got += fs.readSync(file, this.buffer, got, this.bytes - got, this.begin + got);
  }
  count() {
    return this.dims.reduce((product, extent) => product * extent, 1);
  }
  /** Calls visit(offset) for all elements, dimensions in this order, the outermost first. */
  walk(order, visit) {
    const level = (depth, at) => {
      if (depth === order.length) return visit(at);
      for (let i = 0; i < this.dims[order[depth]]; ++i) level(depth + 1, at + 4 * i * this.strides[order[depth]]);
    };
    level(0, this.first);
  }
  /** All elements, dimensions in this order. */
  values(order) {
    const values = new Float32Array(this.count());
    let next = 0;
    this.walk(order, (at) => (values[next++] = this.buffer.readFloatLE(at)));
    return values;
  }
  write(values, order) {
    let next = 0;
    this.walk(order, (at) => this.buffer.writeFloatLE(values[next++], at));
    fs.writeSync(file, this.buffer, 0, this.bytes, this.begin);
  }
}

/** The operands of a problem by name. */
function operands(p) {
  return Object.fromEntries(Object.entries(p.tensors).map(([name, tensor]) => [name, new Operand(tensor)]));
}

/**
 * The status of a problem whose computation threw. WebAssembly that faults leaves its memory as it is, and every later
 * call would fail: this process ends, as a native library's would.
 */
function failed(library, error, text = error.message) {
  if (error instanceof WebAssembly.RuntimeError) {
    fs.writeSync(2, `${library}: ${text}\n`);
    process.abort();
  }
  return {status: "failed", error: `${library}: ${text}`.split("\n")[0].slice(0, 400)};
}

/**
 * Answers until stdin ends. `refusal(problem, name)` says why an implementation does not take a problem, or null;
 * `compute(problem, name)` gives a status.
 */
async function serve({version, implementations, refusal, compute}) {
  const answer = async (question) => {
    if (question.hello) {
      file = question.hello.file;
      return {hello: {protocol: 1, version, implementations}};
    }
    if (question.ask) return {ask: question.ask.map((problem) => refusal(problem, question.implementation))};
    const statuses = [];
    for (const problem of question.run) statuses.push(await compute(problem, question.implementation));
    return {run: statuses};
  };
  for await (const line of require("readline").createInterface({input: process.stdin})) {
    const question = JSON.parse(line);
    write(JSON.stringify({id: question.id, ...(await answer(question))}) + "\n");
  }
}

module.exports = {failed, notLegal, operands, serve};
