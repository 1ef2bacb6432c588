"""Named settings of a spreading question: how far energy may go and from how many seed ideas."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from gossamer.errors import SettingsError, UsageError
from gossamer.graph.spread_options import SLACK, check_count, check_real


@dataclass(frozen=True, slots=True)
class Profile:
    """How a question spreads: d, ρ, the number of seed ideas and α.

    A profile must be able to leave hop 0: an average seed holds E0/width and forwards at most d of it to one neighbour,
    so d/width ≥ ρ. SettingsError otherwise, and for a value out of its range.

    >>> Profile("narrow", damping=0.6, threshold=0.15, width=5)
    Traceback (most recent call last):
    gossamer.errors.SettingsError: Profile 'narrow' cannot leave its seeds: damping/width is 0.12, below the threshold
    0.15. Raise damping, or lower threshold or width.
    """

    name: str
    damping: float
    threshold: float
    width: int
    exponent: float = 1.0

    def __post_init__(self) -> None:
        try:
            check_real("damping", self.damping, 0.0, 1.0)
            check_real("threshold", self.threshold, 0.0, 1.0)
            check_count("width", self.width, 1)
            check_real("exponent", self.exponent, 0.0, 16.0, open_low=True)
        except UsageError as error:
            raise SettingsError(f"Profile {self.name!r}: {error}") from error
        reach = self.damping / self.width
        if reach == 0.0 or reach < self.threshold * (1.0 - SLACK):
            raise SettingsError(
                f"Profile {self.name!r} cannot leave its seeds: damping/width is {reach:g}, below the threshold "
                f"{self.threshold:g}. Raise damping, or lower threshold or width."
            )


PRECISE = Profile("precise", damping=0.45, threshold=0.01, width=3)
EXPLORE = Profile("explore", damping=0.75, threshold=0.01, width=8)
COMPARE = Profile("compare", damping=0.60, threshold=0.01, width=6)
PROFILES = MappingProxyType({profile.name: profile for profile in (PRECISE, EXPLORE, COMPARE)})


def get_profile(name: str) -> Profile:
    """The profile called `name`.

    >>> get_profile("compare").width
    6
    >>> get_profile("loud")
    Traceback (most recent call last):
    gossamer.errors.SettingsError: profile is 'loud'. Choose one of: precise, explore, compare.
    """
    if name not in PROFILES:
        raise SettingsError(f"profile is {name!r}. Choose one of: {', '.join(PROFILES)}.")
    return PROFILES[name]
