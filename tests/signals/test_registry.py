from __future__ import annotations

from importlib import import_module

import pytest

from gossamer.settings import SIGNAL_NAMES as SETTING_NAMES
from gossamer.settings import Settings
from gossamer.signals.registry import CONFIGURATION_1, CONFIGURATION_2, SIGNAL_NAMES


def test_published_weights_sum_to_one_and_match_the_presets() -> None:
    assert sum(CONFIGURATION_1.values()) == pytest.approx(1)
    assert sum(CONFIGURATION_2.values()) == pytest.approx(1)
    assert dict(CONFIGURATION_1) == Settings.paper().signals.alphas
    assert dict(CONFIGURATION_2) == Settings.questions_heavy().signals.alphas
    assert SIGNAL_NAMES == SETTING_NAMES


def test_every_signal_has_its_file_and_function() -> None:
    for name in SIGNAL_NAMES:
        assert callable(getattr(import_module(f"gossamer.signals.{name}"), f"{name}_signal"))
