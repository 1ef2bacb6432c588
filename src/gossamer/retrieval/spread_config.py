"""How a question spreads on an index: one frozen value with a switch for every mechanism."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gossamer.errors import SettingsError
from gossamer.graph.profiles import PROFILES, Profile, get_profile
from gossamer.validation import check_fields, choice, flag, number

STANDARD = Profile("standard", damping=0.4, threshold=0.003, width=10)
"""What an index uses where no profile is named (measured; see docs/decisions.md)."""


def _optional(low: float, high: float, *, whole: bool = False) -> Any:
    """A number, or None for what the profile or the engine says."""
    return dataclasses.field(default=None, metadata={"low": low, "high": high, "whole": whole})


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    """Options of `retrieve`, validated on construction; the repr shows what differs from the defaults.

    | field | meaning |
    |---|---|
    | `engine`, `graph` | `flow` or `wave`; on the flow matrix F (`flow`) or on W (`fused`) |
    | `profile` | `standard`, `precise`, `explore`, `compare`, or a `Profile` |
    | `damping`, `threshold`, `width`, `exponent` | d, ρ, seed ideas and α in place of the profile's |
    | `max_hops`, `max_nodes` | limits; `max_hops` None is the engine's |
    | `guidance` | energy prefers neighbours that the question itself likes, g = exp(H / 2·std H) |
    | `order` | `set`: coverage selection over what was reached; `blend`: z(H) + φ·z(log energy); `energy`: energy alone |
    | `duplicates` | near-duplicates get no energy and become votes |
    | `contradictions` | `flag`, `destroy` (both sides lose energy) or `off` |
    | `contradiction_strength` | weakest contradiction that counts |
    | `negative` | documents with `polarity: -1` in their metadata absorb energy |
    | `learned` | use the learned layer of the index where there is one |
    | `wording` | "without X" in the question: `hint` (say how to leave X out), `names` or `words` (leave it out), `off` |
    | `exclusion_cosine` | from this cosine to X a passage counts as naming X, where the embedder knows meaning |
    | `warm_share` | share of the last turn's energy that is a prior on seeds in a session |

    >>> RetrievalConfig(profile="precise", damping=0.5)
    RetrievalConfig(profile='precise', damping=0.5)
    >>> RetrievalConfig(profile="precise", damping=0.5).resolved.width
    3
    >>> RetrievalConfig(engine="tide")
    Traceback (most recent call last):
    gossamer.errors.SettingsError: engine = 'tide' is not possible. Give one of 'flow', 'wave'.
    """

    engine: str = choice("flow", "flow", "wave")
    profile: str | Profile = "standard"
    graph: str = choice("flow", "flow", "fused")
    damping: float | None = _optional(0.0, 1.0)
    threshold: float | None = _optional(0.0, 1.0)
    width: int | None = _optional(1, 10_000, whole=True)
    exponent: float | None = _optional(1e-9, 16.0)
    max_hops: int | None = _optional(0, 10_000, whole=True)
    max_nodes: int = number(512, 1, 1_000_000)
    guidance: bool = flag(False)
    order: str = choice("set", "set", "blend", "energy")
    duplicates: bool = flag(True)
    contradictions: str = choice("flag", "flag", "destroy", "off")
    contradiction_strength: float = number(0.6, 0.0, 1.0)
    negative: bool = flag(True)
    learned: bool = flag(True)
    wording: str = choice("hint", "hint", "names", "words", "off")
    exclusion_cosine: float = number(0.6, 0.0, 1.0)
    warm_share: float = number(0.25, 0.0, 1.0)

    def __post_init__(self) -> None:
        check_fields(self)
        for field in dataclasses.fields(self):
            if "whole" in field.metadata:
                _check_optional(field.name, getattr(self, field.name), **field.metadata)
        _ = self.resolved

    def __repr__(self) -> str:
        changed = {
            f.name: getattr(self, f.name) for f in dataclasses.fields(self) if getattr(self, f.name) != f.default
        }
        return f"RetrievalConfig({', '.join(f'{key}={value!r}' for key, value in changed.items())})"

    @property
    def resolved(self) -> Profile:
        """The profile with the numbers of this config in place; SettingsError where it could not leave its seeds."""
        base = self.profile
        if isinstance(base, str):
            base = named_profile(base)
        elif not isinstance(base, Profile):
            raise SettingsError(f"profile = {base!r} is not possible. Give a name or a Profile.")
        given = {name: getattr(self, name) for name in ("damping", "threshold", "width", "exponent")}
        return dataclasses.replace(base, **{name: value for name, value in given.items() if value is not None})

    def replace(self, **changes: Any) -> RetrievalConfig:
        """A copy with fields changed; SettingsError for a field that does not exist."""
        known = [field.name for field in dataclasses.fields(self)]
        for name in changes:
            if name not in known:
                raise SettingsError(f"There is no spreading option {name!r}. Known: {', '.join(known)}.")
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; a profile by its name."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**values, "profile": self.resolved.name}


def named_profile(name: str) -> Profile:
    """The profile called so, the standard one included."""
    if name not in PROFILES and name != STANDARD.name:
        raise SettingsError(f"profile = {name!r} is not possible. Give one of standard, {', '.join(PROFILES)}.")
    return STANDARD if name == STANDARD.name else get_profile(name)


def make_config(config: RetrievalConfig | None, changes: Mapping[str, Any]) -> RetrievalConfig:
    """The config with keyword options on top.

    >>> make_config(None, {"engine": "wave", "profile": "explore"})
    RetrievalConfig(engine='wave', profile='explore')
    """
    return (config or RetrievalConfig()).replace(**changes)


def _check_optional(name: str, value: object, low: float, high: float, *, whole: bool) -> None:
    if value is None:
        return
    kind = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
        what = "a whole number" if whole else "a number"
        raise SettingsError(f"{name} = {value!r} is not possible. Give {what} from {low:g} to {high:g}.")
