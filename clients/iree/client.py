#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""IREE as a process target (docs/process-targets.md): convolutions in each of its input dialects, and linalg by its
options, which are other code. `make iree` installs it.

    convict fuzz --target iree:linalg,iree:stablehlo --timeout 120s

A batch is one module, with one function for each problem that is new. Which problems a dialect can say: forms.py,
operators.py, and clients/mlir for linalg and TOSA."""
import pathlib
import sys
from dataclasses import dataclass, field

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "mlir"), str(FOLDER.parent / "shared")]
import importlib.metadata

import numpy

import convict
import forms
import operators
import statuses
from compiler import Functions

# f64 becomes f32 otherwise. Sums are reassociated (--iree-llvmcpu-reassociate-fp-reductions). The runtime flushes
# subnormals (iree_fpu_state_push with IREE_FPU_STATE_FLAG_FLUSH_DENORMALS_TO_ZERO in what runs a dispatch).
FLAGS = ("--iree-hal-target-device=local", "--iree-llvmcpu-target-cpu=host", "--iree-input-demote-f64-to-f32=false")
DIRECT = {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True, "flushes_subnormals": True}
WINOGRAD = {**DIRECT, "algorithm": "winograd", "winograd_m": 6, "winograd_r": 3}
PREPROCESSING = "--iree-preprocessing-pass-pipeline=builtin.module(util.func({}))"


@dataclass
class Target:
    """For convict.serve."""

    name: str
    description: str
    dialect: object
    flags: tuple = ()
    backend: str = "llvm-cpu"
    contract: dict = field(default_factory=lambda: DIRECT)

    def __post_init__(self):
        self.functions = Functions((*self.flags, *FLAGS, "--iree-input-type=" + self.dialect.kind,
                                    "--iree-hal-local-target-device-backends=" + self.backend))

    def announcement(self):
        return {"name": self.name, "description": "IREE, " + self.description, "lineage": self.name.replace(":", "-"),
                "batch": 32, "stateless": True, "contract": self.contract}

    def refusal(self, problem):
        if problem.why_illegal():
            return "not a legal problem"
        return self.dialect.refusal(problem)

    def run_all(self, calls):
        taken = [call for call in calls if not self.dialect.refusal_of_data(*call[:2])]
        functions = self.functions.of([self.dialect.function(problem) for problem, *_ in taken])
        done = {id(call): self.call(function, *call) for call, function in zip(taken, functions)}
        refused = statuses.refused("zeros are inserted, which an infinity makes NaN")
        return [done.get(id(call), refused) for call in calls]

    def call(self, function, problem, arrays, outputs):
        if isinstance(function, ValueError):  # what a dialect cannot say is refused
            how = statuses.refused if "failed to legalize" in str(function) else statuses.failed
            return how(str(function))
        results = function(*self.dialect.operands(problem, arrays))
        results = [numpy.asarray(one) for one in (results if isinstance(results, tuple) else [results])]
        return self.dialect.store(problem, arrays, results) or "ok"


LINALG, HLO, HLO_FIRST = forms.Linalg(), forms.StableHlo(), forms.StableHlo(channels_last=False)
TARGETS = [
    Target("iree:linalg", "linalg", LINALG),
    Target("iree:linalg:O0", "linalg, O0", LINALG, ("--iree-opt-level=O0",)),
    Target("iree:linalg:O3", "linalg, O3", LINALG, ("--iree-opt-level=O3",)),
    Target("iree:linalg:tiles", "linalg, data tiling", LINALG, ("--iree-opt-data-tiling",)),
    Target("iree:linalg:vmvx", "linalg, byte code of VMVX", LINALG, backend="vmvx"),
    Target("iree:im2col", "linalg, im2col", LINALG, ("--iree-global-opt-use-im2col-for-convs",)),
    Target("iree:winograd", "linalg, Winograd's F(6, 3)", forms.Linalg(dense_3x3=True), (PREPROCESSING.format(
        "iree-linalg-ext-convert-conv2d-to-winograd{replace-all-convs=true}"),), contract=WINOGRAD),
    Target("iree:stablehlo", "StableHLO, channels last", HLO),
    Target("iree:stablehlo:nchw", "StableHLO, channels first", HLO_FIRST),
    Target("iree:stablehlo:turned", "StableHLO, channels first, turned to channels last", HLO_FIRST,
           (PREPROCESSING.format("iree-preprocessing-convert-conv-to-channels-last"),)),
    Target("iree:torch", "torch.aten.convolution and convolution_backward", operators.Torch()),
    Target("iree:onnx", "onnx.Conv and onnx.ConvTranspose", operators.Onnx()),
    Target("iree:tosa", "TOSA", forms.Tosa()),
]

if __name__ == "__main__":
    convict.serve(TARGETS, importlib.metadata.version("iree-base-compiler"))
