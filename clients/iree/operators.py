# SPDX-License-Identifier: Apache-2.0
"""Problems as functions of the dialects that have operators of a framework: what is refused, the text, its operands, and
where results go."""
import math

import numpy

from compiler import MOST, text
from padding import frame_of


def vector(dims, kind):
    return f"!torch.vtensor<[{','.join(map(str, dims))}],{kind}>"


class Torch:
    """torch.aten.convolution, and torch.aten.convolution_backward for gradients."""

    kind = "torch"

    def refusal(self, problem):
        if problem.op == "conv" and any(problem.output_padding) or frame_of(problem).is_needed:
            return "one padding for both ends, not negative"
        return self.refusal_of_others(problem)

    def refusal_of_others(self, problem):
        if set(problem.dtypes.values()) not in ({"f32"}, {"f64"}):
            return "f32 and f64 only, not mixed"
        if min(problem.batch, problem.ic, problem.oc, *problem.in_) < 1:
            return "nothing empty"
        size = math.prod([problem.batch, problem.ic, problem.oc, *problem.kernel, *problem.in_, *problem.out])
        return "more than 2^22 multiply-adds" if size // problem.groups // max(min(
            math.prod(problem.in_), math.prod(problem.out)), 1) > MOST else None

    def refusal_of_data(self, problem, tensors):
        """Zeros are inserted into what plays the image of a transposed convolution, and of the gradient of one's data."""
        weights = tensors.get("diff_dst" if problem.pass_ == "backward_weights" else "wei")
        return max(problem.stride) > 1 and not numpy.isfinite(weights).all()

    def names(self, problem):
        if problem.pass_ == "forward":
            return ["src", "wei"] + ["bias"] * problem.bias
        return ["diff_dst", "src", "wei"]

    def operands(self, problem, tensors):
        given = {name: array for name, array in tensors.items() if name in self.names(problem)}
        return [numpy.ascontiguousarray(given[name]) if name in given else
                numpy.zeros(problem.dims["diff_" + name], next(iter(tensors.values())).dtype)
                for name in self.names(problem)]

    def store(self, problem, tensors, results):
        for name, result in zip(self.wanted(problem), results):
            tensors[name][...] = result

    def wanted(self, problem):
        named = {"forward": ["dst"], "backward_data": ["diff_src"], "backward_weights": ["diff_wei", "diff_bias"]}
        return [name for name in named[problem.pass_] if name in problem.dims]

    def types(self, problem, names):
        kind = next(iter(problem.dtypes.values()))
        return [vector(problem.dims[name if name in problem.dims else "diff_" + name], kind) for name in names]

    def function(self, problem):
        given, wanted = (self.types(problem, names) for names in (self.names(problem), self.wanted(problem)))
        frame = frame_of(problem)
        lists = {"s": problem.stride, "p": frame.padding, "d": problem.dilation, "o": frame.output_padding}
        lines = [f"%i{value} = torch.constant.int {value}" for value in
                 sorted({problem.groups, problem.oc, *(value for one in lists.values() for value in one)})]
        lines += ["%none = torch.constant.none", "%true = torch.constant.bool true", "%false = torch.constant.bool false"]
        if problem.pass_ != "forward":
            lists["z"] = [problem.oc]
        lines += [f"%{key} = torch.prim.ListConstruct {', '.join(f'%i{value}' for value in one)} : "
                  f"({', '.join(['!torch.int'] * len(one))}) -> !torch.list<int>" for key, one in lists.items()]
        turned, whole = "%true" if problem.op == "conv_transpose" else "%false", "!torch.list<int>"
        how = f"{whole}, {whole}, {whole}, !torch.bool, {whole}, !torch.int"
        result = wanted[0] if len(wanted) == 1 else f"({', '.join(wanted)})"
        if problem.pass_ == "forward":
            bias, kind = ("%a2", given[2]) if problem.bias else ("%none", "!torch.none")
            lines += [f"%r = torch.aten.convolution %a0, %a1, {bias}, %s, %p, %d, {turned}, %o, %i{problem.groups} : "
                      f"{given[0]}, {given[1]}, {kind}, {how} -> {result}", f"return %r : {result}"]
            return text(given, result, lines)
        mask = [problem.pass_ == "backward_data", problem.pass_ == "backward_weights", problem.bias]
        all_three = given[1:] + [vector([problem.oc], next(iter(problem.dtypes.values())))]
        flags = ", ".join("%true" if one else "%false" for one in mask)
        lines += [f"%m = torch.prim.ListConstruct {flags} : (!torch.bool, !torch.bool, !torch.bool) -> !torch.list<bool>",
                  f"%r:3 = torch.aten.convolution_backward %a0, %a1, %a2, %z, %s, %p, %d, {turned}, %o, "
                  f"%i{problem.groups}, %m : {', '.join(given)}, {whole}, {how}, !torch.list<bool> -> {', '.join(all_three)}",
                  f"return {', '.join(f'%r#{i}' for i in range(3) if mask[i])} : {', '.join(wanted)}"]
        return text(given, result, lines)


class Onnx(Torch):
    """onnx.Conv and onnx.ConvTranspose, as the importer of ONNX models writes them."""

    kind = "onnx"

    def refusal(self, problem):
        if problem.pass_ != "forward":
            return "no gradients in ONNX"
        if min(problem.pad_begin + problem.pad_end) < 0:
            return "no negative pads"
        return self.refusal_of_others(problem)

    def function(self, problem):
        given, (result,) = self.types(problem, self.names(problem)), self.types(problem, ["dst"])
        lists = {"kernel_shape": problem.kernel, "strides": problem.stride, "dilations": problem.dilation,
                 "pads": problem.pad_begin + problem.pad_end}
        if problem.op == "conv_transpose":
            lists["output_padding"] = problem.output_padding
        said = [f"torch.onnx.{key} = [{', '.join(f'{value} : si64' for value in one)}]" for key, one in lists.items()]
        operator = "Conv" if problem.op == "conv" else "ConvTranspose"
        inputs = ", ".join(f"%a{i}" for i in range(len(given)))
        return text(given, result, [
            f'%r = torch.operator "onnx.{operator}"({inputs}) {{torch.onnx.group = {problem.groups} : si64, '
            f'{", ".join(said)}}} : ({", ".join(given)}) -> {result}', f"return %r : {result}"],
            " attributes {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64}")
