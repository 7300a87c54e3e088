# SPDX-License-Identifier: Apache-2.0
"""The ways to a convolution that are different code. Whether TensorFlow calls oneDNN is settled when it is imported."""
from dataclasses import dataclass, field
from typing import Callable

import tensorflow as tf

import functions
import raw

MOST_KEPT = 500
compiled = {}  # functions, by problem and how they were compiled


@dataclass(frozen=True)
class Lineage:
    """What `refusal` takes, `compute` computes: a problem and tensors give the outputs by name."""

    description: str
    compute: Callable
    refusal: Callable = functions.refusal
    lineage: str = ""  # behind that of the library
    order: str = "NHWC"
    contract: dict = field(default_factory=dict)


def channels_first(problem, tensors):
    return functions.compute(problem, tensors, lambda *given: functions.convolve(*given, order="NCHW"))


def channels_first_refusal(problem):
    if not functions.HAS_ONEDNN or "f64" in problem.dtypes.values():
        return "channels are first by oneDNN only, which has no f64"
    is_gradient = problem.op == "conv_transpose" or problem.pass_ != "forward"
    if is_gradient and problem.rank == 2 and functions.padding_of(problem) not in ("SAME", "VALID"):
        return "no gradient of explicit padding"
    return functions.refusal(problem)


def as_function(jit_compile):
    """As tf.function. One for each problem, for all data, relations and repeats of it."""
    def compute(problem, tensors):
        key = (repr(problem), jit_compile)
        if len(compiled) >= MOST_KEPT:
            compiled.clear()
        if key not in compiled:
            compiled[key] = tf.function(lambda given: functions.compute(problem, given), jit_compile=jit_compile)
        return compiled[key](tensors)
    return compute


def xla_refusal(problem):
    return functions.refusal(problem, compiled=True)


def in_16_bits(kind):
    """Sums may be rounded to the type: Eigen's matrices are of one type, and a bias is added to a result."""
    return Lineage(f"tf.nn in {kind}", functions.compute, lambda problem: functions.refusal(problem, types=(kind,)),
                   contract={"min_accumulator": kind})


FUSES = {"fuses_relu": True}
LINEAGES = {
    "eager": Lineage("tf.nn, channels last, gradients by GradientTape", functions.compute),
    "nchw": Lineage("tf.nn, channels first", channels_first, channels_first_refusal, order="NCHW"),
    "raw": Lineage("gradients by raw operations", raw.gradients, raw.gradients_refusal),
    "depthwise": Lineage("tf.nn.depthwise_conv2d", raw.depthwise_compute, raw.depthwise_refusal, "+depthwise"),
    "graph": Lineage("tf.function, where Grappler fuses bias and ReLU", as_function(False), contract=FUSES),
    "bf16": in_16_bits("bf16"),
    "f16": in_16_bits("f16"),
    "xla": Lineage("tf.function compiled by XLA", as_function(True), xla_refusal, "+xla", contract=FUSES),
}
