# SPDX-License-Identifier: Apache-2.0
"""Problems through the importer of ONNX models (tvm.relax.frontend.onnx)."""
from tvm.relax.frontend.onnx import from_onnx

from operands import Operand, Recipe, common_refusal, letters
from relax_code import padding_refusal
import onnx_model


class Importer:
    """`padding` is what the model says of it: "numbers", "name" or "shape" (clients/shared/onnx_model.py)."""

    def __init__(self, padding):
        self.padding = padding

    def refusal(self, problem):
        wrong = common_refusal(problem) or onnx_model.refusal(problem, self.padding)
        if wrong or problem.dtypes["dst"] == "bf16":
            return wrong or "bf16 is summed in bf16"
        return None if self.padding == "shape" else padding_refusal(problem)

    def recipe(self, problem, _):
        inputs = [Operand(name, letters(problem, name), letters(problem, name))
                  for name in ("src", "wei", "bias") if name in problem.dims]
        output = Operand("dst", letters(problem, "dst"), letters(problem, "dst"))
        return Recipe(inputs, [output], lambda: from_onnx(onnx_model.model(problem, self.padding)))
