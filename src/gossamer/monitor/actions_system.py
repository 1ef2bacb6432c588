"""Commands about the installation, background work, the shell and the screen."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from typing import TYPE_CHECKING

from rich.text import Text

from gossamer.cli.installation import extra_requirements, extras, installation_checks
from gossamer.errors import UsageError
from gossamer.monitor.commands import BY_NAME, COMMANDS
from gossamer.monitor.frames import manual
from gossamer.monitor.frames.cells import ESCAPES, clean, fit, lead
from gossamer.monitor.frames.look import BAD, GOOD, MUTED
from gossamer.monitor.frames.progress import progress
from gossamer.monitor.frames.table import table

if TYPE_CHECKING:
    from gossamer.index.verify import Check
    from gossamer.monitor.app import MonitorApp
    from gossamer.monitor.frames.cells import Lines
    from gossamer.monitor.jobs import Job

_KEPT_LINES = 400


async def doctor(app: MonitorApp, _: str) -> None:
    """/doctor"""
    index = app.desk.index
    checks = await asyncio.to_thread(_checks, index)
    rows = [(check.name, "ok" if check.ok else "FAULT", _told(check)) for check in checks]
    tones = ["ok" if check.ok else "error" for check in checks]
    app.say(lambda width, _: table(("check", "", "what was seen"), rows, width, tones=tones, ascii_only=app.ascii_only))


async def install(app: MonitorApp, argument: str) -> None:
    """/install EXTRA"""
    packages = extra_requirements(argument)
    if not packages:
        raise UsageError(f"There is no extra {argument!r}. Known: {', '.join(extras())}.")
    command = [sys.executable, "-m", "pip", "install", *packages]

    async def go() -> None:
        job = await _show_output(app, f"install {argument}", "install", command)
        if job.state == "done":
            app.say_text(f"The extra {argument} is installed.", tone="ok")
        elif job.state == "failed":
            app.say_text(
                f"It failed. Install it yourself: pip install {' '.join(packages)}", tone="error", name="error"
            )

    app.ask_first(f"Install {', '.join(packages)} into {sys.prefix}?", go)


async def jobs(app: MonitorApp, _: str) -> None:
    """/jobs"""
    found = list(app.jobs.all)
    if not found:
        app.say_text("Nothing ran in the background yet.", tone="muted")
        return
    app.say(
        lambda width, _: [
            lead(f"{job.number:>3}", MUTED) + _line(job, width - 3, ascii_only=app.ascii_only) for job in found
        ]
    )


async def kill(app: MonitorApp, argument: str) -> None:
    """/kill N"""
    job = app.jobs.get(argument)
    app.jobs.kill(job)
    app.say_text(f"Job {job.number} is stopped.", tone="ok")


async def shell(app: MonitorApp, argument: str) -> None:
    """!command"""
    if not argument:
        raise UsageError("! needs a command: !ls")
    await _show_output(app, argument, "shell", argument)


async def clear(app: MonitorApp, _: str) -> None:
    """/clear"""
    app.clear()


async def show_help(app: MonitorApp, argument: str) -> None:
    """/help [COMMAND]"""
    name = argument.lstrip("/")
    if not name:
        groups: dict[str, list[tuple[str, str]]] = {}
        for command in COMMANDS:
            groups.setdefault(command.group, []).append((command.usage, command.does))
        app.say(lambda width, _: [*manual.commands(groups, width), Text(), *manual.keys(width)])
        return
    if name not in BY_NAME:
        raise UsageError(f"There is no command /{name}. /help lists all.")
    known = BY_NAME[name]
    app.say(lambda width, _: manual.command(known.usage, known.does, known.example, width))


async def leave(app: MonitorApp, _: str) -> None:
    """/quit"""
    app.exit()


async def _show_output(app: MonitorApp, title: str, kind: str, command: list[str] | str) -> Job:
    """Run something and show the last lines it writes as they come."""
    lines: deque[str] = deque(maxlen=_KEPT_LINES)
    ended: list[Job] = []

    def draw(width: int, _: int) -> Lines:
        shown = [Text(fit(f"  {line}", width, ascii_only=app.ascii_only), no_wrap=True) for line in lines]
        return [*shown, *(_end(job) for job in ended)] or [Text(f"  {title} …"[:width], style=MUTED)]

    entry = app.say(draw)

    def line(_: Job, text: str) -> None:
        lines.append(_printable(text))
        entry.redraw()

    job = await app.jobs.run(title, kind, command, line)
    ended.append(job)
    entry.redraw()
    return job


def _end(job: Job) -> Text:
    code = job.process.returncode if job.process is not None else None
    said = {"done": "done", "killed": "stopped"}.get(job.state, f"failed, exit code {code}")
    return Text(f"  {said}", style=GOOD if job.state == "done" else BAD, no_wrap=True)


def _printable(text: str) -> str:
    """A line of output without what would steer the terminal; its columns stay."""
    plain = ESCAPES.sub("", text).expandtabs()
    lead = len(plain) - len(plain.lstrip(" "))
    return " " * lead + "  ".join(clean(part) for part in plain.strip().split("  "))


def _line(job: Job, width: int, *, ascii_only: bool) -> Text:
    return progress(
        job.title, job.state, job.stage, job.done, job.total, job.seconds, job.left, width, ascii_only=ascii_only
    )


def _checks(index: str) -> list[Check]:
    from gossamer.index.verify import check_index

    return [*installation_checks(index or None), *(check_index(index) if index else [])]


def _told(check: Check) -> str:
    return check.detail if check.ok else f"{check.detail} -> {check.advice}"
