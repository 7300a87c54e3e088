#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ncnn on the CPU as a process target (docs/process-targets.md): a net of one layer for each problem, with the options
that choose its code. `make ncnn` installs it.

    convict fuzz --target ncnn:sgemm,ncnn:packed"""
import importlib.metadata
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
import ncnn
import numpy

import convict
import inference
import statuses
import ways

OFF = {name: False for name in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_packed",
                                "use_bf16_storage", "use_winograd_convolution", "use_winograd23_convolution",
                                "use_winograd43_convolution", "use_winograd63_convolution", "use_int8_inference")}
BF16, INT8 = {"use_bf16_storage": True, "use_bf16_packed": True}, {"use_int8_inference": True}
ROOT = 2 ** 0.5  # F(4, 3) has its points: src/layer/x86/convolution_3x3_winograd.h
POINTS = {2: [0, 1, -1], 4: [0, ROOT / 2, -ROOT / 2, ROOT, -ROOT], 6: [0, 1, -1, 2, -2, 0.5, -0.5]}


class Target:
    """Options and a way to say a problem, for convict.serve."""

    def __init__(self, name, description, options, way=ways.static, tile=0):
        self.name, self.description, self.way, self.tile = name, description, way, tile
        self.options = {**OFF, **options}

    def announcement(self):
        """Option::flush_denormals is 3, which is both, unless it is changed."""
        contract = {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True, "flushes_subnormals": True,
                    "fuses_relu": True}
        if self.tile:
            contract |= {"algorithm": "winograd", "winograd_m": self.tile, "winograd_r": 3, "points": POINTS[self.tile]}
        return {"name": self.name, "description": "ncnn, " + self.description, "lineage": "ncnn", "batch": 32,
                "contract": contract}

    def refusal(self, problem):
        return inference.refusal(problem) or self.refusal_of_types(problem) or self.way.refusal(problem)

    def refusal_of_types(self, problem):
        types = ["s8", "s8", "s32"] if self.options["use_int8_inference"] else (
            ["bf16" if self.options["use_bf16_storage"] else "f32"] * 3)
        given = [problem.dtypes[name] for name in ("src", "wei", "dst")]
        return "types other than " + ":".join(types) if given != types else None

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, arrays, outputs):
        given = inference.operands(problem, arrays, outputs)
        why = self.way.refusal_of_data(problem, given)
        if why:
            return statuses.refused(why)
        if inference.loses_nan(problem, given):
            return inference.LOST_NAN
        net = ncnn.Net()
        for name, value in self.options.items():
            setattr(net.opt, name, value)
        net.opt.num_threads, net.opt.openmp_blocktime = problem.threads, 0
        text, weights, inputs = self.way.net(problem, given)
        if net.load_param_mem(text) or load(net, weights):
            return statuses.failed("ncnn does not load it")
        for image, dst in zip(given["src"], arrays["dst"]):
            code, result = extracted(net, {"src": image, **inputs})
            if code:
                return statuses.failed(f"ncnn's extract returns {code}")
            result = numpy.array(result)
            status = statuses.stored({"an image": dst}, {
                "an image": result.view("uint32") >> 16 if dst.dtype == "uint16" else result})
            if status["status"] != "ok":
                return status
        return {"status": "ok"}


def load(net, weights):
    file = os.memfd_create("weights")
    try:
        os.write(file, weights)
        return net.load_model(f"/proc/self/fd/{file}")
    finally:
        os.close(file)


def extracted(net, inputs):
    """What extract returns. ncnn.Mat keeps no reference to an array, and is not aligned; a clone owns its data."""
    with net.create_extractor() as extractor:
        for name, array in inputs.items():
            array = numpy.ascontiguousarray(array)  # is referred to until it is cloned
            extractor.input(name, ncnn.Mat(array).clone())
        return extractor.extract("dst")


if __name__ == "__main__":
    PLAIN, DIRECT = {"use_packing_layout": False}, {"use_sgemm_convolution": False}
    convict.serve([
        Target("ncnn:sgemm", "packed, by products of matrices", {}),
        Target("ncnn:packed", "packed, without use_sgemm_convolution", DIRECT),
        Target("ncnn:plain", "without use_packing_layout", PLAIN),
        Target("ncnn:plain:loops", "without use_packing_layout and use_sgemm_convolution", {**PLAIN, **DIRECT}),
        *[Target(f"ncnn:winograd{tile}3", f"packed, F({tile}, 3) where it takes it",
                 {"use_winograd_convolution": True, f"use_winograd{tile}3_convolution": True}, tile=tile)
          for tile in (2, 4, 6)],
        Target("ncnn:dynamic", "weights are inputs", {}, ways.dynamic),
        Target("ncnn:auto-pad", "SAME by name, or by the size of the result", {}, ways.by_name),
        Target("ncnn:bf16", "use_bf16_storage", BF16, ways.bf16),
        Target("ncnn:bf16:plain", "use_bf16_storage, without use_packing_layout", {**BF16, **PLAIN},
               ways.bf16),
        Target("ncnn:int8", "use_int8_inference", INT8, ways.int8),
    ], importlib.metadata.version("ncnn"))
