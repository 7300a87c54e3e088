# SPDX-License-Identifier: Apache-2.0
"""Kernels whose loops are changed by the steps from which tinygrad's search (BEAM) chooses those that are fast."""
import contextlib
import random
import zlib

from tinygrad.codegen import to_program_cache
from tinygrad.codegen.opt import Opt, KernelOptError, OptOps, heuristic, search

STEPS = [one for one in search.actions if one.op not in (OptOps.TC, OptOps.PADTO)]
MOST = 6  # steps


def at_random(problem):
    """A context in which kernels of the problem are made so: the same ones each time."""
    numbers = random.Random(zlib.crc32(repr((problem.op, problem.pass_, problem.in_, problem.kernel)).encode()))

    def changed(kernel):
        for _ in range(numbers.randint(1, MOST)):
            kernel = next(filter(None, (after(kernel, step) for step in numbers.sample(STEPS, len(STEPS)))), kernel)
        return kernel

    return replaced(changed)


def padded(_):
    """A context in which the first loop of a sum that can be is padded to 32 (BEAM_PADTO), and unrolled. Of several that
    are, kernels are too long to wait for."""
    def changed(kernel):
        ways = (after(kernel, Opt(OptOps.PADTO, axis, 32), Opt(OptOps.UNROLL, 0, 0)) for axis in range(8))
        return next(filter(None, ways), kernel)

    return replaced(changed)


def after(kernel, *steps):
    """A copy of the kernel changed so, or None."""
    with contextlib.suppress(KernelOptError):
        tried = kernel.copy()
        for step in steps:
            tried.apply_opt(step)
        return tried
    return None


@contextlib.contextmanager
def replaced(function):
    """tinygrad keeps kernels by what they compute, however they are made: these are not mixed with the others."""
    kept, others = heuristic.hand_coded_optimizations, dict(to_program_cache)
    heuristic.hand_coded_optimizations = function
    to_program_cache.clear()
    try:
        yield
    finally:
        heuristic.hand_coded_optimizations = kept
        to_program_cache.clear()
        to_program_cache.update(others)
