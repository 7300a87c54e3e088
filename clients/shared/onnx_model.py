# SPDX-License-Identifier: Apache-2.0
"""ONNX models of one node, Conv or ConvTranspose, with every attribute of the operators (onnx.ai/onnx/operators).

What a model leaves open, or says otherwise than a problem, is refused: who cannot say a padding by name gets it by
numbers, and the other way around."""
from onnx import TensorProto, helper, numpy_helper

TYPES = {"f64": TensorProto.DOUBLE, "f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16, "bf16": TensorProto.BFLOAT16}
NAMES = {"same_upper": "SAME_UPPER", "same_lower": "SAME_LOWER", "valid": "VALID"}


def refusal(problem, padding="numbers"):
    """Why there is no such model. `padding` is "numbers" (pads, output_padding), "name" (auto_pad) or "shape"
    (output_shape, from which ConvTranspose derives its padding)."""
    if problem.pass_ != "forward":
        return "no gradients in ONNX"
    if len(set(problem.dtypes.values())) != 1 or problem.dtypes["dst"] not in TYPES:
        return "Conv: floating-point operands of one type"
    if padding == "name":
        return _name_refusal(problem)
    if padding == "shape":
        return _shape_refusal(problem)
    return "Conv: no negative pads" if min(*problem.pad_begin, *problem.pad_end) < 0 else None


def _name_refusal(problem):
    if problem.padding == "explicit":
        return "the padding has no name"
    if problem.op == "conv" or problem.padding == "valid":
        return None
    # total_padding of the page of ConvTranspose is negative then: it does not say which end is longer.
    windows = [d * (k - 1) + 1 for d, k in zip(problem.dilation, problem.kernel)]
    return "a negative total_padding" if any(w < s for w, s in zip(windows, problem.stride)) else None


def _shape_refusal(problem):
    if problem.op == "conv":
        return "no output_shape of Conv"
    for axis in range(problem.rank):
        total = problem.pad_begin[axis] + problem.pad_end[axis] - problem.output_padding[axis]
        # "Else: pads[start_i] = total_padding[i] - (total_padding[i]/2)", without auto_pad
        if total < 0 or problem.pad_begin[axis] != total - total // 2:
            return "not the padding that follows from output_shape"
    return None


def attributes(problem, padding="numbers"):
    """As a dictionary. `kernel_shape` may be inferred from the weights, and is given all the same."""
    named = {"kernel_shape": problem.kernel, "strides": problem.stride, "dilations": problem.dilation,
             "group": problem.groups}
    if padding == "shape":
        return {**named, "output_shape": problem.out}
    if problem.op == "conv_transpose":
        named["output_padding"] = problem.output_padding  # with SAME: 0, for what is not refused
    if padding == "name":
        return {**named, "auto_pad": NAMES[problem.padding]}
    return {**named, "pads": [*problem.pad_begin, *problem.pad_end]}


def model(problem, padding="numbers", opset=22):
    """Inputs are src, wei and, if any, bias; the output is dst."""
    kind, names = TYPES[problem.dtypes["dst"]], ["src", "wei", *(["bias"] if problem.bias else [])]
    described = {name: helper.make_tensor_value_info(name, kind, problem.dims[name]) for name in [*names, "dst"]}
    node = helper.make_node("Conv" if problem.op == "conv" else "ConvTranspose", names, ["dst"], name="node",
                            **attributes(problem, padding))
    graph = helper.make_graph([node], "problem", [described[name] for name in names], [described["dst"]])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8 if opset <= 17 else 10  # those that came with opsets 17 and 21
    return made


def fix(made, arrays):
    """Makes constants of these inputs of a model."""
    open_inputs = [one for one in made.graph.input if one.name not in arrays]
    del made.graph.input[:]
    made.graph.input.extend(open_inputs)
    made.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in arrays.items())


def add_relu(made, name="relu"):
    """Behind the one node of a model."""
    made.graph.node[0].output[0] = "sum"
    made.graph.node.append(helper.make_node("Relu", ["sum"], ["dst"], name=name))
