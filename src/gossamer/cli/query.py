"""`gossamer query INDEX QUESTION`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import spread as spreading
from gossamer.cli.complete import complete_index
from gossamer.cli.output import print_json

if TYPE_CHECKING:
    from gossamer.model import Passage, Ranking, Result


def query(
    folder: Annotated[str, typer.Argument(metavar="INDEX", help="The index folder.", autocompletion=complete_index)],
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    budget: Annotated[int, typer.Option(help="Tokens of the context.")] = 4000,
    k: Annotated[int | None, typer.Option("-k", "--k", help="Rank k passages instead of filling a budget.")] = None,
    explain: Annotated[bool, typer.Option(help="Say why each passage is there.")] = False,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="One setting, as group.name=value; repeatable.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only documents with: path, namespace, after, …; repeatable."),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    profile: spreading.ProfileName = None,
    engine: spreading.Engine = None,
    damping: spreading.Damping = None,
    threshold: spreading.Threshold = None,
    width: spreading.Width = None,
    without: spreading.Without = None,
    wording: spreading.Wording = None,
    part: spreading.Part = None,
    warm: spreading.Warm = None,
    show: spreading.Show = None,
    paths: spreading.Paths = False,
    accept: spreading.Accept = None,
    trace: spreading.Trace = None,
    spread: spreading.Other = None,
) -> None:
    """Ask an index: gossamer query my_index "Who pays for Orion?" --budget 2000

    With any of the spreading options the question spreads as energy instead: no budget, the run stops by itself.
    """
    from gossamer.cli.configure import apply_changes
    from gossamer.insight.trace import TraceConfig
    from gossamer.model import Ranking
    from gossamer.retrieval.filters import parse_where
    from gossamer.retrieval.pipeline import open_index

    text = sys.stdin.read().strip() if question == "-" else question
    only = parse_where(where or [])
    options = spreading.SpreadOptions(
        profile, engine, damping, threshold, width, without, wording, part, warm, show, paths, accept, trace, spread
    )
    with open_index(folder, trace=TraceConfig(path=trace) if trace is not None else None) as retrieval:
        asked = retrieval.with_settings(apply_changes(retrieval.settings, set_ or []))
        if options.asked:
            answer = spreading.spread(asked, text, options, only)
            if json_output:
                print_json("retrieve", answer.to_dict(limit=show))
            else:
                spreading.print_answer(answer, options)
            return
        found: Result | Ranking = (
            asked.search(text, budget, where=only) if k is None else asked.rank(text, k, where=only)
        )
    if json_output:
        print_json("rank" if k is not None else "query", found.to_dict())
        return
    for warning in found.warnings:
        typer.echo(f"warning: {warning}", err=True)
    if isinstance(found, Ranking) or explain:
        _print_passages(found, explain=explain)
    else:
        typer.echo(found.context)
    if not isinstance(found, Ranking):
        typer.echo(f"{len(found.passages)} passages, {found.tokens} of {found.token_budget} tokens", err=True)
        if found.confidence is not None:
            typer.echo(f"confidence {found.confidence:.2f}", err=True)


def _print_passages(found: Result | Ranking, *, explain: bool) -> None:
    for number, passage in enumerate(found.passages, start=1):
        typer.echo(f"{number:>3}  {passage.score:7.3f}  {passage_label(passage)}{votes_note(passage)}")
        typer.echo(indent(passage.text))
        if explain:
            for line in why_lines(passage):
                typer.echo(f"     {line}")
        typer.echo("")


def passage_label(passage: Passage) -> str:
    """Where a passage stands: id, title, section and page."""
    from gossamer.model import heading_path

    page = f", page {passage.page}" if passage.page is not None else ""
    return f"{passage.id}  {' > '.join(heading_path(passage.title, passage.section))}{page}"


def votes_note(passage: Passage) -> str:
    """Which documents state the same, where there are several."""
    return f"  {passage.votes} votes: {', '.join(passage.sources)}" if passage.votes > 1 else ""


def indent(text: str) -> str:
    """The text, five columns in."""
    return "\n".join(f"     {line}" if line else "" for line in text.splitlines())


def why_lines(passage: Passage) -> list[str]:
    """The reasons of one passage, a line each."""
    why = passage.why
    lines = [f"why    {why.reason}"]
    if why.ranks:
        lines.append("ranks  " + ", ".join(f"{name} {rank}" for name, rank in why.ranks.items()))
    if why.parts:
        lines.append("terms  " + ", ".join(f"{name} {value:+.3f}" for name, value in why.parts.items() if value))
    for edge in why.edges:
        signals = ", ".join(f"{name} {value:.2f}" for name, value in edge.signals.items())
        shared = f" through {', '.join(edge.entities)}" if edge.entities else ""
        lines.append(f"edge   {edge.source} ({signals}){shared}")
    return lines
