# SPDX-License-Identifier: Apache-2.0
"""Programs of ExecuTorch: one operator, by the classes of its schema; or models, many in one: an export takes long."""
import torch
import torch.nn.functional as F
from executorch.exir import schema
from executorch.exir._serialize._program import PTEFile, serialize_pte_binary
from executorch.exir.tensor import scalar_type_enum

from padding import frame_of

LAST, FIRST, S8 = torch.channels_last, torch.contiguous_format, (-128, 127, torch.int8)
quantized = torch.ops.quantized_decomposed


def view(array, dtype):
    tensor = torch.from_numpy(array)
    return tensor.view(torch.bfloat16) if dtype == "bf16" else tensor


def is_last(array):
    """Whether it lies as channels_last, and not as contiguous."""
    return array.ndim == 4 and array.transpose(0, 2, 3, 1).flags.c_contiguous and not array.flags.c_contiguous


def operands(problem, arrays, layout):
    """Those of a model, or why there are none. Weights that lie as channels_last stay so: the model was converted."""
    tensors = {name: view(arrays[name], problem.dtypes[name]) for name in arrays if name != "dst"}
    if problem.relu and not all(torch.isfinite(one).all() for one in tensors.values()):
        return "no document says what an activation makes of NaN"
    wei = tensors["wei"]
    tensors["wei"] = wei.clone(memory_format=LAST if is_last(arrays["wei"]) else FIRST)
    if wei.dtype == torch.int8:
        scale = tensors.get("scale", torch.ones(1))
        steps = tensors.get("bias", scale).double() / scale
        if not (steps == steps.round()).all() or steps.abs().max() >= 2 ** 31:
            return "a bias is a whole multiple of its scale"
        tensors |= {"src": tensors["src"].float() - problem.src_zero_point, "zeros": torch.zeros(len(scale)).long(),
                    "scale": scale.contiguous() if len(scale) > 1 else scale.item()}
    return {**tensors, "src": tensors["src"].clone(memory_format=layout)}


def operator(problem, arrays):
    """A program of aten::convolution or aten::convolution_backward, and its inputs."""
    tensors = {name: view(array, problem.dtypes[name]).clone(memory_format=FIRST) for name, array in arrays.items()}
    values, is_forward = [], problem.pass_ == "forward"
    room = 16 + max(one.numel() * 8 for one in tensors.values()) // 16 * 16  # of a result

    def add(value):
        values.append(schema.EValue(value))
        return len(values) - 1

    def numbers(items):
        return add(schema.IntList([add(schema.Int(item)) for item in items]))

    def tensor(one, place=None):
        return add(schema.Tensor(scalar_type_enum(one.dtype), 0, list(one.shape), list(range(one.dim())), False, 0, 0,
                                 place, schema.TensorShapeDynamism.STATIC))

    names = ["src", "wei", "bias"] if is_forward else ["diff_dst", "src", "wei"]
    given = [tensors.get(name, tensors.get("diff_" + name)) for name in names]
    names = ["dst"] if is_forward else ["diff_src", "diff_wei", "diff_bias"]
    arguments = [add(schema.Null()) if one is None else tensor(one) for one in given]
    inputs = [slot for slot, one in zip(arguments, given) if one is not None]
    if not is_forward:
        arguments.append(numbers([problem.oc]) if "diff_bias" in tensors else add(schema.Null()))
    arguments += [numbers(items) for items in (problem.stride, problem.pad_begin, problem.dilation)]
    arguments += [add(schema.Bool(problem.op == "conv_transpose")), numbers(problem.output_padding),
                  add(schema.Int(problem.groups))]
    arguments += [] if is_forward else [add(schema.BoolList([name in tensors for name in names]))]
    places = [schema.AllocationDetails(1, at * room, 0) for at in range(len(names))]
    slots = [tensor(tensors.get(name, given[0]), place) for name, place in zip(names, places)]
    call = schema.KernelCall(0, [*arguments, *slots, slots[0] if is_forward else add(schema.TensorList(slots))])
    results = [slot for slot, name in zip(slots, names) if name in tensors]
    kernel = schema.Operator("aten::convolution" + ("" if is_forward else "_backward"), "out")
    plan = schema.ExecutionPlan("forward", schema.ContainerMetadata("", ""), values, inputs, results, [
        schema.Chain([], [], [schema.Instruction(call)], None)], [kernel], [], [0, 3 * room])
    program = schema.Program(0, [plan], [schema.Buffer(b"")], [], [], schema.SubsegmentOffsets(0, []))
    return bytes(serialize_pte_binary(PTEFile(program=program))), [one for one in given if one is not None]


class Models(torch.nn.Module):
    """Problems with their constants, quantized ones as PT2E leaves them. Padding that differs at both ends is a PAD."""

    def __init__(self, calls):
        super().__init__()
        self.calls = calls
        for at, (_, tensors) in enumerate(calls):
            for name, one in tensors.items():
                if name != "src" and isinstance(one, torch.Tensor):
                    self.register_buffer(f"{name}{at}", one.contiguous() if one.dim() == 1 else one)

    def forward(self, *images):
        return tuple(self.result(at, image, *self.calls[at]) for at, image in enumerate(images))

    def result(self, at, image, problem, tensors):
        wei, bias, scales, zeros = (getattr(self, f"{name}{at}", None) for name in ("wei", "bias", "scale", "zeros"))
        before, after = (1.0, problem.src_zero_point, *S8), (1.0, problem.dst_zero_point, *S8)
        is_s8, is_conv, frame = wei.dtype == torch.int8, problem.op == "conv", frame_of(problem)
        if is_s8:
            image = quantized.dequantize_per_tensor(quantized.quantize_per_tensor(image, *before), *before)
            wei = (quantized.dequantize_per_tensor(wei, tensors["scale"], 0, *S8) if scales is None else
                   quantized.dequantize_per_channel(wei, scales, zeros, int(not is_conv), *S8))
        image = F.pad(image, frame.pairs()) if frame.is_needed and is_conv else image
        how = dict(stride=problem.stride, padding=frame.padding, dilation=problem.dilation, groups=problem.groups)
        more = {} if is_conv else {"output_padding": frame.output_padding}
        dst = getattr(F, f"{problem.op}{problem.rank}d")(image, wei, bias, **how, **more)
        dst = F.relu(dst) if problem.relu else dst
        return quantized.dequantize_per_tensor(quantized.quantize_per_tensor(dst, *after), *after) if is_s8 else dst
