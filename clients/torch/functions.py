# SPDX-License-Identifier: Apache-2.0
"""A problem as calls of PyTorch: torch.nn.functional forward, aten::convolution_backward for gradients, which is what
autograd calls, and autograd itself."""
import torch
import torch.fx.experimental.symbolic_shapes  # a second, which the first autograd would take in each copy
import torch.nn.functional as F

from padding import Frame, frame_of, why_not_framed

TYPES = {"f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16}
FUNCTIONS = {("conv", 1): F.conv1d, ("conv", 2): F.conv2d, ("conv", 3): F.conv3d,
             ("conv_transpose", 1): F.conv_transpose1d, ("conv_transpose", 2): F.conv_transpose2d,
             ("conv_transpose", 3): F.conv_transpose3d}
# What each pass is given for src, wei and bias, and what it computes. A gradient stands for the operand that it is the
# gradient of, which is wanted for its extents.
GIVEN = {"forward": ("src", "wei", "bias"), "backward_data": ("diff_src", "wei", "bias"),
         "backward_weights": ("src", "diff_wei", "diff_bias")}
COMPUTED = {"forward": ("dst",), "backward_data": ("diff_src",), "backward_weights": ("diff_wei", "diff_bias")}


def refusal(problem, types=tuple(TYPES)):
    """What the functions have no argument for, or say that they do not take (check_shape_forward() and
    _select_conv_backend() in ATen/native/Convolution.cpp). Other problems that are not legal are put to them."""
    kinds = set(problem.dtypes.values())
    if len(kinds) > 1 or not kinds <= set(types):
        return "all operands are of one type of " + ", ".join(types)
    if problem.op == "conv" and any(problem.output_padding):
        return "a convolution has no output padding"
    if problem.oc == 0 or problem.ic == 0 and problem.op == "conv_transpose":
        return "weights have at least one channel"
    frame = frame_of(problem)
    if min(problem.in_) == 0 and min(problem.batch, problem.ic) > 0 and not frame.is_needed:
        return "only batches and channels may be empty"
    return why_not_framed(problem, frame)


def padding_of(problem, frame: Frame):
    """Numbers, or a name where it was asked for so: "same" puts the odd one at the end, and takes no stride. Behind it:
    whether zeros have to be put around the image."""
    if problem.padding == "same_upper" and set(problem.stride) == {1}:
        return "same", False
    return "valid" if problem.padding == "valid" else frame.padding, frame.is_needed


def convolve(problem, src, wei, bias):
    """The forward operation. It can be differentiated."""
    function, frame = FUNCTIONS[problem.op, problem.rank], frame_of(problem)
    if problem.op == "conv":
        padding, framed = padding_of(problem, frame)
        src = F.pad(src, frame.pairs()) if framed else src
        return function(src, wei, bias, problem.stride, padding, problem.dilation, problem.groups)
    dst = function(src, wei, bias, stride=problem.stride, padding=frame.padding, output_padding=frame.output_padding,
                   groups=problem.groups, dilation=problem.dilation)
    return F.pad(dst, frame.pairs()) if frame.is_needed else dst


def gradients(problem, diff_dst, src, wei, bias):
    """Those of src, weights and bias, as far as the pass wants them."""
    frame, is_conv, data = frame_of(problem), problem.op == "conv", problem.pass_ == "backward_data"
    if frame.is_needed and is_conv:
        src = F.pad(src, frame.pairs())
    elif frame.is_needed:
        diff_dst = F.pad(diff_dst, [-pad for pad in frame.pairs()])
    wanted = [data, not data, bias is not None and not data]
    diff_src, *others = torch.ops.aten.convolution_backward(
        diff_dst, src, wei, [problem.oc] if wanted[2] else None, problem.stride, frame.padding, problem.dilation,
        not is_conv, frame.output_padding, problem.groups, wanted)
    if not data:
        return others
    return [F.pad(diff_src, [-pad for pad in frame.pairs()]) if frame.is_needed and is_conv else diff_src]


def compute(problem, tensors):
    """The outputs by name."""
    given = [tensors.get(name) for name in GIVEN[problem.pass_]]
    with torch.no_grad():
        results = ([convolve(problem, *given)] if problem.pass_ == "forward" else
                   gradients(problem, tensors["diff_dst"], *given))
    return {name: one for name, one in zip(COMPUTED[problem.pass_], results) if name in tensors}


def differentiate(problem, tensors):
    """The outputs of a backward pass by autograd."""
    names = [name for name in COMPUTED[problem.pass_] if name in tensors]
    wanted = [tensors[name].requires_grad_() for name in names]
    dst = convolve(problem, *[tensors.get(name) for name in GIVEN[problem.pass_]])
    return dict(zip(names, torch.autograd.grad(dst, wanted, tensors["diff_dst"])))


def library_gradients(problem, tensors):
    """By torch.nn.grad, whose functions take extents instead of placeholders."""
    arguments = problem.stride, problem.pad_begin, problem.dilation, problem.groups
    if problem.pass_ == "backward_data":
        function = getattr(torch.nn.grad, f"conv{problem.rank}d_input")
        return {"diff_src": function(tensors["diff_src"].shape, tensors["wei"], tensors["diff_dst"], *arguments)}
    function = getattr(torch.nn.grad, f"conv{problem.rank}d_weight")
    return {"diff_wei": function(tensors["src"], tensors["diff_wei"].shape, tensors["diff_dst"], *arguments)}


def library_gradients_refusal(problem):
    if problem.op != "conv" or problem.pass_ == "forward":
        return "torch.nn.grad has gradients of convolutions only"
    if problem.bias or frame_of(problem).is_needed:
        return "torch.nn.grad has no bias, and one padding for both ends"
    return refusal(problem)


def channels_last(problem, tensors):
    """Images and weights have their channels innermost."""
    layout = torch.channels_last if problem.rank == 2 else torch.channels_last_3d
    return compute(problem, {name: one.contiguous(memory_format=layout) if one.dim() > 1 else one
                             for name, one in tensors.items()})
