#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// A client in JavaScript, written from docs/process-targets.md alone: forward conv1d in f32 and f64, without groups.
// `--wrong` gives it a mistake.
"use strict";
const fs = require("fs");

const wrong = process.argv.includes("--wrong");
const sizes = { f32: 4, f64: 8 };
let file = null;

/** Why a problem is not computed here, or null. */
function refusal(p) {
  if (p.op !== "conv" || p.pass !== "forward" || p.rank !== 1) return "only conv1d forward";
  if (p.groups !== 1) return "only one group";
  const tensors = Object.values(p.tensors);
  if (tensors.some((tensor) => !(tensor.dtype in sizes))) return "only f32 and f64";
  if (p.kernel[0] < 1 || p.stride[0] < 1 || p.dilation[0] < 1 || p.output_padding[0] !== 0) return "not legal";
  const rest = p.in[0] + p.pad_begin[0] + p.pad_end[0] - p.dilation[0] * (p.kernel[0] - 1) - 1;
  if (rest < 0 || p.out[0] !== Math.floor(rest / p.stride[0]) + 1) return "not legal";
  return null;
}

/** An operand: its buffer is read, and written back if it is an output. */
class Operand {
  constructor(tensor) {
    this.tensor = tensor;
    this.size = sizes[tensor.dtype];
    [this.begin, this.bytes] = tensor.buffer;
    this.buffer = Buffer.alloc(this.bytes);
    for (let got = 0; got < this.bytes; ) got += fs.readSync(file, this.buffer, got, this.bytes - got, this.begin + got);
  }
  position(...index) {
    return this.tensor.at - this.begin + this.size * index.reduce((sum, i, axis) => sum + i * this.tensor.strides[axis], 0);
  }
  get(...index) {
    const at = this.position(...index);
    return this.size === 4 ? this.buffer.readFloatLE(at) : this.buffer.readDoubleLE(at);
  }
  set(value, ...index) {
    const at = this.position(...index);
    if (this.size === 4) this.buffer.writeFloatLE(value, at);
    else this.buffer.writeDoubleLE(value, at);
  }
  writeBack() {
    fs.writeSync(file, this.buffer, 0, this.bytes, this.begin);
  }
}

function compute(p) {
  const [src, wei, dst] = ["src", "wei", "dst"].map((name) => new Operand(p.tensors[name]));
  const bias = p.bias ? new Operand(p.tensors.bias) : null;
  for (let n = 0; n < p.batch; ++n)
    for (let k = 0; k < p.oc; ++k)
      for (let o = 0; o < p.out[0]; ++o) {
        let sum = 0;
        for (let c = 0; c < p.ic; ++c)
          for (let r = 0; r < p.kernel[0]; ++r) {
            const i = o * p.stride[0] - p.pad_begin[0] + r * (wrong ? 1 : p.dilation[0]);
            if (i >= 0 && i < p.in[0]) sum += src.get(n, c, i) * wei.get(k, c, r);
          }
        dst.set(sum + (bias ? bias.get(k) : 0), n, k, o);
      }
  dst.writeBack();
  return "ok";
}

function answer(question) {
  if (question.hello) {
    file = question.hello.file;
    const contract = { algorithm: "direct", min_accumulator: "f32", deterministic: true };
    const mine = { name: "js", description: "loops in JavaScript", lineage: "js", batch: 16, contract };
    return { hello: { protocol: 1, version: process.version, implementations: [mine] } };
  }
  return question.ask ? { ask: question.ask.map(refusal) } : { run: question.run.map(compute) };
}

let received = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  received += text;
  for (let end; (end = received.indexOf("\n")) >= 0; received = received.slice(end + 1)) {
    const question = JSON.parse(received.slice(0, end));
    process.stdout.write(JSON.stringify({ id: question.id, ...answer(question) }) + "\n");
  }
});
