# SPDX-License-Identifier: Apache-2.0
"""Orders of axes, as texts: n is the batch, c the channels of an image; o is the outer and i the inner channel axis of
our weights (oc and ic/g of conv, ic and oc/g of conv_transpose); S stands for the spatial axes."""
from __future__ import annotations

OURS_IMAGE, OURS_WEIGHTS = "ncS", "oiS"


def permutation(given: str, wanted: str, rank: int) -> list[int]:
    """Which axis of `given` comes where in `wanted`."""
    places = {}
    for letter in given:
        first = sum(len(place) for place in places.values())
        places[letter] = list(range(first, first + (rank if letter == "S" else 1)))
    return [place for letter in wanted for place in places[letter]]


def moved(array, given: str, wanted: str):
    """A view with its axes in another order."""
    return array.transpose(permutation(given, wanted, array.ndim - len(given) + 1))


def order_of(name: str, image: str, weights: str):
    """Ours and that of a framework, for the operand of this name; None for those of one axis."""
    kind = name.removeprefix("diff_")
    if kind in ("src", "dst"):
        return OURS_IMAGE, image
    return (OURS_WEIGHTS, weights) if kind == "wei" else None
