"""Commands, finder, follower, history and jobs, each without a screen."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from gossamer import Document, build_index, open_index
from gossamer.errors import UsageError
from gossamer.insight.trace import MARKER
from gossamer.monitor.actions import ACTIONS
from gossamer.monitor.commands import BY_NAME, Choices, complete, read_line, split_words
from gossamer.monitor.finder import find_indexes, find_uses
from gossamer.monitor.follow import Follower
from gossamer.monitor.jobs import Job, Jobs
from gossamer.monitor.prompt import History


def small_index(folder: Path) -> str:
    build_index([Document("a", "Helix Labs built the port."), Document("b", "Helix Labs is in Pune.")], folder)
    return str(folder)


def test_every_command_has_an_action_and_an_example_that_reads() -> None:
    assert set(ACTIONS) - {"!"} == set(BY_NAME)
    for command in BY_NAME.values():
        assert read_line(command.example)[0] == command.name
        assert command.usage.startswith(f"/{command.name}")


def test_a_unique_start_is_enough_and_a_slip_is_named() -> None:
    assert read_line("/lin") == ("lint", "")
    with pytest.raises(UsageError, match="Did you mean /compare"):
        read_line("/compere x")
    with pytest.raises(UsageError, match="/index or /indexes or /install"):
        read_line("/in")
    with pytest.raises(UsageError, match="/help lists all"):
        read_line("/")
    with pytest.raises(UsageError, match="quote"):
        split_words('"open')


def test_completion() -> None:
    choices = Choices({"tune": ["damping=", "engine="]}, lambda start: [f"{start}ocs/", "my docs"])
    assert complete("/", choices)[0] == "/demo"
    assert complete("/tune d", choices) == ["/tune damping="]
    assert complete("/tune damping=.5 e", choices) == ["/tune damping=.5 engine="]
    assert complete("/index d", choices) == ["/index docs/", "/index 'my docs'"]
    assert complete("who", choices) == []
    assert complete("/nonsense x", choices) == []


def test_finder_names_uses_and_indexes(tmp_path: Path) -> None:
    small_index(tmp_path / "my_index")
    (tmp_path / "app.py").write_text(
        "from gossamer import open_index as opening\nimport gossamer\nINDEX = 'my_index'\n"
        "with opening(INDEX) as index:\n    pass\ngossamer.build_index(docs, 'elsewhere')\n"
        "gossamer.lint_index(name)\nopen('x')\n",
        encoding="utf-8",
    )
    (tmp_path / "broken.py").write_text("import gossamer\ndef (", encoding="utf-8")
    (tmp_path / ".hidden").mkdir()
    assert [(u.line, u.call, u.index, u.exists) for u in find_uses(tmp_path)] == [
        (4, "open_index", "my_index", True),
        (6, "build_index", "elsewhere", False),
        (7, "lint_index", None, False),
    ]
    assert find_indexes(tmp_path) == [str(tmp_path / "my_index")]


def test_nothing_is_written_or_read_without_the_marker_folder(tmp_path: Path) -> None:
    folder = small_index(tmp_path / "my_index")
    with open_index(folder) as index:
        index.retrieve("Who built the port?")
    follower = Follower(tmp_path)
    assert not follower.active
    assert follower.poll() == []
    assert not (tmp_path / ".gossamer").exists()


def test_the_follower_reads_what_is_new_line_by_line(tmp_path: Path) -> None:
    folder = small_index(tmp_path / "my_index")
    (tmp_path / MARKER).mkdir(parents=True)
    with open_index(folder) as index:
        index.retrieve("An old question?")
        follower = Follower(tmp_path)
        assert follower.poll() == []
        index.retrieve("Who built the port?")
    (first,) = follower.poll()
    assert first.question == "Who built the port?"
    assert first.origin.startswith("process ")
    assert follower.poll() == []
    (path,) = (tmp_path / MARKER).glob("*.jsonl")
    whole = path.read_bytes().splitlines(keepends=True)[-1]
    other = path.with_name("77.jsonl")
    other.write_bytes(b"no trace\n" + whole[:40])
    assert follower.poll() == []
    assert follower.unreadable == 1
    other.write_bytes(b"no trace\n" + whole)
    assert [record.origin for record in follower.poll()] == ["process 77"]
    other.write_bytes(whole)
    assert len(follower.poll()) == 1


def test_history_lasts_and_repeats_nothing(tmp_path: Path) -> None:
    path = tmp_path / "state" / "history"
    history = History(path)
    for line in ("one", "two", "two"):
        history.add(line)
    again = History(path)
    assert again.lines == ["one", "two"]
    assert [again.move(-1), again.move(-1), again.move(-1), again.move(1), again.move(1)] == [
        "two",
        "one",
        "one",
        "two",
        "",
    ]
    assert path.stat().st_mode & 0o077 == 0
    (tmp_path / "file").write_text("", encoding="utf-8")
    History(tmp_path / "file" / "history").add("nowhere to write")


def run_job(command: list[str] | str, *, kill: bool = False) -> tuple[Job, list[str]]:
    async def go() -> tuple[Job, list[str]]:
        lines: list[str] = []
        jobs = Jobs(lambda: None)

        def line(job: Job, text: str) -> None:
            lines.append(text)
            if kill:
                jobs.kill(jobs.get(str(job.number)))

        return await jobs.run("title", "shell", command, line), lines

    return asyncio.run(go())


def test_jobs_end_as_their_process_does() -> None:
    job, lines = run_job([sys.executable, "-c", "print('a\\rb'); import sys; sys.stdout.buffer.write(b'\\xff\\n')"])
    assert (job.state, lines) == ("done", ["a", "b", "\ufffd"])
    assert run_job([sys.executable, "-c", "raise SystemExit(3)"])[0].state == "failed"
    job, lines = run_job(["no-such-program-anywhere"])
    assert job.state == "failed"
    assert "cannot be started" in lines[0]


def test_a_killed_job_ends_with_its_children() -> None:
    job, _ = run_job("echo begun; sleep 60; echo never", kill=True)
    assert job.state == "killed"
    assert job.seconds < 30


def test_time_left_is_of_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    job = Job(1, "t", "index", 0.0)
    job.tell("embed", 0, 40)
    assert job.left is None
    monkeypatch.setattr("time.monotonic", lambda: 110.0)
    job.tell("embed", 10, 40)
    assert job.left == 30.0
