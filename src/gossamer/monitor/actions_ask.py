"""Commands about an answer: show, why, compare, replay, save."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.errors import UsageError
from gossamer.monitor.commands import split_words
from gossamer.monitor.frames import detail
from gossamer.monitor.frames.comparison import comparison
from gossamer.monitor.record import read_record, write_record
from gossamer.monitor.recorder import record_of_trace

if TYPE_CHECKING:
    from gossamer.monitor.app import MonitorApp
    from gossamer.monitor.record import Record


async def show(app: MonitorApp, argument: str) -> None:
    """/show N"""
    shown = app.desk.last.passage(argument or "1")
    app.say(lambda width, _: detail.passage(shown, width, ascii_only=app.ascii_only))


async def why(app: MonitorApp, argument: str) -> None:
    """/why N"""
    record = app.desk.last
    shown = record.passage(argument or "1")
    app.say(lambda width, _: detail.why(record, shown, width, ascii_only=app.ascii_only))


async def compare(app: MonitorApp, argument: str) -> None:
    """/compare [QUESTION]: the last question where none is given."""
    found = await asyncio.to_thread(app.desk.compare, argument or app.desk.last.question)
    app.say(lambda width, _: comparison(found, width, ascii_only=app.ascii_only))


async def replay(app: MonitorApp, argument: str) -> None:
    """/replay [FILE]"""
    app.play(await asyncio.to_thread(_saved, _file(argument)) if argument else app.desk.last)


async def save(app: MonitorApp, argument: str) -> None:
    """/save FILE"""
    if not argument:
        raise UsageError("/save needs a file name: /save answer.json, or answer.md for reading.")
    path = _file(argument)
    await asyncio.to_thread(write_record, app.desk.last, path)
    app.say_text(f"Saved as {path}.", tone="ok")


def _file(argument: str) -> str:
    words = split_words(argument)
    if len(words) != 1:
        raise UsageError(f"{argument!r} is not one file. Put a name with blanks in quotes.")
    return str(Path(words[0]).expanduser())


def _saved(path: str) -> Record:
    """A saved answer, or the last trace of a file of traces."""
    if not path.endswith(".jsonl"):
        return read_record(path)
    from gossamer.insight.trace import load_traces

    traces = load_traces(path)
    if not traces:
        raise UsageError(f"{path} holds no trace. Name a file that TraceConfig wrote.")
    try:
        return record_of_trace(traces[-1], Path(path).name)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UsageError(f"The last trace of {path} lacks something. Write it again with this version.") from None
