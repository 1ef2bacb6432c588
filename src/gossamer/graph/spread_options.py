"""Options of a spreading run, checked once for the dictionary and the array engines (standard library only)."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from numbers import Integral, Real

from gossamer.errors import ArgumentTypeError, UsageError

ENGINES = ("wave", "flow")
STOP_REASONS = ("threshold", "exhausted", "converged", "max_hop", "max_nodes")
SLACK = 1e-12
"""Relative slack of every threshold test, so that sums taken in another order cannot flip it."""
TINY = 1e-150
"""A row whose open weights sum to this or less has no neighbour to give to (its shares would overflow)."""
LARGEST_WEIGHT = 1e9
COSINE_SLACK = 1e-9
"""Absolute slack of the duplicate test, for the same reason."""
EXACT_COPY = 1.0 - 1e-6
"""The duplicate bar never rises above this cosine: an exact copy is always a duplicate."""
FEWEST_PAIRS = 10
"""Below this many pairs a mean and a deviation say nothing, and the floor alone decides."""


@dataclass(frozen=True, slots=True)
class SpreadOptions:
    """Checked scalar options of one run; `max_nodes` None means no limit and `width` None every seed."""

    energy: float
    damping: float
    threshold: float
    exponent: float
    max_hops: int
    max_nodes: int | None
    width: int | None

    def bar(self, injected: float) -> float:
        """Smallest arrival that passes the threshold test, ρ·I·(1 − 1e-12).

        >>> check_options("wave", threshold=0.15).bar(10.0) < 1.5
        True
        """
        return self.threshold * injected * (1.0 - SLACK)


def check_options(
    engine: str,
    *,
    energy: float = 10.0,
    damping: float | None = None,
    threshold: float | None = None,
    exponent: float = 1.0,
    max_hops: int | None = None,
    max_nodes: int | None = None,
    width: int | None = None,
) -> SpreadOptions:
    """Checked options; None stands for the engine's default (`width`: every seed).

    | | damping | threshold | max_hops | max_nodes |
    |---|---|---|---|---|
    | wave | .6 | .15 | 8 | no limit |
    | flow | .4 | 1e-6 | 100 | no limit |

    Raises UsageError for an impossible value and ArgumentTypeError for a wrong type, naming option and range.

    >>> check_options("flow").damping
    0.4
    >>> check_options("wave", damping=1.5)
    Traceback (most recent call last):
    gossamer.errors.UsageError: damping is 1.5. Choose a value from 0 to 1.
    """
    check_choice("engine", engine, ENGINES)
    flow = engine == "flow"
    damping = (0.4 if flow else 0.6) if damping is None else damping
    threshold = (1e-6 if flow else 0.15) if threshold is None else threshold
    return SpreadOptions(
        energy=check_real("energy", energy, 0.0, 1e12, open_low=True),
        damping=check_real("damping", damping, 0.0, 1.0, open_high=flow),
        threshold=check_real("threshold", threshold, 0.0, 1.0),
        exponent=check_real("exponent", exponent, 0.0, 16.0, open_low=True),
        max_hops=check_count("max_hops", (100 if flow else 8) if max_hops is None else max_hops, 0),
        max_nodes=None if max_nodes is None else check_count("max_nodes", max_nodes, 0),
        width=None if width is None else check_count("width", width, 1),
    )


def check_choice(name: str, value: object, choices: Collection[str]) -> None:
    """Raise UsageError unless `value` is one of `choices`."""
    if value not in choices:
        raise UsageError(f"{name} is {value!r}. Choose one of: {', '.join(choices)}.")


def check_real(
    name: str,
    value: object,
    low: float,
    high: float,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """`value` as a float of the range, or an error that names the key, the value and the range.

    >>> check_real("energy", 0, 0.0, 100.0, open_low=True)
    Traceback (most recent call last):
    gossamer.errors.UsageError: energy is 0. Choose a value above 0 and up to 100.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ArgumentTypeError(f"{name} is a {type(value).__name__}, not a number. Pass {name} as a float.")
    number = float(value)
    above = low < number if open_low else low <= number
    below = number < high if open_high else number <= high
    if not (above and below):  # NaN fails both
        start = f"above {low:g} and up" if open_low else f"from {low:g}"
        end = f"below {high:g}" if open_high else f"{high:g}"
        raise UsageError(f"{name} is {value!s}. Choose a value {start} to {end}.")
    return number


def check_count(name: str, value: object, low: int) -> int:
    """`value` as an int of at least `low`, or an error that names the key, the value and the range."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ArgumentTypeError(f"{name} is a {type(value).__name__}, not a whole number. Pass {name} as an int.")
    if int(value) < low:
        raise UsageError(f"{name} is {value!s}. Choose a whole number of at least {low}.")
    return int(value)


def significant(value: float) -> float:
    """`value` rounded to 12 significant digits: what counts as equal in rankings and at caps.

    >>> significant(0.1 + 0.2) == significant(0.3)
    True
    """
    return float(f"{value:.11e}")


def duplicate_bar(floor: float, pairs: float, total: float, squares: float) -> float:
    """Cosine from which two passages count as one: max(floor, mean + 2·std) over the pairs of the active set.

    Args: the floor, the number of pairs, the sum of their cosines and the sum of the squared cosines.
    Under 10 pairs the floor decides; an exact copy always counts.

    >>> duplicate_bar(0.95, 100, 50.0, 26.0)
    0.95
    >>> round(duplicate_bar(0.95, 100, 90.0, 81.16), 6)
    0.98
    """
    if pairs < FEWEST_PAIRS:
        return floor
    mean = total / pairs
    deviation = math.sqrt(max(squares / pairs - mean * mean, 0.0))
    return min(max(floor, mean + 2.0 * deviation), max(EXACT_COPY, floor))
