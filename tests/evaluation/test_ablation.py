from __future__ import annotations

from gossamer.evaluation.ablation import FULL, ablation_factories, variants
from gossamer.settings import SIGNAL_NAMES, Settings


def test_every_live_part_is_switched_off_once() -> None:
    settings = Settings()
    found = variants(settings)
    assert {f"no signal {name}" for name in SIGNAL_NAMES} <= set(found)
    for changes in found.values():
        assert settings.replace(**changes) != settings


def test_what_is_off_already_is_left_out() -> None:
    settings = Settings().replace(**{"utility.link": 0.0, "retrieval.flow_gate": False, "signals.utility": 0.0})
    found = variants(settings)
    assert "no term link" not in found
    assert "no gate" not in found
    assert "no signal utility" not in found


def test_the_last_signal_stays_on() -> None:
    only = {f"signals.{name}": 0.0 for name in SIGNAL_NAMES if name != "entity"}
    assert not [name for name in variants(Settings().replace(**only)) if name.startswith("no signal")]


def test_the_unchanged_settings_come_first() -> None:
    assert next(iter(ablation_factories(Settings(), variants(Settings())))) == FULL
