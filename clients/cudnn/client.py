#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cuDNN as a process target (docs/gpu.md): each engine of its backend API is an implementation, with the contract that
follows from its notes. It needs numpy and cuDNN's libraries, which come with PyTorch for CUDA; CONVICT_CUDNN names
another folder that has them.

    convict fuzz --target cudnn:f32:forward

Arguments are a type and an operation of cuDNN. An error of the device ends this process, and the next one has the
device anew."""
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "python"))
os.environ.setdefault("CUDA_MODULE_LOADING", "LAZY")

import convict

import device
import engines
import graph
from library import Descriptor, Error, Library
from names import N

BATCH = 64


class Target:
    """An engine, for convict.serve."""

    def __init__(self, shared, dtype, operation, number, notes):
        self.shared, self.dtype, self.operation, self.number, self.notes = shared, dtype, operation, number, notes
        self.name = f"cudnn:{dtype}:{operation.name}:{number}"

    def announcement(self):
        said = ", ".join(["", *sorted(self.notes)]).lower().replace("_", " ")
        return {"name": self.name, "lineage": "cudnn", "batch": BATCH,
                "description": f"cuDNN, engine {self.number} of {self.operation.name} in {self.dtype}{said}",
                "contract": engines.contract_of(self.notes, self.dtype)}

    def refusal(self, problem):
        if problem.why_illegal():
            return "not a legal problem"
        operation, *operands = graph.OF_PASS[problem.op, problem.pass_]
        if operation is not self.operation:
            return "another operation of cuDNN"
        if any(problem.dtypes[name] != self.dtype for name in operands):
            return "types other than " + self.dtype
        if problem.bias or problem.beta or problem.relu:
            return "no bias, no sum and no ReLU: these are graphs of more operations"
        if 0 in (problem.batch, problem.ic, problem.oc, *problem.in_):
            return "nothing is empty"
        return "padding is not negative" if min(*problem.pad_begin, *problem.pad_end) < 0 else None

    def run_all(self, calls):
        """Operands travel at once, and the device is waited for once."""
        made = [self.planned(problem, arrays) for problem, arrays, _ in calls]
        good = [(*plan, arrays) for plan, (_, arrays, _) in zip(made, calls) if not isinstance(plan, dict)]
        size = sum(device.room_for(arrays[name]) for names, _, _, arrays in good for name in names)
        if not self.shared.device.begin(size, sum(padded(workspace) for _, _, workspace, _ in good)):
            return [{"status": "out_of_memory", "error": "cudaMalloc"}] * len(calls)
        operands = [[device.Operand(self.shared.device, arrays[name]) for name in names]
                    for names, _, _, arrays in good]
        self.shared.device.send()
        statuses = [self.begun(plan, workspace, own) for (_, plan, workspace, _), own in zip(good, operands)]
        self.shared.device.fetch()
        for own in operands:
            for one in own:  # inputs, too: it is told of if one was changed
                one.back()
        rest = iter(statuses)
        return [one if isinstance(one, dict) else next(rest) for one in made]

    def planned(self, problem, arrays):
        """A question with its plan and the size of the plan's workspace, or a status."""
        tensors = {name: tensor_of(array) for name, array in arrays.items()}
        question = graph.Question.of(problem, tensors)
        names = graph.OF_PASS[problem.op, problem.pass_][1:]
        try:
            return names, *self.shared.plans.plan(question, self.number, self.notes)
        except Error as why:
            return {"status": "refused" if why.is_refusal else "failed", "error": str(why)}

    def begun(self, plan, workspace, operands):
        """The status of a call that runs on the device while others are begun."""
        shared = self.shared
        space = shared.device.fill(shared.device.take(padded(workspace)), padded(workspace))
        pack = Descriptor(shared.library, N.BACKEND_VARIANT_PACK_DESCRIPTOR, [
            (N.ATTR_VARIANT_PACK_UNIQUE_IDS, N.TYPE_INT64, range(len(operands))),
            (N.ATTR_VARIANT_PACK_DATA_POINTERS, N.TYPE_VOID_PTR, [one.address for one in operands]),
            (N.ATTR_VARIANT_PACK_WORKSPACE, N.TYPE_VOID_PTR, space)])
        try:
            shared.library.execute(plan, pack)
        except Error as why:
            return {"status": "failed", "error": str(why)}
        return {"status": "ok"}


def padded(workspace):
    return -(-workspace // device.ZONE) * device.ZONE


def tensor_of(array):
    """Aligned as it is on the host, at most to what vectors of the device need."""
    strides = tuple(stride // array.itemsize for stride in array.strides)
    return graph.Tensor(array.shape, strides, min(16, array.ctypes.data & -array.ctypes.data))


class Shared:
    """What all engines use."""

    def __init__(self):
        self.device, self.library = device.Device(), Library()
        self.plans = graph.Plans(self.library)


def main(dtype="f32", name="forward"):
    if dtype not in graph.TYPES or name not in graph.OPERATIONS:
        sys.exit(f"'{dtype} {name}': valid: one of {', '.join(graph.TYPES)}, and one of {', '.join(graph.OPERATIONS)}")
    operation = graph.OPERATIONS[name]
    try:
        shared = Shared()
        found = engines.all_of(shared.library, dtype, operation)
    except (OSError, Error) as why:
        sys.exit(f"cuDNN cannot be used here: {why}")
    if not found:
        sys.exit(f"cuDNN {shared.library.version} has no engine for {name} in {dtype} on this device")
    targets = [Target(shared, dtype, operation, *engine) for engine in found.items()]
    convict.serve(targets, shared.library.version, forks=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
