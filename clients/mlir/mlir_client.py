#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MLIR as a process target (docs/process-targets.md): convolutions of its linalg and TOSA dialects, compiled by pass
pipelines that are different code, and run by mlir-runner. `make mlir` installs it.

    convict fuzz --command 'python3 clients/mlir/mlir_client.py'

A batch is one module with a function for each problem. All six operations become one forward convolution, as compilers
lower them: strides of a transposed one insert zeros, and the gradient of the weights has the batch as channels
(forms.py). Operands are packed into a file, channels last, that the compiled code reads and writes."""
import glob
import json
import math
import mmap
import os
import re
import shutil
import signal
import subprocess
import sys

import numpy

import forms
from pipelines import PIPELINES

BATCH = 32  # problems of one module
TYPES = {"f32": numpy.dtype(numpy.float32), "f64": numpy.dtype(numpy.float64)}  # by their names in MLIR, too
VERSION = sys.argv[1] if len(sys.argv) > 1 else "22"  # of LLVM
RUNTIME = glob.glob(f"/usr/lib/llvm-{VERSION}/lib/libmlir_c_runner_utils.so*")  # copies strided buffers


def announcement(name):
    """The bound of a transform holds for what is transformed; the others sum in an order of their own."""
    pipeline = PIPELINES[name]
    contract = {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True, **pipeline.contract}
    return {"name": name, "description": "MLIR, " + pipeline.description, "lineage": name.replace(":", "-"),
            "batch": BATCH, "contract": contract}


def refusal(problem, pipeline):
    types = [tensor["dtype"] for tensor in problem["tensors"].values()]
    if len(set(types)) > 1 or types[0] not in TYPES:
        return "f32 and f64 only, not mixed"
    return forms.refusal(problem) or pipeline.dialect.refusal(problem, forms.form_of(problem), pipeline)


class Refused(Exception):
    pass


def packed(problem, tensors, form):
    """The operands in the order in which the function reads them."""
    weights = tensors[forms.passing(problem).filter]
    if max(form.insert) > 1 and not form.turns_itself and not numpy.isfinite(weights).all():
        raise Refused("zeros are inserted, which an infinite weight makes NaN")
    arrays = [forms.image(problem, tensors), form.filter_order(forms.filters(problem, tensors, not form.turns_itself))]
    if form.bias:
        arrays.append(tensors["bias"])
    return [numpy.ascontiguousarray(array) for array in arrays]


class Module:
    """The text of a module, and the file of its operands."""

    def __init__(self, pipeline):
        self.pipeline, self.size, self.functions, self.arrays, self.results = pipeline, 0, [], [], []
        self.descriptor = os.memfd_create("operands")

    def place(self, size):
        at, self.size = self.size, self.size + (size + 63) // 64 * 64
        return at

    def add(self, problem, tensors):
        form = self.pipeline.dialect.adapted(problem, forms.form_of(problem), self.pipeline)
        name, kind = len(self.functions), next(iter(problem["tensors"].values()))["dtype"]
        body, types = [], []
        for i, array in enumerate(packed(problem, tensors, form)):
            shape = forms.shape_text(form.operands[i], kind)
            types.append(f"tensor<{shape}>")
            at = self.place(array.nbytes)
            self.arrays.append((at, array))
            body += [f"%m{i} = memref.alloc() {{alignment = 64}} : memref<{shape}>",
                     *self.transfer("pread", f"%m{i}", shape, at, array.nbytes),
                     f"%t{i} = bufferization.to_tensor %m{i} restrict : memref<{shape}> to tensor<{shape}>"]
        shape = forms.shape_text(form.result, kind)
        arguments = ", ".join(f"%t{i}" for i in range(len(types)))
        size = math.prod(form.result) * TYPES[kind].itemsize
        at = self.place(size)
        body += [f"%d = call @c{name}({arguments}) : ({', '.join(types)}) -> tensor<{shape}>",
                 f"%r = bufferization.to_buffer %d : tensor<{shape}> to memref<{shape}>",
                 *self.transfer("pwrite", "%r", shape, at, size), "return"]
        self.results.append((at, size, TYPES[kind]))
        parameters = ", ".join(f"%a{i}: {one}" for i, one in enumerate(types))
        lines = self.pipeline.dialect.body(problem, form, kind, self.pipeline)
        self.functions.append(
            f"func.func @p{name}() {{\n  " + "\n  ".join(body) + "\n}\n"
            f"func.func @c{name}({parameters}) -> tensor<{shape}> {{\n  " + "\n  ".join(lines) + "\n}\n")

    def transfer(self, function, memory, shape, at, size):
        mark = memory[1:]
        return [f"%{mark}p = memref.extract_aligned_pointer_as_index {memory} : memref<{shape}> -> index",
                f"%{mark}f = arith.constant {self.descriptor} : i32", f"%{mark}n = arith.constant {size} : index",
                f"%{mark}o = arith.constant {at} : index",
                f"%{mark}r = call @{function}(%{mark}f, %{mark}p, %{mark}n, %{mark}o) : "
                "(i32, index, index, index) -> index"]

    def text(self):
        calls = "\n".join(f"  call @p{i}() : () -> ()" for i in range(len(self.functions)))
        return ("module attributes {transform.with_named_sequence} {\n"
                "func.func private @pread(i32, index, index, index) -> index\n"
                "func.func private @pwrite(i32, index, index, index) -> index\n"
                f"{''.join(self.functions)}func.func @main() {{\n{calls}\n  return\n}}\n{self.pipeline.script}}}\n")

    def run(self):
        """Compiles and runs; why not, or nothing. A compiler that dies takes us with it: that is a crash."""
        os.ftruncate(self.descriptor, max(self.size, 1))
        for at, array in self.arrays:
            os.pwrite(self.descriptor, array.tobytes(), at)
        opt = subprocess.run([tool("mlir-opt"), f"-pass-pipeline=builtin.module({self.pipeline.passes})"],
                             input=self.text().encode(), capture_output=True, check=False)
        if opt.returncode != 0:
            return failure("mlir-opt", opt)
        runner = subprocess.run([tool("mlir-runner"), "-e", "main", "-entry-point-result=void", self.pipeline.level,
                                 f"-shared-libs={RUNTIME[0]}"],
                                input=opt.stdout, capture_output=True, check=False, pass_fds=[self.descriptor])
        return failure("mlir-runner", runner) if runner.returncode != 0 else None

    def result(self, i):
        at, size, kind = self.results[i]
        return numpy.frombuffer(os.pread(self.descriptor, size, at), kind)

    def close(self):
        os.close(self.descriptor)


def tool(name):
    """Debian's names end with the version of LLVM."""
    return f"{name}-{VERSION}"


