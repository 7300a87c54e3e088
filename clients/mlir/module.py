# SPDX-License-Identifier: Apache-2.0
"""A batch of problems as one module of MLIR."""
import glob
import math
import os
import subprocess
import sys

import numpy

from dialects import tensor_type

VERSION = sys.argv[1] if len(sys.argv) > 1 else "22"  # of LLVM
RUNTIME = glob.glob(f"/usr/lib/llvm-{VERSION}/lib/libmlir_c_runner_utils.so*")  # copies strided buffers


def tool(name):
    """Debian's names end with the version of LLVM."""
    return f"{name}-{VERSION}"


class Module:
    """Its text, with two functions for each problem: one has the convolution, and one reads operands from a file in
    memory for it, and writes its result to another. Both files are used from begin to end, in the order of the
    problems."""

    def __init__(self, pipeline):
        self.pipeline, self.functions, self.extents = pipeline, [], []
        self.files = os.memfd_create("operands"), os.memfd_create("results")

    def __del__(self):
        for file in self.files:
            os.close(file)

    def add(self, problem, form, operation, arrays):
        kind, name, body = next(iter(problem.dtypes.values())), len(self.functions), []
        shapes = [*[array.shape for array in arrays], form.shape(operation.result, form.out)]
        *types, result = [tensor_type(shape, kind) for shape in shapes]
        for i, (array, one) in enumerate(zip(arrays, types)):
            os.write(self.files[0], array.tobytes())
            memory = one.replace("tensor", "memref")
            body += [f"%m{i} = memref.alloc() {{alignment = 64}} : {memory}",
                     *transfer("read", self.files[0], f"m{i}", memory, array.nbytes),
                     f"%t{i} = bufferization.to_tensor %m{i} restrict : {memory} to {one}"]
        memory, size = result.replace("tensor", "memref"), math.prod(shapes[-1])
        operands, parameters = (", ".join(text.format(i, one) for i, one in enumerate(types))
                                for text in ("%t{0}", "%a{0}: {1}"))
        body += [f"%d = call @c{name}({operands}) : ({', '.join(types)}) -> {result}",
                 f"%r = bufferization.to_buffer %d : {result} to {memory}",
                 *transfer("write", self.files[1], "r", memory, size * arrays[0].itemsize), "return"]
        lines = self.pipeline.dialect.body(problem, form, operation, shapes, kind)
        self.functions += [function(f"p{name}()", body), function(f"c{name}({parameters}) -> {result}", lines)]
        self.extents.append((size, arrays[0].dtype))

    def text(self):
        calls = [f"call @p{name}() : () -> ()" for name in range(0, len(self.functions), 2)]
        return "\n".join(["module attributes {transform.with_named_sequence} {",
                          "func.func private @read(i32, index, index) -> index",
                          "func.func private @write(i32, index, index) -> index", *self.functions,
                          function("main()", [*calls, "return"]), self.pipeline.script, "}"])

    def run(self):
        """Compiles and runs; the tool that ended last."""
        os.lseek(self.files[0], 0, os.SEEK_SET)
        opt = subprocess.run([tool("mlir-opt"), f"-pass-pipeline=builtin.module({self.pipeline.passes})"],
                             input=self.text().encode(), capture_output=True, check=False)
        if opt.returncode != 0:
            return opt
        return subprocess.run([tool("mlir-runner"), "-e", "main", "-entry-point-result=void", self.pipeline.level,
                               f"-shared-libs={RUNTIME[0]}"],
                              input=opt.stdout, capture_output=True, check=False, pass_fds=self.files)

    def results(self):
        at = 0
        for size, kind in self.extents:
            yield numpy.frombuffer(os.pread(self.files[1], size * kind.itemsize, at), kind)
            at += size * kind.itemsize


def function(head, lines):
    return f"func.func @{head} {{\n  " + "\n  ".join(lines) + "\n}"


def transfer(call, file, name, memory, size):
    return [f"%{name}p = memref.extract_aligned_pointer_as_index %{name} : {memory} -> index",
            f"%{name}f = arith.constant {file} : i32", f"%{name}n = arith.constant {size} : index",
            f"%{name}d = call @{call}(%{name}f, %{name}p, %{name}n) : (i32, index, index) -> index"]
