"""Commands that change how questions are asked: budget, tune, without, parts, config."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gossamer.cli.configure import parse_change
from gossamer.errors import UsageError
from gossamer.monitor.commands import split_words
from gossamer.monitor.frames.table import table

if TYPE_CHECKING:
    from gossamer.monitor.app import MonitorApp

_OFF = {"off", "none"}


async def budget(app: MonitorApp, argument: str) -> None:
    """/budget N"""
    if not argument:
        app.say_text(f"Passages may fill {app.desk.asking.budget} tokens. /budget 2000 changes it.")
        return
    if not argument.isdecimal() or not 0 < int(argument) <= 10_000_000:
        raise UsageError(f"budget = {argument!r} is not possible. Give a whole number of tokens: /budget 2000")
    app.desk.asking = replace(app.desk.asking, budget=int(argument))
    app.say_text(f"Passages may fill {argument} tokens now.", tone="ok")


async def tune(app: MonitorApp, argument: str) -> None:
    """/tune [NAME=VALUE …]"""
    if argument in _OFF:
        app.desk.untune()
        app.say_text("Questions are asked with the settings of the index again.", tone="ok")
        return
    if argument:
        app.desk.tune(dict(parse_change("/tune", word) for word in split_words(argument)))
    _show_options(app)


async def without(app: MonitorApp, argument: str) -> None:
    """/without TEXT, …"""
    if argument:
        names = () if argument in _OFF else _listed(argument, ",")
        app.desk.asking = replace(app.desk.asking, without=names)
    left_out = ", ".join(app.desk.asking.without)
    app.say_text(
        f"Left out of every answer: {left_out}. /without off brings it back." if left_out else "Nothing is left out.",
        tone="ok" if argument else "",
    )


async def parts(app: MonitorApp, argument: str) -> None:
    """/parts A | B"""
    if argument:
        found = () if argument in _OFF else _listed(argument, "|")
        if len(found) == 1 or len(set(found)) < len(found):
            raise UsageError("/parts needs two or more different parts: /parts who built it | where it stands")
        app.desk.asking = replace(app.desk.asking, parts=found)
    named = " | ".join(app.desk.asking.parts)
    app.say_text(
        f"The next question spreads in parts: {named}. Type the whole question." if named else "No parts are set.",
        tone="ok" if argument else "",
    )


async def config(app: MonitorApp, argument: str) -> None:
    """/config [NAME=VALUE …]"""
    for word in split_words(argument):
        name, value = parse_change("/config", word)
        if name == "speed" and isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 10:
            app.desk.speed = float(value)
        elif name == "ascii" and value in {True, False, "on", "off"}:
            app.ascii_only = value in {True, "on"}
            app.set_class(app.ascii_only, "ascii")
        else:
            raise UsageError(f"{word!r} is not possible. Give speed=0.2 (seconds a hop, 0 for none) or ascii=on.")
    desk = app.desk
    rows = [
        ("index", desk.index or "none"),
        ("budget", f"{desk.asking.budget} tokens"),
        ("speed", f"{desk.speed:g} s a hop"),
        ("ascii", "on" if app.ascii_only else "off"),
        ("traces", f"followed in {app.follower.folder}" if app.follower.active else f"no folder {app.follower.folder}"),
    ]
    if desk.retrieval is not None:
        rows += [("embedder", desk.retrieval.settings.embedder), ("settings", repr(desk.require().settings))]
    app.say(lambda width, _: table(("name", "value"), rows, width, ascii_only=app.ascii_only))


def _listed(argument: str, mark: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in argument.split(mark) if part.strip())


def _show_options(app: MonitorApp) -> None:
    from gossamer.retrieval.spread_config import make_config

    asking = app.desk.asking
    options = make_config(None, asking.options)
    profile = options.resolved
    values = {**options.to_dict(), "damping": profile.damping, "threshold": profile.threshold, "width": profile.width,
              "exponent": profile.exponent}  # fmt: skip
    values["max_hops"] = "engine's" if options.max_hops is None else options.max_hops
    values |= app.desk.settings_changes
    changed = {*asking.options, *app.desk.settings_changes}
    rows = [(name, "tuned" if name in changed else "", _shown(value)) for name, value in values.items()]
    tones = ["ok" if name in changed else "" for name, _, _ in rows]
    app.say(lambda width, _: table(("option", "", "value"), rows, width, tones=tones, ascii_only=app.ascii_only))


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)