def failure(name, done):
    """The first error that a tool printed. Dies of what it died of."""
    text = done.stderr.decode(errors="replace")
    if done.returncode < 0:
        sys.stderr.write(text[-3000:])
        sys.stderr.write(f"{name} died of signal {-done.returncode}\n")
        sys.stderr.flush()
        signal.signal(-done.returncode, signal.SIG_DFL)
        os.kill(os.getpid(), -done.returncode)
    found = re.search(r"error: (.*)", text)
    return f"{name}: {found.group(1) if found else text.strip()[:200]}"[:300]


def tensor(file, description):
    kind = TYPES[description["dtype"]]
    strides = [stride * kind.itemsize for stride in description["strides"]]
    return numpy.ndarray(description["dims"], kind, file, description["at"], strides)


def run_all(problems, pipeline, file):
    """The statuses. Where a module of several cannot be compiled, each gets one of its own."""
    module, statuses, taken = Module(pipeline), ["ok"] * len(problems), []
    try:
        for i, problem in enumerate(problems):
            tensors = {name: tensor(file, one) for name, one in problem["tensors"].items()}
            try:
                module.add(problem, tensors)
                taken.append((i, problem, tensors))
            except Refused as why:
                statuses[i] = {"status": "refused", "error": str(why)}
        why = module.run() if taken else None
        if why and len(problems) == 1:
            return [{"status": "failed", "error": why}]
        if why:
            return [status for problem in problems for status in run_all([problem], pipeline, file)]
        for place, (_, problem, tensors) in enumerate(taken):
            forms.store(problem, tensors, module.result(place), forms.form_of(problem))
        return statuses
    finally:
        module.close()


class Client:
    def __init__(self):
        self.answers = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what anybody prints is no answer
        self.descriptor, self.file = None, None

    def mapped(self, size):
        if self.file is None or len(self.file) < size:
            self.file = mmap.mmap(self.descriptor, size)
        return self.file

    def answer(self, question):
        if "hello" in question:
            self.descriptor = question["hello"]["file"]
            version = subprocess.run([tool("mlir-opt"), "--version"], capture_output=True, text=True, check=True).stdout
            return {"hello": {"protocol": 1, "version": re.search(r"version (\S+)", version).group(1),
                              "implementations": [announcement(name) for name in PIPELINES]}}
        pipeline = PIPELINES[question["implementation"]]
        if "ask" in question:
            return {"ask": [refusal(problem, pipeline) for problem in question["ask"]]}
        return {"run": run_all(question["run"], pipeline, self.mapped(question["file_bytes"]))}

    def serve(self):
        for line in sys.stdin.buffer:
            question = json.loads(line)
            self.answers.write(json.dumps({"id": question["id"], **self.answer(question)}).encode() + b"\n")
            self.answers.flush()


if __name__ == "__main__":
    if not RUNTIME or not shutil.which(tool("mlir-opt")):
        sys.exit(f"mlir_client.py: MLIR {VERSION} is not installed; `make mlir` installs version 22")
    Client().serve()
