# SPDX-License-Identifier: Apache-2.0
"""A problem as the text of a net of one layer. The numbers of parameters are those of load_param() of each layer; axes
are w, h, d there."""
BEGIN, END = ("4", "14", "24"), ("15", "16", "17")


def kind(problem):
    """The type of the layer."""
    return "".join(("Convolution" if problem.op == "conv" else "Deconvolution",
                    "DepthWise" if problem.groups > 1 else "", {1: "1D", 2: "", 3: "3D"}[problem.rank]))


def parameters(problem, count, pads):
    named = {"0": problem.oc, "5": int(problem.bias), "6": count, "9": int(problem.relu)}
    if problem.groups > 1:
        named["7"] = problem.groups
    axes = [list(reversed(values)) for values in (problem.kernel, problem.dilation, problem.stride)]
    for axis in range(problem.rank):
        for first, values in zip((1, 2, 3), axes):
            named[str(first + 10 * axis)] = values[axis]
    return {**named, **pads}


def padding(problem):
    pads = dict(zip((*BEGIN[:problem.rank], *END[:problem.rank]),
                    (*reversed(problem.pad_begin), *reversed(problem.pad_end))))
    return pads if problem.op == "conv" else {**pads, **dict(zip(("18", "19", "20"), reversed(problem.output_padding)))}


def text_of(problem, named, inputs=()):
    names = ("src", *inputs)
    lines = ["7767517", f"{1 + len(names)} {1 + len(names)}", *(f"Input {name} 0 1 {name}" for name in names),
             f"{kind(problem)} layer {len(names)} 1 {' '.join(names)} dst "
             + " ".join(f"{name}={value}" for name, value in named.items())]
    return "\n".join(lines) + "\n"


def weights(problem, array):
    """Those of a deconvolution have the output channels of a group before the input channels."""
    if problem.op == "conv":
        return array
    return array.reshape(problem.groups, -1, *array.shape[1:]).swapaxes(1, 2)
