"""The spreading options of `gossamer query`, and how their answer is printed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli.complete import complete_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.retrieval.filters import Where
    from gossamer.retrieval.pipeline import SpectRAGRetrieval
    from gossamer.retrieval.spread_answer import SpreadAnswer, SpreadPassage

ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile",
        help="Spread: standard, precise, explore or compare.",
        autocompletion=complete_words("standard", "precise", "explore", "compare"),
    ),
]
Engine = Annotated[
    str | None, typer.Option("--engine", help="Spread: flow or wave.", autocompletion=complete_words("flow", "wave"))
]
Damping = Annotated[float | None, typer.Option("--damping", help="Spread: share of energy that moves on.")]
Threshold = Annotated[float | None, typer.Option("--threshold", help="Spread: share of energy below which it dies.")]
Width = Annotated[int | None, typer.Option("--width", help="Spread: number of seed ideas.")]
Without = Annotated[list[str] | None, typer.Option("--without", help="Spread: leave out what names this; repeatable.")]
Wording = Annotated[
    str | None,
    typer.Option("--wording", help='Spread: "without X" in the question itself: hint, names, words or off.'),
]
Part = Annotated[list[str] | None, typer.Option("--part", help="Spread: a part of the question; repeatable.")]
Warm = Annotated[list[str] | None, typer.Option("--warm", help="Spread: a question asked before; repeatable.")]
Show = Annotated[int | None, typer.Option("--show", min=0, help="Spread: print so many passages.")]
Paths = Annotated[bool, typer.Option("--paths", help="Spread: say how energy came to each passage.")]
Accept = Annotated[
    list[str] | None,
    typer.Option("--accept", metavar="ID", help="Spread: this passage was useful, learn it; repeatable."),
]
Trace = Annotated[Path | None, typer.Option("--trace", metavar="FILE", help="Spread: append a trace to this file.")]
Other = Annotated[
    list[str] | None, typer.Option("--spread", metavar="NAME=VALUE", help="Any other spreading option; repeatable.")
]

_SHOWN = 10
_THEMES = 5


@dataclass(frozen=True, slots=True)
class SpreadOptions:
    """What was asked for on the command line; `asked` says whether anything was."""

    profile: str | None = None
    engine: str | None = None
    damping: float | None = None
    threshold: float | None = None
    width: int | None = None
    without: list[str] | None = None
    wording: str | None = None
    parts: list[str] | None = None
    warm: list[str] | None = None
    show: int | None = None
    paths: bool = False
    accepted: list[str] | None = None
    trace: Path | None = None
    others: list[str] | None = None

    @property
    def asked(self) -> bool:
        """Whether the question is to spread instead of filling a budget."""
        return self != SpreadOptions()

    @property
    def changes(self) -> dict[str, Any]:
        """Fields of `RetrievalConfig` that were given."""
        from gossamer.cli.configure import parse_change

        named = ("profile", "engine", "damping", "threshold", "width", "wording")
        found = {name: getattr(self, name) for name in named if getattr(self, name) is not None}
        return found | dict(parse_change("--spread", change) for change in self.others or [])


def spread(
    retrieval: SpectRAGRetrieval, question: str, options: SpreadOptions, where: Where | None = None
) -> SpreadAnswer:
    """Ask as the options say; earlier questions are asked first, in the same session."""
    from gossamer.errors import UsageError

    without = tuple(options.without or ())
    if options.parts:
        if options.warm or options.accepted:
            raise UsageError("--part does not go together with --warm or --accept. Leave one of them out.")
        return retrieval.retrieve_colored(options.parts, question, without=without, where=where, **options.changes)
    session = retrieval.session(**options.changes)
    for earlier in options.warm or ():
        session.retrieve(earlier, without=without, where=where)
    answer = session.retrieve(question, without=without, where=where)
    for passage in options.accepted or ():
        session.accept(passage)
    return answer


def print_answer(answer: SpreadAnswer, options: SpreadOptions) -> None:
    """The answer for people: passages on standard output, everything about them after."""
    from gossamer.cli.query import indent, passage_label
    from gossamer.insight.ledger import ledger_line

    for warning in answer.warnings:
        typer.echo(f"warning: {warning}", err=True)
    for number, passage in enumerate(answer.passages[: _SHOWN if options.show is None else options.show], start=1):
        typer.echo(f"{number:>3}  {passage.energy:7.3f}  {passage_label(passage)}{_notes(passage)}")
        typer.echo(indent(passage.text))
        if options.paths:
            typer.echo(f"     path   {answer.path(passage.id)}")
        typer.echo("")
    for line in _about(answer):
        typer.echo(line)
    profile = answer.profile
    typer.echo(f"confidence   {answer.confidence}")
    typer.echo(
        f"run          {answer.config.engine}, {profile.name} (damping {profile.damping:g}, threshold "
        f"{profile.threshold:g}, width {profile.width}), stopped: {answer.stop_reason}, duplicates: {answer.dedup_mode}"
    )
    typer.echo(f"energy       {ledger_line(answer.ledger)}")
    refusal = answer.refusal()
    if refusal is not None:
        typer.echo(f"refusal      {refusal}")


def _about(answer: SpreadAnswer) -> Iterator[str]:
    """What the ranking hides, a line each."""
    for left in answer.left_out:
        yield f'left out     "{left.name}" ({_counted(left.passages)})'
    for bridge in answer.bridges[:_SHOWN]:
        parts = " and ".join(f'"{part}"' for part in bridge.parts)
        yield f"bridge       {bridge.passage} is reached from {parts} (strength {bridge.strength:.3f}, at most 0.5)"
    total = sum(passage.energy for passage in answer.passages) or 1.0
    for theme in answer.clusters()[:_THEMES]:
        yield f"theme        {theme.label}: {_counted(len(theme.passages))} with {theme.energy / total:.0%} of the energy"
    for gap in answer.gaps():
        where = "none of the ten best passages" if gap.known else "no passage of the index"
        yield f'gap          {where} has "{gap.text}" ({gap.weight:.0%} of the question)'
    for conflict in answer.contradictions:
        newer = f" {conflict.current} is newer." if conflict.current else ""
        yield f"conflict     {conflict.first} and {conflict.second}: {conflict.question}{newer}"


def _counted(passages: int) -> str:
    return "1 passage" if passages == 1 else f"{passages} passages"


def _notes(passage: SpreadPassage) -> str:
    from gossamer.cli.query import votes_note

    return f"  hop {passage.hop}{votes_note(passage)}"
