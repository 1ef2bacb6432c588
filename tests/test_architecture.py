"""Imports point one way: faces → pipelines → methods and stores → text, model, settings, errors."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import gossamer

ROOT = Path(gossamer.__file__).parent
FLOOR = {
    "errors",
    "html",
    "toml",
    "web",
    "validation",
    "setting_groups",
    "settings",
    "model",
    "reports",
    "text",
    "demo",
}
METHODS = {"signals", "graph", "index", "embedders", "insight", "llm"}
PIPELINES = {"ingestion", "retrieval"}
FACES = {"cli", "evaluation", "monitor", "server", "integrations", "__main__"}
ALLOWED = {
    "errors": set(),
    "toml": {"errors"},
    "web": {"errors"},
    "validation": {"errors"},
    "setting_groups": {"errors", "validation"},
    "settings": {"errors", "toml", "validation", "setting_groups"},
    "html": set(),
    "model": {"errors", "html"},
    "reports": {"errors", "html", "model"},
    "text": {"errors"},
    "demo": set(),
    "signals": {"errors", "graph"},
    "graph": {"errors", "html"},
    "embedders": FLOOR,
    "index": FLOOR | {"index"},
    "llm": FLOOR,
    "insight": FLOOR | {"graph", "signals", "index"},
    "ingestion": FLOOR | METHODS,
    "retrieval": FLOOR | METHODS,
    "evaluation": FLOOR | METHODS | PIPELINES,
}


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("gossamer."):
            found.add(node.module.split(".")[1])
        elif isinstance(node, ast.ImportFrom) and node.module == "gossamer":
            found |= {alias.name for alias in node.names if alias.name in FLOOR}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("gossamer.")}
    return found


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


@pytest.mark.parametrize("path", modules(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_imports_point_one_way(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0].removesuffix(".py")
    allowed = ALLOWED.get(room, FLOOR | METHODS | PIPELINES | FACES)
    assert imports_of(path) - {room} <= allowed


def test_every_room_is_known() -> None:
    rooms = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in modules()}
    assert rooms <= FLOOR | METHODS | PIPELINES | FACES


@pytest.mark.parametrize("path", modules(), ids=lambda p: p.relative_to(ROOT).as_posix())
def test_modules_stay_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 320


def test_methods_know_arrays_only() -> None:
    for room in ("graph", "signals"):
        for path in (ROOT / room).glob("*.py"):
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"(?<![\w.])open\(|pathlib", text), path.name
