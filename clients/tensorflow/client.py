#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TensorFlow as a process target (docs/process-targets.md): the ways to a convolution that are different code, each as
an implementation. `make tensorflow` installs it.

    convict fuzz --target tf:eager,tf:eager:eigen

With the argument `eigen`, oneDNN is off, which a process cannot change later. Operands are copied into tensors of the
order that an implementation has, and back."""
import os
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
BY_EIGEN = "eigen" in sys.argv[1:]
os.environ.update(TF_ENABLE_ONEDNN_OPTS="0" if BY_EIGEN else "1", CUDA_VISIBLE_DEVICES="-1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import convict
import ml_dtypes
import numpy
import tensorflow as tf

import layouts
import lineages

UNSUPPORTED = ("not yet support", "not supported on CPU", "only supports")  # found out only by a kernel
# Kernels run with denormals flushed: ScopedFlushDenormal in core/common_runtime/process_util.cc and direct_session.cc.
CONTRACT = {"algorithm": "direct", "min_accumulator": "f32", "summation": "fixed_order", "deterministic": True,
            "flushes_subnormals": True}


class Target:
    """A lineage, for convict.serve."""

    def __init__(self, name, lineage):
        self.name, self.lineage = f"tf:{name}" + (":eigen" if BY_EIGEN else ""), lineage
        self.orders = ("nSc" if lineage.order == "NHWC" else "ncS"), "Sio"

    def announcement(self):
        library = "tensorflow-eigen" if BY_EIGEN else "tensorflow-eigen+onednn"
        return {"name": self.name, "description": "TensorFlow, " + self.lineage.description +
                ("" if BY_EIGEN else ", with oneDNN"), "lineage": library + self.lineage.lineage, "batch": 32,
                "contract": {**CONTRACT, **self.lineage.contract}}

    def refusal(self, problem):
        return self.lineage.refusal(problem)

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, arrays, outputs):
        """Computes and copies the results. Returns the status."""
        views = {name: self.view(name, array, problem.dtypes[name]) for name, array in arrays.items()}
        try:
            if problem.pass_ == "forward":
                views.pop("dst")
            # tf.zeros takes seven times as long as a constant.
            tensors = {name: tf.constant(numpy.zeros(one.shape, one.dtype) if name in outputs else one)
                       for name, one in views.items()}
            results = self.lineage.compute(problem, tensors)
            for name in outputs:
                result, to = results[name].numpy(), self.view(name, arrays[name], problem.dtypes[name])
                if result.shape != to.shape:
                    text = f"TensorFlow's {name} is {result.shape} instead of {to.shape}"
                    return {"status": "wrong_shape", "error": text}
                to[...] = result
        except (tf.errors.OpError, ValueError, TypeError) as error:
            return failure(error)
        return {"status": "ok"}

    def view(self, name, array, kind):
        """The operand in TensorFlow's order."""
        array = array.view(ml_dtypes.bfloat16) if kind == "bf16" else array
        order = layouts.order_of(name, *self.orders)
        return layouts.moved(array, *order) if order else array


def failure(error):
    """The status for an exception of TensorFlow."""
    words_alone = re.sub(r"\{\{.*?\}\}|\[\[.*?\]\]", "", str(error)).split()
    text = re.split(r"\w+Error: ", " ".join(words_alone))[-1][:400]  # of a graph, behind where it was made
    if isinstance(error, tf.errors.UnimplementedError) or any(words in text for words in UNSUPPORTED):
        return {"status": "refused", "error": text}
    kind = "out_of_memory" if isinstance(error, tf.errors.ResourceExhaustedError) else "failed"
    return {"status": kind, "error": f"{type(error).__name__}: {text}"}


if __name__ == "__main__":
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    left_out = ("nchw", "xla") if BY_EIGEN else ()  # Eigen has no channels first, and XLA does not call it
    names = [name for name in lineages.LINEAGES if name not in left_out]
    convict.serve([Target(name, lineages.LINEAGES[name]) for name in names], tf.__version__)
