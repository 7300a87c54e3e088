#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a process target (docs/process-targets.md): the ways to a convolution that are different code, each as an
implementation. `make torch` installs it.

    convict fuzz --target torch:eager,torch:native
    convict fuzz --target torch:eager@cuda

An argument is the device, `cpu` or `cuda`. Operands are views of the shared memory, with the strides that they have."""
import os
import pathlib
import sys
import warnings

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parents[1] / "python"), str(FOLDER.parent / "shared")]
os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"  # looks for a GPU without initializing it: this process is copied
import convict
import torch
from convict._device import why_lost

import lineages

DEVICE = sys.argv[1] if len(sys.argv) > 1 else "cpu"
NOT_ON_DEVICES = ("onednn", "fbgemm", "x86", "qnnpack")  # lineages of code for processors alone
NOT_HERE = ("not implemented for 'Half'", "not implemented for 'BFloat16'")  # found out only when a kernel is called


class Target:
    """A lineage, for convict.serve."""

    def __init__(self, name, lineage):
        self.name, self.lineage = name, lineage

    def announcement(self):
        one, is_cpu = self.lineage, DEVICE == "cpu"
        return {"name": self.name if is_cpu else f"{self.name}@{DEVICE}", "description": "PyTorch, " + one.description,
                "lineage": one.lineage if is_cpu else "aten-" + DEVICE, "batch": one.batch,
                "contract": {"algorithm": "direct", "min_accumulator": "f32", "deterministic": is_cpu,
                             **({"summation": "fixed_order"} if is_cpu else {}), **one.contract}}

    def refusal(self, problem):
        return self.lineage.refusal(problem)

    def run_all(self, calls):
        return [self.run(*call) for call in calls]

    def run(self, problem, arrays, outputs):
        """Computes and copies the results. Returns the status."""
        if torch.get_num_threads() != problem.threads:
            torch.set_num_threads(problem.threads)
        lineages.switch(self.lineage)
        tensors = {name: view(array, problem.dtypes[name]) for name, array in arrays.items()}
        try:
            results = self.lineage.compute(problem, {name: one.to(DEVICE) for name, one in tensors.items()})
            for name in outputs:
                got, wanted = tuple(results[name].shape), tuple(tensors[name].shape)
                if got != wanted:
                    return {"status": "wrong_shape", "error": f"PyTorch's {name} is {got} instead of {wanted}"}
                tensors[name].detach().copy_(results[name])
        except convict.Refused as why:
            return {"status": "refused", "error": str(why)}
        except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError) as error:
            if DEVICE != "cpu" and why_lost():
                raise convict.DeviceLost(str(error)) from error  # and with it this process: the next case has a new one
            return failure(error)
        return {"status": "ok"}


def view(array, dtype):
    tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if dtype == "bf16" else tensor


def failure(error):
    """The status for an exception of PyTorch, whose first line says what is wrong."""
    text = f"{type(error).__name__}: {error}".strip().splitlines()[0][:400]
    if any(words in text for words in NOT_HERE):
        return {"status": "refused", "error": "PyTorch has no kernel for this type here"}
    return {"status": "out_of_memory" if "DefaultCPUAllocator" in text else "failed", "error": text}


def offered():
    """The lineages that the device has. Ends the process if it is not there."""
    if DEVICE == "cpu":
        return lineages.LINEAGES
    if DEVICE != "cuda" or not torch.cuda.is_available():
        sys.exit(f"PyTorch {torch.__version__} has no device {DEVICE} here; valid: cpu")
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False  # operands of f32 would be rounded
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    lineages.ON_DEVICE = True
    return {name: one for name, one in lineages.LINEAGES.items() if one.lineage not in NOT_ON_DEVICES}


if __name__ == "__main__":
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # quantized tensors are deprecated
    convict.serve([Target(*named) for named in offered().items()], torch.__version__)
