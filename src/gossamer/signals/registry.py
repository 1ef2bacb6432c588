"""The edge signals in their fixed order, with both published sets of weights."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Signal(NamedTuple):
    """A signal's name and its weight α in the paper's configurations 1 (default) and 2 (question-heavy)."""

    name: str
    alpha: float
    alpha_questions: float


SIGNALS: tuple[Signal, ...] = (
    Signal("semantic", 0.300, 0.150),
    Signal("section", 0.250, 0.200),
    Signal("entity", 0.200, 0.250),
    Signal("adjacency", 0.084, 0.100),
    Signal("utility", 0.083, 0.280),
    Signal("citation", 0.083, 0.020),
)
SIGNAL_NAMES: tuple[str, ...] = tuple(signal.name for signal in SIGNALS)
CONFIGURATION_1: Mapping[str, float] = MappingProxyType({s.name: s.alpha for s in SIGNALS})
CONFIGURATION_2: Mapping[str, float] = MappingProxyType({s.name: s.alpha_questions for s in SIGNALS})
