# SPDX-License-Identifier: Apache-2.0
"""Functions of TOPI with loops in another shape (tvm.s_tir.Schedule): tiled, reordered, vectorized, unrolled, in
parallel, with sums elsewhere. Which steps are taken follows from the problem; a step that the schedule refuses is left
out. The design space of meta_schedule would be there for that, but TuneContext of 0.27 crashes in its constructor."""
import random

import tvm
from tvm import s_tir

import topi_code
from operands import hashed

MOST_TILES = 4  # extents of inner loops


class Scheduled(topi_code.Operator):
    def __init__(self):
        super().__init__(topi_code.plain_refusal, topi_code.plain_layouts, topi_code.plain)

    def function(self, problem, inputs, output):
        return schedule(super().function(problem, inputs, output), random.Random(hashed(problem)))


def schedule(function, choice):
    made = s_tir.Schedule(function)
    leaves = made.get_child_blocks(made.get_sblock("root"))
    names = [made.get(leaf).name_hint for leaf in leaves]
    main = next(leaf for leaf in leaves if any(var.iter_type == var.CommReduce for var in made.get(leaf).iter_vars))
    place = names.index(made.get(main).name_hint)
    for name in names[place + 1:]:
        step(made.reverse_compute_inline if choice.random() < 0.3 else nothing, made.get_sblock(name))
    if choice.random() < 0.4:
        step(made.cache_write, main, 0, "global")
    outer = tiles(made, main, choice)
    for name in names[:place]:
        before(made, made.get_sblock(name), outer, choice)
    if choice.random() < 0.4:
        step(made.decompose_reduction, main, choice.choice(made.get_loops(main)))
    return made.mod["main"]


def tiles(made, main, choice):
    """Splits loops, reorders them, and says what becomes of some. Returns one at which producers may be computed."""
    kinds = [var.iter_type for var in made.get(main).iter_vars]
    spatial, reduced = [], []
    for loop, kind in zip(made.get_loops(main), kinds):
        parts = [loop]
        if choice.random() < 0.5:  # also factors that do not divide the extent
            parts = step(made.split, loop, [None, choice.randint(2, MOST_TILES)]) or parts
        (reduced if kind == tvm.tirx.IterVar.CommReduce else spatial).append(parts)
    outer = [parts[0] for parts in spatial]
    inner = [part for parts in (*spatial, *reduced) for part in parts[1:]] + [parts[0] for parts in reduced]
    choice.shuffle(inner)
    if choice.random() < 0.3:
        choice.shuffle(outer)
    vector = next((parts[-1] for parts in spatial if len(parts) > 1), None)  # sums are not made in vectors
    if vector is not None and choice.random() < 0.6:
        inner = [loop for loop in inner if not loop.same_as(vector)]
        step(made.reorder, *outer, *inner, vector)
        step(made.vectorize, vector)
    else:
        step(made.reorder, *outer, *inner)
    at = choice.choice(outer[1:] or outer)
    if inner and choice.random() < 0.4:
        step(made.unroll, choice.choice(inner))
    if choice.random() < 0.5:
        step(made.parallel, outer[0])
    return at


def before(made, block, at, choice):
    """What becomes of a block that computes an operand of the sum, such as padding."""
    kind = choice.choice(("leave", "inline", "at", "decompose", "vectorize", "parallel"))
    loops = made.get_loops(block)
    if kind == "inline":
        step(made.compute_inline, block)
    elif kind == "at":
        step(made.compute_at, block, at)
    elif kind == "decompose":
        step(made.decompose_padding, block, choice.choice(loops))
    elif kind != "leave":
        step(*((made.vectorize, loops[-1]) if kind == "vectorize" else (made.parallel, loops[0])))


def nothing(*_):
    pass


def step(primitive, *arguments):
    """One step, or None if the schedule says that it is not possible here."""
    try:
        return primitive(*arguments)
    except s_tir.ScheduleError:
        return None


SCHEDULED = Scheduled()
