"""The optional mechanisms of a dictionary run, read and checked (standard library only)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gossamer.errors import ArgumentTypeError, UsageError
from gossamer.graph.spread_options import LARGEST_WEIGHT, check_real

Pair = tuple[str, str] | tuple[str, str, float]
"""Two ids, and how alike or opposed they are (1 where left out)."""
Pairs = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Mechanisms:
    """What bends the spreading, each switched off by its empty default.

    `duplicates` and `contradictions` are symmetric; `exclusion` is the energy each node can absorb, coefficient
    included.
    """

    duplicates: Pairs
    duplicate_floor: float
    sources: Mapping[str, str]
    exclusion: Mapping[str, float]
    contradictions: Pairs
    destroy_contradictions: bool
    polarity: Mapping[str, int]
    polarity_absorption: float
    guidance: Mapping[str, float]


def read_mechanisms(
    *,
    duplicates: Iterable[Pair] | None,
    duplicate_floor: float,
    sources: Mapping[str, str] | None,
    exclusion: Mapping[str, float] | None,
    exclusion_coefficient: float,
    contradictions: Iterable[Pair] | None,
    destroy_contradictions: bool,
    polarity: Mapping[str, int],
    polarity_absorption: float,
    guidance: Mapping[str, float] | None,
) -> Mechanisms:
    """Checked mechanisms; UsageError or ArgumentTypeError names the argument, the value and the range."""
    coefficient = check_real("exclusion_coefficient", exclusion_coefficient, 0.0, 1e6, open_low=True)
    field = check_values("exclusion", exclusion or {}, math.inf)
    for node, sign in polarity.items():
        if sign not in (-1, 1):
            raise UsageError(f"polarity of {node!r} is {sign!r}. Choose -1 (it denies) or 1.")
    return Mechanisms(
        duplicates=_symmetric("duplicates", duplicates or ()),
        duplicate_floor=check_real("duplicate_floor", duplicate_floor, 0.0, 1.0),
        sources=sources or {},
        exclusion={node: coefficient * value for node, value in field.items()},
        contradictions=_symmetric("contradictions", contradictions or ()),
        destroy_contradictions=destroy_contradictions,
        polarity=polarity,
        polarity_absorption=check_real("polarity_absorption", polarity_absorption, 0.0, 1.0),
        guidance=check_values("guidance", guidance or {}, LARGEST_WEIGHT),
    )


def check_values(name: str, values: Mapping[str, float], high: float) -> dict[str, float]:
    """`values` as floats from 0 to `high`, or an error that names argument, node and range.

    >>> check_values("seeds", {"A": -1}, 10.0)
    Traceback (most recent call last):
    gossamer.errors.UsageError: seeds of 'A' is -1. Choose a value from 0 to 10.
    """
    if not isinstance(values, Mapping):
        raise ArgumentTypeError(f"{name} is a {type(values).__name__}. Pass a mapping from node id to number.")
    return {node: check_real(f"{name} of {node!r}", value, 0.0, high) for node, value in values.items()}


def _symmetric(name: str, pairs: Iterable[Pair]) -> dict[str, dict[str, float]]:
    """Both directions of the pairs; a pair given twice keeps its larger value."""
    rows: dict[str, dict[str, float]] = {}
    for pair in pairs:
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) not in (2, 3):
            raise ArgumentTypeError(f"{name} has {pair!r}. Pass pairs as (node, node) or (node, node, value).")
        one, other = pair[0], pair[1]
        if one == other:
            raise UsageError(f"{name} pairs {one!r} with itself. Pass pairs of two different nodes.")
        value = check_real(f"{name} of {one!r}–{other!r}", pair[2] if len(pair) == 3 else 1.0, 0.0, 1.0)
        for first, second in ((one, other), (other, one)):
            row = rows.setdefault(first, {})
            row[second] = max(value, row.get(second, 0.0))
    return rows
