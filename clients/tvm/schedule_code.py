# SPDX-License-Identifier: Apache-2.0
"""Functions of TOPI with loops in another shape (tvm.s_tir.Schedule): tiled, fused, reordered, vectorized, unrolled, in
parallel, with sums and operands elsewhere. Which steps are taken follows from the problem; a step that the schedule
refuses is left out. The design space of meta_schedule would be there for that, but TuneContext of 0.27 crashes in its
constructor."""
import random

import tvm
from tvm import s_tir

import topi_code
from operands import hashed

MOST_TILES = 4  # extents of inner loops


class Scheduled(topi_code.Operator):
    """`sums` says where they may begin and be added up, `rest` whether tiles may leave a rest of their loop: steps that
    are always, or sometimes, wrong stay apart."""

    def __init__(self, *sums, rest=True):
        super().__init__(topi_code.plain_refusal, topi_code.plain_layouts, topi_code.plain)
        self.sums, self.rest = sums, rest

    def function(self, problem, inputs, output):
        return schedule(super().function(problem, inputs, output), self.sums, self.rest, random.Random(hashed(problem)))


def schedule(function, sums, rest, choice):
    made = s_tir.Schedule(function)
    leaves = made.get_child_blocks(made.get_sblock("root"))
    names = [made.get(leaf).name_hint for leaf in leaves]
    place = next(at for at, leaf in enumerate(leaves) if any(is_sum(var) for var in made.get(leaf).iter_vars))
    main = leaves[place]
    caches = []
    if choice.random() < 0.4:
        step(made.cache_write, main, 0, "global")
    for operand in (0, 1):
        if choice.random() < 0.25:
            caches.append(step(made.cache_read, main, operand, "global"))
    for block in leaves[:place]:
        if choice.random() < 0.25:
            permute(made, block, choice)
    at = tiles(made, main, rest, choice)
    end_sums(made, main, sums, choice)
    for name in reversed(names[:place]):
        before(made, made.get_sblock(name), at, choice)
    for block in filter(None, caches):
        step(made.compute_at, block, at)
    for name in names[place + 1:]:
        after(made, made.get_sblock(name), at, choice)
    return made.mod["main"]


def is_sum(variable):
    return variable.iter_type == tvm.tirx.IterVar.CommReduce


def permute(made, block, choice):
    """Another order of the axes of what a block writes."""
    order = list(range(len(made.get(block).writes[0].region)))
    choice.shuffle(order)
    step(made.transform_layout, block, ("write", 0), lambda *axes: [axes[place] for place in order])


def tiles(made, main, rest, choice):
    """Splits loops, reorders them, and says what becomes of some. Returns one at which producers may be computed."""
    kinds = [is_sum(variable) for variable in made.get(main).iter_vars]
    spatial, sums = [], []
    for loop, of_sum in zip(made.get_loops(main), kinds):
        parts = [loop]
        if choice.random() < 0.5:
            tile = choice.randint(2, MOST_TILES)
            if rest or int(made.get(loop).extent) % tile == 0:
                parts = step(made.split, loop, [None, tile]) or parts
        (sums if of_sum else spatial).append(parts)
    outer = [parts[0] for parts in spatial]
    inner = [part for parts in (*spatial, *sums) for part in parts[1:]] + [parts[0] for parts in sums]
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
    if choice.random() < 0.3:
        outer[:2] = [step(made.fuse, *outer[:2]) or outer[0]]
    if inner and choice.random() < 0.4:
        step(made.unroll, choice.choice(inner))
    if choice.random() < 0.4:
        step(made.parallel, outer[0])
    return choice.choice(outer[1:] or outer)


def before(made, block, at, choice):
    """What becomes of a block that computes an operand of the sum, such as padding."""
    kind = choice.choice(("leave", "inline", "at", "at", "decompose", "vectorize", "parallel"))
    loops = made.get_loops(block)
    if kind == "inline":
        step(made.compute_inline, block)
    elif kind == "at":
        step(made.compute_at, block, at)
    elif kind == "decompose":
        step(made.decompose_padding, block, choice.choice(loops))
    elif kind != "leave":
        step(*((made.vectorize, loops[-1]) if kind == "vectorize" else (made.parallel, loops[0])))


def after(made, block, at, choice):
    """What becomes of a block that takes the sums, such as that of the bias."""
    kind = choice.choice(("leave", "inline", "at", "vectorize"))
    if kind == "inline":
        step(made.reverse_compute_inline, block)
    elif kind == "at":
        step(made.reverse_compute_at, block, at)
    elif kind == "vectorize":
        step(made.vectorize, made.get_loops(block)[-1])


def end_sums(made, main, sums, choice):
    """Begins sums in a loop of their own, or adds up parts of them first."""
    loops, kind = made.get_loops(main), choice.choice(sums)
    if kind == "begin":
        step(made.decompose_reduction, main, choice.choice(loops))
    elif kind == "parts":
        step(made.rfactor, choice.choice(loops), 0)


def step(primitive, *arguments):
    """One step, or None if the schedule says that it is not possible here."""
    try:
        return primitive(*arguments)
    except s_tir.ScheduleError:
        return None


SCHEDULED = Scheduled("leave", "begin")
IN_PARTS, IN_PARTS_WITH_REST = Scheduled("parts", rest=False), Scheduled("parts")
