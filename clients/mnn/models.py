# SPDX-License-Identifier: Apache-2.0
"""Ways to a model of one convolution by MNN's converter from ONNX. Each has a refusal, and computes outputs, by name,
from operands in f32. Files lie in memory, but for one that the converter writes into the working directory."""
import os
import tempfile

import _tools
import MNN.expr as F
import MNN.nn
import numpy

import onnx_model

WINOGRAD_MEMORY_LEVEL, FUSED_RELU = 3, "relu"  # a hint of include/MNN/Interpreter.hpp
MOST_PARTS = 64
EVERYWHERE = {"backend": F.Backend.CPU, "precision": "high"}
HOMES = {}  # working directories, by process: a client is copied


def go_home():
    """To a directory of this process alone, where no other client's converter writes."""
    if os.getpid() not in HOMES:
        HOMES[os.getpid()] = tempfile.TemporaryDirectory()
        os.chdir(HOMES[os.getpid()].name)


class Failed(Exception):
    """MNN refuses what it should compute."""


def variable(array):
    return F.const(numpy.ascontiguousarray(array), list(array.shape), F.NCHW)


def read(result):
    """As an array. Images are in blocks of channels unless they are converted."""
    result = F.convert(result, F.NCHW) if result.data_format == F.NC4HW4 else result
    values = result.read()
    if values is None:
        raise Failed("read() returns nothing")
    return numpy.array(values)


class Converted:
    """`padding` as in onnx_model. `level` is that of Winograd. `are_inputs`: weights and bias are inputs. `resized`:
    the module has computed with a larger image before. `drops` the axis that results of rank 1 have too many."""

    passes = ("forward",)
    framework = "ONNX"

    def __init__(self, padding="numbers", options=(), level=0, are_inputs=False, resized=False,
                 drops=True):
        self.padding, self.options, self.level = padding, options, level
        self.are_inputs, self.resized, self.drops = are_inputs, resized, drops

    def refusal(self, problem):
        if self.level and not (problem.rank == 2 and problem.op == "conv" and problem.kernel == [3, 3]
                               and problem.stride == problem.dilation == [1, 1]):
            return "Winograd is for kernels of 3x3 with stride 1, here"
        if self.are_inputs and problem.rank == 3:
            return "the converter wants constant weights of rank 3"
        if problem.rank == 3 and problem.kernel[0] > MOST_PARTS or problem.groups > MOST_PARTS:
            return "the converter makes an operator of each group, and of each plane of a kernel: too many to wait for"
        if "--groupConvNative" in self.options and problem.groups == 1:
            return "no groups"
        return onnx_model.refusal(problem, self.padding)

    def refusal_of_data(self, problem, given):
        return None

    def serialized(self, problem, given):
        made = onnx_model.model(problem, self.padding, opset=17)
        if not self.are_inputs:
            onnx_model.fix(made, {name: array for name, array in given.items() if name != "src"})
        if self.resized:
            graph = made.graph
            for axis, extent in enumerate(graph.input[0].type.tensor_type.shape.dim):
                if axis != 1:
                    extent.dim_param = f"n{axis}"
            for axis, extent in enumerate(graph.output[0].type.tensor_type.shape.dim):
                extent.dim_param = f"m{axis}"
        if problem.relu:
            onnx_model.add_relu(made, FUSED_RELU)
        return made.SerializeToString()

    def compute(self, problem, given):
        go_home()
        source, model = os.memfd_create("onnx"), os.memfd_create("mnn")
        try:
            os.write(source, self.serialized(problem, given))
            path = f"/proc/self/fd/{model}"
            _tools.mnnconvert(["mnnconvert", "-f", self.framework, "--modelFile", f"/proc/self/fd/{source}",
                               "--MNNModel", path, "--bizCode", "MNN", *self.options])
            if not os.fstat(model).st_size:
                raise Failed("the converter writes no model")
            return self.forwarded(path, problem, given)
        finally:
            os.close(source)
            os.close(model)

    def forwarded(self, path, problem, given):
        manager = MNN.nn.create_runtime_manager(({**EVERYWHERE, "numThread": problem.threads},))
        manager.set_hint(WINOGRAD_MEMORY_LEVEL, self.level)
        names = list(given) if self.are_inputs else ["src"]
        module = MNN.nn.load_module_from_file(path, names, ["dst"], runtime_manager=manager)
        if module is None:
            raise Failed("the model does not load")
        if self.resized:
            batch, channels, *axes = given["src"].shape
            larger = numpy.full([batch + 1, channels, *[extent + 3 for extent in axes]], 7, "float32")
            read(module.forward([variable(larger)])[0])
        results = module.forward([variable(given[name]) for name in names])
        if not results:
            raise Failed("forward() returns nothing")
        dst = read(results[0])
        return {"dst": dst[..., 0] if self.drops and problem.rank == 1 and dst.shape[3:] == (1,) else dst}
