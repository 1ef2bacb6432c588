from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from gossamer import Document, build_index
from gossamer.cli.lint import lint
from gossamer.errors import UsageError

app = typer.Typer()
app.command()(lint)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    text = "Helix Labs has its head office in {}. It was founded in 2019 and employs forty people near the river."
    build_index([Document("a", text.format("Pune")), Document("b", text.format("Oslo"))], tmp_path / "index")
    return str(tmp_path / "index")


def test_text_and_exit_code(folder: str) -> None:
    shown = CliRunner().invoke(app, [folder])
    assert shown.exit_code == 0
    assert "error    contradictions: 1" in shown.stdout
    assert CliRunner().invoke(app, [folder, "--fail-on", "error"]).exit_code == 1


def test_json(folder: str) -> None:
    shown = json.loads(CliRunner().invoke(app, [folder, "--json"]).stdout)
    assert (shown["gossamer"], shown["version"], shown["chunks"]) == ("lint", 1, 2)
    assert shown["findings"][0]["kind"] == "contradictions"


def test_unknown_level(folder: str) -> None:
    assert isinstance(CliRunner().invoke(app, [folder, "--fail-on", "fatal"]).exception, UsageError)
