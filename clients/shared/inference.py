# SPDX-License-Identifier: Apache-2.0
"""What engines of inference have in common that compute in f32: forward problems, none of whose operands is empty."""
import numpy

import statuses

LOST_NAN = statuses.refused("ReLU is max(x, 0), where a NaN is lost")


def refusal(problem):
    if problem.pass_ != "forward":
        return "forward only"
    if problem.why_illegal():
        return "not a legal problem"
    if 0 in (problem.batch, problem.ic, problem.oc, *problem.in_):
        return "nothing is empty"
    return "no negative padding" if min(*problem.pad_begin, *problem.pad_end) < 0 else None


def operands(problem, arrays, outputs):
    """Copies by name, as f32. bf16 comes as its bits."""
    return {name: as_f32(array, problem.dtypes[name]) for name, array in arrays.items() if name not in outputs}


def as_f32(array, dtype):
    if dtype == "bf16":
        return (array.astype("uint32", order="C") << 16).view("float32")
    return numpy.array(array, "float32", order="C")


def loses_nan(problem, given):
    return problem.relu and not all(numpy.isfinite(one).all() for one in given.values())
