"""`gossamer serve`: what it prints, what it refuses, and that it answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gossamer import Document, build_index

pytest.importorskip("uvicorn")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("serve")
    build_index([Document("a", "Helix Labs is in Pune.")], made / "i")
    return made


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "gossamer", "serve", *arguments]


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command("i", "--port", "0", "--json", *arguments),
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=os.environ,
    ) as process:  # fmt: skip
        yield process
        process.terminate()
        process.communicate(timeout=20)


def printed(process: subprocess.Popen[str]) -> dict[str, str]:
    lines: list[str] = []
    assert process.stdout is not None
    while not lines or lines[-1] != "}\n":
        lines.append(process.stdout.readline())
        assert lines[-1], process.communicate()
    found: dict[str, str] = json.loads("".join(lines))
    return found


def test_it_answers_at_the_printed_address(folder: Path) -> None:
    with running(folder) as process:
        said = printed(process)
        assert said["gossamer"] == "serve" and said["address"].startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{said['address']}api/info", timeout=20) as response:
            assert json.load(response)["chunks"] == 1


def test_bound_elsewhere_it_makes_a_token(folder: Path) -> None:
    with running(folder, "--host", "0.0.0.0") as process:
        address, token = printed(process)["address"].split("#token=")
        assert len(token) >= 16
        request = urllib.request.Request(
            address.replace("localhost", "127.0.0.1") + "api/info", headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(request, timeout=20) as response:
            assert json.load(response)["chunks"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("none",), 1, "no index"),
        (("i", "--port", "70000"), 2, "65535"),
        (("i", "--token", "short"), 2, "at least 16"),
        (("i", "--host", "192.0.2.99"), 2, "cannot be used"),
    ],
)
def test_what_cannot_be_served_is_one_line(folder: Path, arguments: tuple[str, ...], code: int, words: str) -> None:
    run = subprocess.run(
        command(*arguments), cwd=folder, capture_output=True, text=True, encoding="utf-8", env=os.environ, check=False
    )
    assert run.returncode == code and words in run.stderr and "Traceback" not in run.stderr


def test_without_the_extra_it_says_what_to_install(folder: Path) -> None:
    code = (
        "import sys; sys.modules['starlette'] = None; sys.modules['uvicorn'] = None; "
        "sys.argv = ['gossamer', 'serve', 'i']; from gossamer.cli.main import run; run()"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, env=os.environ, check=False
    )
    assert run.returncode == 1 and "pip install 'gossamer[serve]'" in run.stderr and "Traceback" not in run.stderr
