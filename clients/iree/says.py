# SPDX-License-Identifier: Apache-2.0
"""Problems as functions of each dialect: what is refused, the text, its operands, and where results go."""
import math
import re
from types import SimpleNamespace

import numpy

from convict import forward
from dialects import linalg, tensor_type, tosa
from padding import frame_of

MOST = 1 << 22  # multiply-adds of a problem


class Formed:
    """One forward convolution for each of the six operations."""

    kind = "none"

    def refusal_of_data(self, problem, tensors):
        """Zeros that are inserted between the elements of the image are multiplied."""
        weights = tensors[forward.PASSES[problem.op, problem.pass_][1][0]]
        return max(forward.form_of(problem).insert) > 1 and not numpy.isfinite(weights).all()

    def operands(self, problem, tensors):
        form = forward.form_of(problem)
        return forward.operands(problem, tensors, form, self.operation(problem, form))

    def store(self, problem, tensors, results):
        forward.store(problem, tensors, forward.form_of(problem), results[0])

    def function(self, name, problem):
        form, kind = forward.form_of(problem), next(iter(problem.dtypes.values()))
        operation = self.operation(problem, form)
        shapes = [form.shape(operation.image, form.image), form.shape(operation.filter, form.kernel),
                  *([form.shape(operation.bias)] if form.bias else []), form.shape(operation.result, form.out)]
        *parameters, result = [tensor_type(shape, kind) for shape in shapes]
        return text(name, parameters, result, self.body(problem, form, operation, shapes, kind))


def text(name, parameters, result, lines, attributes=""):
    head = ", ".join(f"%a{i}: {one}" for i, one in enumerate(parameters))
    return f"func.func @{name}({head}) -> {result}{attributes} {{\n  " + "\n  ".join(lines) + "\n}"


class Linalg(Formed):
    """As the client of MLIR says it."""

    dialect = linalg

    def __init__(self, dense_3x3=False):
        self.pipeline = SimpleNamespace(transform=0, plain_2d=dense_3x3, dense=dense_3x3, longest_vector=0)

    def refusal(self, problem):
        why = forward.refusal(problem, MOST)
        if why:
            return why
        form = forward.form_of(problem)
        if form.crops_an_axis():
            return "crops the whole of an axis"
        if self.pipeline.dense and (form.kernel != [3, 3] or max(form.stride) > 1 or problem.dtypes["wei"] != "f32"
                                    if "wei" in problem.dtypes else True):
            return "3x3 with stride 1 in f32 only, no gradients of the weights"
        return self.dialect.refusal(problem, form, self.pipeline)

    def operation(self, problem, form):
        return self.dialect.operation(problem, form, self.pipeline)

    def body(self, *how):
        return self.dialect.body(*how)


class Tosa(Linalg):
    dialect, kind = tosa, "tosa"

    def refusal_of_data(self, problem, tensors):
        return False

    def body(self, *how):
        """Operations in the generic form, which is the same in all versions of TOSA."""
        return [re.sub(r"tosa\.(conv\w+|\w+_conv\w+) (.*) \{(.*)\} :", r'"tosa.\1"(\2) <{\3}> :', line)
                for line in super().body(*how)]


