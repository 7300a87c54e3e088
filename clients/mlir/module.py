# SPDX-License-Identifier: Apache-2.0
"""A batch of problems as one module of MLIR."""
import glob
import math
import os
import sys

import numpy

import convict
from dialects import tensor_type

VERSION = sys.argv[1] if len(sys.argv) > 1 else "22"  # of LLVM
LLVM = f"/usr/lib/llvm-{VERSION}"
OPT, RUNNER = LLVM + "/bin/mlir-opt", LLVM + "/bin/mlir-runner"
RUNTIME = glob.glob(LLVM + "/lib/libmlir_c_runner_utils.so*")  # copies strided buffers


class Module:
    """Its text, with two functions for each problem: one has the convolution, and one reads operands from a file in
    memory for it, and writes its result behind them. Problems that differ in their data alone share the first one. The
    file is used from begin to end, in the order of the problems."""

    def __init__(self, pipeline):
        self.pipeline, self.functions, self.places = pipeline, [], []
        self.convolutions = {}  # names, by signature and lines
        self.file = open(os.memfd_create("operands"), "w+b", buffering=0)

    def add(self, problem, form, operation, arrays):
        kind, body = next(iter(problem.dtypes.values())), []
        shapes = [*[array.shape for array in arrays], form.shape(operation.result, form.out)]
        *types, result = [tensor_type(shape, kind) for shape in shapes]
        for i, (array, one) in enumerate(zip(arrays, types)):
            self.file.write(array)
            memory = one.replace("tensor", "memref")
            body += [f"%m{i} = memref.alloc() {{alignment = 64}} : {memory}",
                     *self.transfer("read", f"m{i}", memory, array.nbytes),
                     f"%t{i} = bufferization.to_tensor %m{i} restrict : {memory} to {one}"]
        memory, size = result.replace("tensor", "memref"), math.prod(shapes[-1])
        operands, parameters = (", ".join(text.format(i, one) for i, one in enumerate(types))
                                for text in ("%t{0}", "%a{0}: {1}"))
        lines = self.pipeline.dialect.body(problem, form, operation, shapes, kind)
        name = self.convolutions.setdefault((f"({parameters}) -> {result}", *lines), f"c{len(self.convolutions)}")
        body += [f"%d = call @{name}({operands}) : ({', '.join(types)}) -> {result}",
                 f"%r = bufferization.to_buffer %d : {result} to {memory}",
                 *self.transfer("write", "r", memory, size * arrays[0].itemsize), "return"]
        self.functions.append(function(f"p{len(self.functions)}()", body))
        self.places.append((self.file.tell(), size, arrays[0].dtype))
        self.file.seek(size * arrays[0].itemsize, os.SEEK_CUR)

    def text(self):
        calls = [f"call @p{name}() : () -> ()" for name in range(len(self.functions))]
        convolutions = [function(name + signature, lines) for (signature, *lines), name in self.convolutions.items()]
        return "\n".join(["module attributes {transform.with_named_sequence} {",
                          "func.func private @read(i32, index, index) -> index",
                          "func.func private @write(i32, index, index) -> index", *convolutions, *self.functions,
                          function("main()", [*calls, "return"]), self.pipeline.script, "}"])

    def transfer(self, call, name, memory, size):
        return [f"%{name}p = memref.extract_aligned_pointer_as_index %{name} : {memory} -> index",
                f"%{name}f = arith.constant {self.file.fileno()} : i32", f"%{name}n = arith.constant {size} : index",
                f"%{name}d = call @{call}(%{name}f, %{name}p, %{name}n) : (i32, index, index) -> index"]

    def run(self):
        """Compiles and runs."""
        code = convict.run_tool([OPT, f"-pass-pipeline=builtin.module({self.pipeline.passes})"],
                                input=self.text().encode())
        self.file.seek(0)
        convict.run_tool([RUNNER, "-e", "main", "-entry-point-result=void", self.pipeline.level,
                          f"-shared-libs={RUNTIME[0]}"], input=code, pass_fds=[self.file.fileno()])

    def results(self):
        for at, size, kind in self.places:
            self.file.seek(at)
            yield numpy.fromfile(self.file, kind, size)


def function(head, lines):
    return f"func.func @{head} {{\n  " + "\n  ".join(lines) + "\n}"
