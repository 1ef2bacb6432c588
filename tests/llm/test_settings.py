from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gossamer import Settings
from gossamer.errors import SettingsError
from gossamer.llm.client import Client
from gossamer.llm.settings import LLMSettings, read_llm_settings

FILE = """
embedder = "hash"

[graph]
tau = 0.1

[llm]
url = "http://127.0.0.1:1234/v1"
model = "from-file"
timeout = 30
price_sent = 2
price_received = 8.0

[llm.extra]
reasoning_effort = "low"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "settings.toml"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_file_then_environment_then_flags(file: Path) -> None:
    variables = {"GOSSAMER_LLM_MODEL": "from-environment", "GOSSAMER_LLM_CONCURRENCY": "9", "GOSSAMER_LLM_KEY_ENV": "K"}
    found = read_llm_settings(file, environment=variables, concurrency=2, url=None)
    assert (found.url, found.model, found.key_env) == ("http://127.0.0.1:1234/v1", "from-environment", "K")
    assert (found.concurrency, found.timeout, found.prices) == (2, 30.0, (2.0, 8.0))
    assert found.extra == {"reasoning_effort": "low"}


def test_one_file_holds_both_kinds_of_settings(file: Path) -> None:
    assert Settings.from_toml(file).graph.tau == 0.1
    assert "1234" not in Settings.from_toml(file).to_toml()


def test_a_client_from_settings(file: Path, tmp_path: Path) -> None:
    client = Client.from_settings(read_llm_settings(file, environment={}), cache=tmp_path / "c.sqlite")
    assert repr(client) == "Client('http://127.0.0.1:1234/v1', 'from-file', key_env=None)"
    assert client.cache is not None
    assert client.estimate(["a"]).cost == pytest.approx((5 * 2 + 1024 * 8) / 1e6)


@pytest.mark.parametrize("given", [{}, {"url": "http://127.0.0.1:1/v1"}, {"model": "m"}])
def test_no_server_or_model_is_named(given: dict[str, Any]) -> None:
    settings = read_llm_settings(environment={}, **given)
    assert not settings.named
    with pytest.raises(SettingsError, match="--llm-url and --llm-model, or set GOSSAMER_LLM_URL"):
        Client.from_settings(settings)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"timeout": "soon"}, "llm.timeout"),
        ({"concurrency": 0}, "llm.concurrency"),
        ({"speed": 3}, "no setting llm.speed"),
        ({"extra": {"model": "x"}}, "llm.extra"),
        ({"extra": 3}, "llm.extra"),
    ],
)
def test_impossible_settings(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        read_llm_settings(environment={}, **given)


def test_llm_in_the_file_must_be_a_table(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('llm = "http://127.0.0.1"\n', encoding="utf-8")
    with pytest.raises(SettingsError, match=r"Write \[llm\]"):
        read_llm_settings(path, environment={})


def test_prices_need_both_sides() -> None:
    assert LLMSettings(price_sent=1.0).prices is None