class StableHlo(Formed):
    """stablehlo.convolution, whose attributes have all of a form."""

    kind = "stablehlo"

    def __init__(self, channels_last=True):
        self.last = channels_last
        self.said = forward.Operation("convolution", *(("nSgc", "Scgf") if channels_last else ("ngcS", "gfcS")), "nSF")

    def refusal(self, problem):
        return forward.refusal(problem, MOST)

    def operation(self, *_):
        return self.said

    def body(self, _, form, here, shapes, kind):
        spatial = ", ".join(str(axis) for axis in range(len(form.out)))
        n, c, f, k = [form.n], [form.g * form.c], [form.g * form.f], [form.c]
        if self.last:
            numbers = f"[b, {spatial}, f]x[{spatial}, i, o]->[b, {spatial}, f]"
            image, filters, result = n + form.image + c, form.kernel + k + f, n + form.out + f
        else:
            numbers = f"[b, f, {spatial}]x[o, i, {spatial}]->[b, f, {spatial}]"
            image, filters, result = n + c + form.image, f + k + form.kernel, n + f + form.out
        image, filters, result, last = (tensor_type(one, kind) for one in (image, filters, result, shapes[-1]))
        given = [tensor_type(shape, kind) for shape in shapes]
        lines = [f"%i = stablehlo.reshape %a0 : ({given[0]}) -> {image}",
                 f"%w = stablehlo.reshape %a1 : ({given[1]}) -> {filters}",
                 f"%d = stablehlo.convolution(%i, %w) dim_numbers = {numbers}, window = {{stride = {form.stride}, pad = "
                 f"{[list(pads) for pads in zip(form.low, form.high())]}, lhs_dilate = {form.insert}, rhs_dilate = "
                 f"{form.dilation}}} {{batch_group_count = 1 : i64, feature_group_count = {form.g} : i64}} : "
                 f"({image}, {filters}) -> {result}", "%l = " + self.turned("%d", result, last, len(form.out))]
        if not form.bias:
            return [*lines, f"return %l : {last}"]
        return [*lines, f"%b = stablehlo.broadcast_in_dim %a2, dims = [{len(shapes[-1]) - 1}] : ({given[2]}) -> {last}",
                f"%s = stablehlo.add %l, %b : {last}", f"return %s : {last}"]

    def turned(self, name, kind, last, rank):
        if self.last:
            return f"stablehlo.reshape {name} : ({kind}) -> {last}"
        return f"stablehlo.transpose {name}, dims = {[0, *range(2, rank + 2), 1]} : ({kind}) -> {last}"


def vector(dims, kind):
    return f"!torch.vtensor<[{','.join(map(str, dims))}],{kind}>"


class Torch:
    """torch.aten.convolution, and torch.aten.convolution_backward for gradients."""

    kind = "torch"

    def refusal(self, problem):
        if set(problem.dtypes.values()) not in ({"f32"}, {"f64"}):
            return "f32 and f64 only, not mixed"
        if problem.op == "conv" and any(problem.output_padding) or frame_of(problem).is_needed:
            return "one padding for both ends, not negative"
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

    def function(self, name, problem):
        given, wanted = (self.types(problem, names) for names in (self.names(problem), self.wanted(problem)))
        lists = {"s": problem.stride, "p": frame_of(problem).padding, "d": problem.dilation, "o": problem.output_padding}
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
            return text(name, given, result, lines)
        mask = [problem.pass_ == "backward_data", problem.pass_ == "backward_weights", problem.bias]
        all_three = given[1:] + [vector([problem.oc], next(iter(problem.dtypes.values())))]
        flags = ", ".join("%true" if one else "%false" for one in mask)
        lines += [f"%m = torch.prim.ListConstruct {flags} : (!torch.bool, !torch.bool, !torch.bool) -> !torch.list<bool>",
                  f"%r:3 = torch.aten.convolution_backward %a0, %a1, %a2, %z, %s, %p, %d, {turned}, %o, "
                  f"%i{problem.groups}, %m : {', '.join(given)}, {whole}, {how}, !torch.list<bool> -> {', '.join(all_three)}",
                  f"return {', '.join(f'%r#{i}' for i in range(3) if mask[i])} : {', '.join(wanted)}"]
        return text(name, given, result, lines)


class Onnx(Torch):
    """onnx.Conv and onnx.ConvTranspose, as the importer of ONNX models writes them."""

    kind = "onnx"

    def refusal(self, problem):
        if problem.pass_ != "forward":
            return "no gradients in ONNX"
        if min(problem.pad_begin + problem.pad_end) < 0:
            return "no negative pads"
        why = super().refusal(problem)
        return None if why == "one padding for both ends, not negative" else why

    def function(self, name, problem):
        given, (result,) = self.types(problem, self.names(problem)), self.types(problem, ["dst"])
        lists = {"kernel_shape": problem.kernel, "strides": problem.stride, "dilations": problem.dilation,
                 "pads": problem.pad_begin + problem.pad_end}
        if problem.op == "conv_transpose":
            lists["output_padding"] = problem.output_padding
        said = [f"torch.onnx.{key} = [{', '.join(f'{value} : si64' for value in one)}]" for key, one in lists.items()]
        operator = "Conv" if problem.op == "conv" else "ConvTranspose"
        inputs = ", ".join(f"%a{i}" for i in range(len(given)))
        return text(name, given, result, [
            f'%r = torch.operator "onnx.{operator}"({inputs}) {{torch.onnx.group = {problem.groups} : si64, '
            f'{", ".join(said)}}} : ({", ".join(given)}) -> {result}', f"return %r : {result}"],
            " attributes {torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64}")
