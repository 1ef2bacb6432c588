from __future__ import annotations

from typing import Any

import pytest

from gossamer.errors import SettingsError
from gossamer.graph.profiles import PROFILES, Profile, get_profile


def test_the_three_profiles() -> None:
    values = {name: (item.damping, item.threshold, item.width, item.exponent) for name, item in PROFILES.items()}
    assert values == {"precise": (0.45, 0.01, 3, 1.0), "explore": (0.75, 0.01, 8, 1.0), "compare": (0.6, 0.01, 6, 1.0)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 5}, "cannot leave its seeds: damping/width is 0.12, below the threshold 0.15"),
        ({"damping": 0.0, "threshold": 0.0}, "cannot leave its seeds"),
        ({"damping": 1.5}, "'mine': damping is 1.5. Choose a value from 0 to 1"),
        ({"width": 0}, "'mine': width is 0. Choose a whole number of at least 1"),
        ({"exponent": 99.0}, "exponent is 99.0"),
    ],
)
def test_impossible_profiles_are_refused_at_construction(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Profile(**({"name": "mine", "damping": 0.6, "threshold": 0.15, "width": 4} | options))


def test_a_profile_that_just_reaches_its_threshold_is_allowed() -> None:
    assert Profile("edge", damping=0.6, threshold=0.15, width=4).width == 4


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="Choose one of: precise, explore, compare"):
        get_profile("loud")
