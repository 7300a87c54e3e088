#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JAX, with XLA on the CPU, as a process target (docs/process-targets.md): lax.conv_general_dilated op by op and
compiled, lax.conv_transpose, and the gradients that JAX derives.

    make jax
    convict fuzz --target jax:jit,jax:onednn:nhwc
    convict fuzz --target jax:jit@cuda

An argument is one of FLAGS, or the device: `cpu` or `cuda`."""
import os
import pathlib
import sys

DEVICES = ("cpu", "cuda")
PROGRAM = next((one for one in sys.argv[1:] if one not in DEVICES), "")
DEVICE = next((one for one in sys.argv[1:] if one in DEVICES), "cpu")
# Of the process, so each has a program. The quick one compiles in a third of the time: the same passes over the graph
# and the same convolutions by Eigen, but plain loops for all else.
FLAGS = {"": "", "quick": "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false",
         "no-algsimp": "--xla_disable_hlo_passes=algsimp", "onednn": "--xla_cpu_use_onednn=true",
         "single-thread": "--xla_cpu_multi_thread_eigen=false"}
if FLAGS[PROGRAM]:
    os.environ["XLA_FLAGS"] = FLAGS[PROGRAM] + " " + os.environ.get("XLA_FLAGS", "")
os.environ["JAX_PLATFORMS"] = DEVICE
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # of most of a device's memory, which processes share

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
import jax

jax.config.update("jax_enable_x64", True)  # f64 becomes f32 otherwise

import convict
import statuses
from calls import Layout
from convolutions import BatchGroups, General, Padded, Transposed
from lineages import Lineage

FIRST, LAST = Layout(channels_last=False), Layout(channels_last=True)
PROGRAMS = {
    "": {
        "jax:eager": ("op by op", Lineage(General(FIRST), jits=False)),
        "jax:eager:nhwc": ("op by op, channels last", Lineage(General(LAST), jits=False)),
        "jax:jit": ("jit", Lineage(General(FIRST))),
        "jax:jit:nhwc": ("jit, channels last", Lineage(General(LAST))),
        "jax:pad:nhwc": ("jit, lax.pad before it, channels last", Lineage(Padded(LAST))),
        "jax:transpose": ("lax.conv_transpose, jit", Lineage(Transposed(FIRST))),
        "jax:transpose:nhwc": ("lax.conv_transpose, jit, channels last", Lineage(Transposed(LAST))),
        "jax:batch-groups": ("batch_group_count, jit, channels last", Lineage(BatchGroups(LAST))),
    },
    "quick": {
        "jax:quick": ("jit at optimization level 0", Lineage(General(FIRST))),
        "jax:quick:nhwc": ("jit at optimization level 0, channels last", Lineage(General(LAST))),
        "jax:quick:pad:nhwc": ("jit at optimization level 0, lax.pad before it, channels last", Lineage(Padded(LAST))),
        "jax:quick:transpose:nhwc": ("lax.conv_transpose, jit at optimization level 0, channels last",
                                     Lineage(Transposed(LAST))),
        "jax:quick:batch-groups": ("batch_group_count, jit at optimization level 0, channels last",
                                   Lineage(BatchGroups(LAST))),
    },
    "no-algsimp": {
        "jax:no-algsimp:nhwc": ("jit without algebraic simplification, channels last", Lineage(General(LAST))),
        "jax:no-algsimp:pad:nhwc": ("jit without algebraic simplification, lax.pad before it, channels last",
                                    Lineage(Padded(LAST))),
    },
    "onednn": {"jax:onednn:nhwc": ("jit with oneDNN, channels last", Lineage(General(LAST)))},
    "single-thread": {"jax:single-thread:nhwc": ("jit with Eigen in one thread, channels last",
                                                 Lineage(General(LAST)))},
}


class Target:
    """An entry of the table, for convict.serve."""

    def __init__(self, name, description, lineage):
        self.name, self.description, self.lineage = name, description, lineage

    def announcement(self):
        """XLA's threads flush subnormals (tsl::port::ScopedFlushDenormal around what it runs on a CPU). Types of 16
        bits are converted to f32, as --xla_allow_excess_precision, which is on, lets it."""
        contract = {"algorithm": "direct", "min_accumulator": "f32", "deterministic": DEVICE == "cpu",
                    "flushes_subnormals": True}
        library = "xla+onednn" if "onednn" in self.name else "xla" if DEVICE == "cpu" else "xla-" + DEVICE
        return {"name": self.name, "description": f"JAX, {self.description}", "batch": 8, "contract": contract,
                "lineage": library}

    def refusal(self, problem):
        return self.lineage.refusal(problem)

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, tensors, outputs):
        why = self.lineage.refusal_of_data(problem, tensors)
        if why:
            return statuses.refused(why)
        try:
            results = self.lineage.compute(problem, tensors, outputs)
        except Exception as error:  # pylint: disable=broad-except
            if DEVICE != "cpu" and is_lost():
                raise convict.DeviceLost(str(error)) from error  # and with it this process: the next case has a new one
            return statuses.failed(error)
        return statuses.stored(tensors, results)


def is_lost():
    """Whether the device answers no more, because of an error that stays with the process."""
    try:
        return bool(jax.device_put(1.0).block_until_ready() != 1)
    except Exception:  # pylint: disable=broad-except
        return True


if __name__ == "__main__":
    if DEVICE != "cpu":
        try:
            jax.devices()
        except Exception:  # pylint: disable=broad-except  # an assertion, where the plugin of the device is missing
            sys.exit(f"JAX {jax.__version__} has no device {DEVICE} here; valid: cpu")
        jax.config.update("jax_default_matmul_precision", "highest")  # operands of f32 may become TF32 otherwise
    suffix = "" if DEVICE == "cpu" else "@" + DEVICE
    convict.serve([Target(name + suffix, *how) for name, how in PROGRAMS[PROGRAM].items()], jax.__version__)
