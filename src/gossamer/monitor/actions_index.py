"""Commands about indexes: demo, index, indexes, find, lint."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gossamer.demo import CORPUS, QUESTIONS
from gossamer.errors import UsageError
from gossamer.monitor.commands import split_words
from gossamer.monitor.finder import find_uses, is_index
from gossamer.monitor.frames.cells import Lines
from gossamer.monitor.frames.progress import progress
from gossamer.monitor.frames.table import message, table, title

if TYPE_CHECKING:
    from gossamer.insight.lint_report import LintReport
    from gossamer.monitor.app import MonitorApp
    from gossamer.monitor.jobs import Job

_TONES = {"error": "error", "warning": "warning", "info": "muted"}
_SKIPPED = 5


async def demo(app: MonitorApp, _: str) -> None:
    """/demo"""
    folder = str(Path(app.desk.scratch()) / "demo_index")
    if await _build(app, str(CORPUS), folder, "example documents"):
        question, budget = QUESTIONS[0]
        await app.ask(question, budget=budget)
        others = " ".join(f"“{other}”" if not app.ascii_only else f'"{other}"' for other, _ in QUESTIONS[1:])
        app.say_text(f"Ask on: {others} Or /compare to see what other ways of searching find.", tone="muted")


async def index(app: MonitorApp, argument: str) -> None:
    """/index: open, or build in the background."""
    words = [str(Path(word).expanduser()) for word in split_words(argument)]
    if not words:
        raise UsageError("/index needs a folder: /index my_index opens it, /index docs my_index builds it.")
    if len(words) > 2:
        raise UsageError("/index takes documents and an index folder. Put a name with blanks in quotes.")
    if len(words) == 1:
        known = await asyncio.to_thread(app.desk.indexes)
        folder = known[int(words[0]) - 1] if words[0].isdecimal() and 0 < int(words[0]) <= len(known) else words[0]
        if is_index(folder) or not Path(folder).exists():
            await _open(app, folder)
            return
        words = [folder, f"{folder.rstrip('/')}_index"]
    await _build(app, words[0], words[1], Path(words[0]).name or words[0])


async def indexes(app: MonitorApp, _: str) -> None:
    """/indexes"""
    known = await asyncio.to_thread(app.desk.indexes)
    if not known:
        app.say_text("No index is known here. Build one: /index DOCS INDEX, or type /demo.", tone="muted")
        return
    rows = await asyncio.to_thread(lambda: [_row(number, name) for number, name in enumerate(known, start=1)])
    opened = [("ok" if name == app.desk.index else "") for name in known]
    app.say(
        lambda width, _: table(
            ("", "passages", "documents", "embedder", "index"), rows, width, tones=opened, ascii_only=app.ascii_only
        )
    )


async def find(app: MonitorApp, argument: str) -> None:
    """/find [FOLDER]"""
    root = str(Path((split_words(argument) or ["."])[0]).expanduser())
    if not Path(root).is_dir():
        raise UsageError(f"There is no folder {root}. Name the folder of a project.")
    uses = await asyncio.to_thread(find_uses, root)
    if not uses:
        app.say_text(f"No Python file under {root} opens an index of Gossamer.", tone="muted")
        return
    rows = [
        (
            f"{use.file}:{use.line}",
            use.call,
            "there" if use.exists else ("missing" if use.index else "computed"),
            use.index or "",
        )
        for use in uses
    ]
    tones = ["ok" if use.exists else ("warning" if use.index else "muted") for use in uses]
    app.say(
        lambda width, _: table(("file", "call", "is", "index"), rows, width, tones=tones, ascii_only=app.ascii_only)
    )


async def lint(app: MonitorApp, _: str) -> None:
    """/lint"""
    from gossamer.insight.lint import lint_index

    report = await asyncio.to_thread(lint_index, app.desk.require().snapshot)
    app.say(lambda width, _: _findings(report, width, ascii_only=app.ascii_only))


def _findings(report: LintReport, width: int, *, ascii_only: bool) -> Lines:
    head = title(f"{report.chunks} passages of {report.documents} documents", width, ascii_only=ascii_only)
    if not report.findings:
        return [head, *message("Nothing to mend.", width, tone="ok")]
    lines: Lines = [head]
    for finding in report.findings:
        name = f"{finding.severity}: {finding.kind}"
        text = f"{finding.count} ({finding.share:.0%}). {finding.advice} {', '.join(finding.examples)}"
        lines += message(text, width, tone=_TONES[finding.severity], name=name)
    return lines


async def _open(app: MonitorApp, folder: str) -> None:
    await asyncio.to_thread(app.desk.open, folder)
    snapshot = app.desk.require().snapshot
    size = f"{len(snapshot)} passages of {len(snapshot.document_ids)} documents"
    app.say_text(f"{folder} is open: {size}. Type a question.", tone="ok")
    app.show_status()


async def _build(app: MonitorApp, documents: str, folder: str, name: str) -> bool:
    """Build in a process of its own with a line that tells how far it is, then open; False where it failed."""
    heard: dict[str, Any] = {}
    running: list[Job] = []
    entry = app.say(
        lambda width, _: [_progress(job, width, ascii_only=app.ascii_only) for job in running] or message("…", width)
    )

    def line(job: Job, text: str) -> None:
        running[:] = [job]
        heard.update(_heard(text))
        if "stage" in heard:
            job.tell(str(heard["stage"]), int(heard["done"]), int(heard["total"]))
        entry.redraw()

    command = [sys.executable, "-m", "gossamer.monitor.worker", documents, folder]
    job = await app.jobs.run(f"index {name}", "index", command, line)
    running[:] = [job]
    entry.redraw()
    if job.state == "failed":
        app.say_text(str(heard.get("error") or heard.get("text", "It ended early.")), tone="error", name="error")
    if job.state != "done":
        return False
    _tell(app, heard)
    await _open(app, folder)
    return True


def _heard(text: str) -> dict[str, Any]:
    """What the worker said; a line that is no JSON is what Python says of its own end."""
    try:
        data = json.loads(text)
    except ValueError:
        return {"text": text}
    return data if isinstance(data, dict) else {"text": text}


def _tell(app: MonitorApp, heard: dict[str, Any]) -> None:
    skipped, warnings = heard.get("skipped", []), heard.get("warnings", [])
    for item in skipped[:_SKIPPED]:
        app.say_text(str(item), tone="warning", name="skipped")
    if len(skipped) > _SKIPPED:
        app.say_text(f"{len(skipped) - _SKIPPED} more were skipped.", tone="warning", name="skipped")
    for warning in warnings:
        app.say_text(str(warning), tone="warning", name="warning")


def _progress(job: Job, width: int, *, ascii_only: bool) -> Any:
    return progress(
        job.title, job.state, job.stage, job.done, job.total, job.seconds, job.left, width, ascii_only=ascii_only
    )


def _row(number: int, name: str) -> tuple[str, str, str, str, str]:
    from gossamer.errors import IndexFolderError
    from gossamer.index.local import LocalStore

    try:
        info = LocalStore(name).manifest().info
    except IndexFolderError:
        return str(number), "?", "?", "damaged: /doctor", name
    counts = info["counts"]
    return str(number), str(counts["chunks"]), str(counts["documents"]), str(info["embedder"]["kind"]), name
