"""`gossamer` alone, help by task, errors of use, completion, and the installation part of doctor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gossamer import Document, build_index
from gossamer.cli import installation
from gossamer.cli.complete import complete_index
from gossamer.cli.main import app
from gossamer.cli.tasks import TASKS


def gossamer(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gossamer", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        check=False,
    )


def test_alone_without_a_terminal_it_prints_usage_and_ends_with_2() -> None:
    run = gossamer()
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith("Usage:")
    assert "Traceback" not in run.stderr


def test_monitor_without_a_terminal_is_one_line() -> None:
    run = gossamer("monitor")
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "needs a terminal" in run.stderr


def test_without_the_extra_one_line_names_it() -> None:
    code = (
        "import sys; sys.modules['textual'] = None; "
        "from gossamer.cli import main, monitor; monitor.on_terminal = lambda: True; "
        "sys.argv = ['gossamer']; main.run()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert "pip install 'gossamer[monitor]'" in run.stderr


def test_help_lists_every_command_under_a_task_with_an_example() -> None:
    said = CliRunner().invoke(app, ["--help"]).stdout
    places = [said.index(f"\n{task}:") for task in TASKS if f"\n{task}:" in said]
    assert places == sorted(places)
    assert "More:" not in said
    assert "..." not in said[said.index("Start:") :]
    names = [command.name or "" for command in app.registered_commands]
    names += [group.name or "" for group in app.registered_groups]
    for name in names:
        assert f"$ gossamer {name}" in said, name


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("qeury",), "No such command 'qeury'. Did you mean 'query'? See: gossamer --help"),
        (("query",), "Missing argument"),
        (("query", "x", "y", "--bogus"), "See: gossamer query --help"),
        (("query", "x", "y", "--budget", "many"), "See: gossamer query --help"),
        (("query", "nowhere", "Why?"), "no index"),
        (("index", "a"), "needs documents and an index folder"),
    ],
)
def test_an_error_is_one_line_with_what_to_do(arguments: tuple[str, ...], expected: str, tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "gossamer", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode in {1, 2}
    assert run.stderr.startswith("gossamer: ")
    assert run.stderr.count("\n") == 1
    assert expected in run.stderr


def test_a_shell_completes_index_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_index([Document("a", "Helix Labs is in Pune.")], tmp_path / "deep" / "my_index")
    (tmp_path / "docs").mkdir()
    (tmp_path / ".hidden").mkdir()
    monkeypatch.chdir(tmp_path)
    assert complete_index("") == ["deep/", "docs/"]
    assert complete_index("deep/") == ["deep/my_index"]
    assert complete_index("de") == ["deep/"]
    assert complete_index("none/x") == []


def test_installation_checks_name_extras_and_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOSSAMER_EMBEDDING__BASE_URL", "http://me:secret@127.0.0.1:9/v1?key=hidden")
    checks = {check.name: check for check in installation.installation_checks()}
    assert checks["python"].ok
    assert "numpy" in checks["packages"].detail
    assert "installed:" in checks["extras"].detail
    assert not checks["server"].ok
    assert "http://127.0.0.1:9/v1 does not answer" in checks["server"].detail
    assert "GOSSAMER_EMBEDDING__BASE_URL" in checks["server"].advice
    assert "secret" not in repr(checks)
    assert "hidden" not in repr(checks)


def test_half_an_extra_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "installed", lambda name: None if name == "tokenizers" else "1")
    check = installation._extras()
    assert not check.ok
    assert "onnx" in check.advice


def test_the_model_of_an_index_is_tried(tmp_path: Path) -> None:
    build_index([Document("a", "Helix Labs is in Pune.")], tmp_path / "one")
    (check,) = installation._model(str(tmp_path / "one"))
    assert check.ok
    assert "512 numbers" in check.detail
    build_index([Document("a", "x")], tmp_path / "two", embed_fn=lambda texts: [[1.0, 0.0]] * len(texts))
    (check,) = installation._model(str(tmp_path / "two"))
    assert check.ok
    assert "asks no model" in check.detail
    assert installation._model(str(tmp_path / "nowhere")) == []


def test_every_extra_says_what_pip_installs() -> None:
    for extra in installation.extras():
        assert installation.extra_requirements(extra), extra
