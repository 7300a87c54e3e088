# SPDX-License-Identifier: Apache-2.0
"""Which engines cuDNN has for a type, asked with some problems, and their contracts."""
import itertools
import sys

from graph import Question, Tensor, engine_of
from library import Error, notes_of
from names import N

MOST = 60  # implementations, of the 64 of a campaign
# The header says "output tiles", older documents "tiles": the larger of both readings, whose bound is the weaker one.
TILES = {"WINOGRAD_TILE_4x4": (4, 3), "WINOGRAD_TILE_6x6": (6, 3), "WINOGRAD_TILE_13x13": (9, 5)}


def dense(dims, channels_last):
    order = [0, *range(2, len(dims)), 1] if channels_last else range(len(dims))
    strides, step = [0] * len(dims), 1
    for axis in reversed(list(order)):
        strides[axis], step = step, step * dims[axis]
    return Tensor(tuple(dims), tuple(strides), 16)


def examples(operation, dtype):
    """Problems that differ in what an engine may need."""
    for rank, kernel, groups, channels_last in itertools.product((2, 3), (1, 3, 5), (1, 8), (False, True)):
        pad = kernel // 2
        x, y = [2, 64, *[16] * rank], [2, 64, *[16] * rank]
        w = [64, 64 // groups, *[kernel] * rank]
        yield Question(operation, dtype, tuple(dense(dims, channels_last) for dims in (x, w, y)),
                       ((1,) * rank, (1,) * rank, (pad,) * rank, (pad,) * rank))


def all_of(library, dtype, operation):
    """The notes of each engine that takes one of the examples, by its number. Left out are those whose arithmetic is
    nowhere described: inputs of f32 in some narrower type, and sums of f32 and f64 in one."""
    found, unknown = {}, {"f32": {"DOWN_CONVERT_INPUTS", "REDUCED_PRECISION_REDUCTION"},
                          "f64": {"REDUCED_PRECISION_REDUCTION"}}.get(dtype, set())
    for question in examples(operation, dtype):
        try:
            graph = question.graph(library)
            count = graph.get(N.ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, N.TYPE_INT64)[0]
        except Error:
            continue
        for number in range(count):
            try:
                notes = notes_of(engine_of(library, graph, number))
            except Error:
                continue
            if not notes & unknown:
                found.setdefault(number, set()).update(notes)
    if len(found) > MOST:
        print(f"{len(found)} engines, of which the first {MOST} are offered", file=sys.stderr)
    return dict(sorted(found.items())[:MOST])


def contract_of(notes, dtype):
    """What an engine promises. cuDNN says nothing about subnormal numbers and about the order of sums."""
    contract = {"algorithm": "direct", "min_accumulator": "f64" if dtype == "f64" else "f32", "summation": "any_order",
                "deterministic": "NONDETERMINISTIC" not in notes, "flushes_subnormals": dtype != "f64"}
    if "REDUCED_PRECISION_REDUCTION" in notes:
        contract["min_accumulator"] = "bf16" if dtype == "bf16" else "f16"
    if "TENSOR_CORE" in notes and dtype != "f64":
        contract |= {"operand_bits": 11 if dtype == "f32" else 0, "truncates": True}
    if "FFT" in notes:
        contract["algorithm"] = "fft"
    if "WINOGRAD" in notes or notes & set(TILES):
        tile, taps = max([TILES[note] for note in notes & set(TILES)] or [(6, 3)])
        contract |= {"algorithm": "winograd", "winograd_m": tile, "winograd_r": taps}
    return contract
