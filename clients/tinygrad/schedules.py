# SPDX-License-Identifier: Apache-2.0
"""Kernels whose loops are changed at random, by the steps from which tinygrad's search (BEAM) chooses those that are
fast, and by padding of loops (BEAM_PADTO)."""
import contextlib
import random
import zlib

from tinygrad.codegen.opt import Opt, KernelOptError, OptOps, heuristic, search

STEPS = [*(one for one in search.actions if one.op != OptOps.TC),
         *(Opt(OptOps.PADTO, axis, amount) for axis in range(7) for amount in (2, 3, 4, 8, 32))]
MOST = 6  # steps


def at_random(problem):
    """A context in which kernels of the problem are made so: the same ones each time."""
    numbers = random.Random(zlib.crc32(repr((problem.op, problem.pass_, problem.in_, problem.kernel)).encode()))

    def changed(kernel):
        for _ in range(numbers.randint(1, MOST)):
            for step in numbers.sample(STEPS, len(STEPS)):
                with contextlib.suppress(KernelOptError):
                    tried = kernel.copy()
                    tried.apply_opt(step)
                    kernel = tried
                    break
        return kernel

    return replaced(changed)


@contextlib.contextmanager
def replaced(function):
    kept = heuristic.hand_coded_optimizations
    heuristic.hand_coded_optimizations = function
    try:
        yield
    finally:
        heuristic.hand_coded_optimizations = kept
