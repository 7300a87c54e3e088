#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MLIR as a process target (docs/process-targets.md): convolutions of its linalg and TOSA dialects, compiled by pass
pipelines that are different code, and run by mlir-runner. `make mlir` installs it.

    convict fuzz --target mlir

All six operations become one forward convolution, as compilers lower them: strides of a transposed one insert zeros,
and the gradient of the weights has the batch as channels (convict.forward). A batch is one module."""
import os
import pathlib
import re
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import convict
from convict import forward
from module import OPT, RUNTIME, VERSION, Module
from pipelines import PIPELINES


class Target:
    """A pipeline, for convict.serve."""

    def __init__(self, name, pipeline):
        self.name, self.pipeline, self.dialect = name, pipeline, pipeline.dialect

    def announcement(self):
        """The bound of a transform holds for what is transformed; the others sum in an order of their own."""
        contract = {"algorithm": "direct", "min_accumulator": "f32", "deterministic": True, **self.pipeline.contract}
        return {"name": self.name, "description": "MLIR, " + self.pipeline.description,
                "lineage": self.name.replace(":", "-"), "batch": 32, "stateless": True, "contract": contract}

    def refusal(self, problem):
        why = forward.refusal(problem, 1 << 24)
        if why:
            return why
        form = forward.form_of(problem)
        if form.crops_an_axis():
            return "crops the whole of an axis"
        return self.dialect.refusal(problem, form, self.pipeline)

    def run_all(self, calls):
        """The statuses. Where a module of several cannot be compiled, each gets one of its own."""
        module, taken, statuses = Module(self.pipeline), [], [{"status": "ok"} for _ in calls]
        for status, (problem, tensors, _) in zip(statuses, calls):
            form = forward.form_of(problem)
            operation = self.dialect.operation(problem, form, self.pipeline)
            weights = tensors[forward.PASSES[problem.op, problem.pass_][1][0]]
            if max(form.insert) > 1 and not operation.turns and not numpy.isfinite(weights).all():
                status.update(status="refused", error="zeros are inserted, which an infinite weight makes NaN")
                continue
            module.add(problem, form, operation, forward.operands(problem, tensors, form, operation))
            taken.append((problem, tensors, form))
        try:
            if taken:
                module.run()
        except convict.ToolFailed as error:
            return ([{"status": "failed", "error": str(error)}] if len(calls) == 1 else
                    [self.run_all([call])[0] for call in calls])
        for call, values in zip(taken, module.results()):
            forward.store(*call, values)
        return statuses


if __name__ == "__main__":
    if not os.path.exists(OPT) or not RUNTIME:
        sys.exit(f"mlir_client.py: MLIR {VERSION} is not installed; `make mlir` installs version 22")
    shown = convict.run_tool([OPT, "--version"]).decode()
    convict.serve([Target(*named) for named in PIPELINES.items()], re.search(r"version (\S+)", shown).group(1))
