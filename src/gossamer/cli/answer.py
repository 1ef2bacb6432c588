"""`gossamer answer INDEX QUESTION`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import model_options as llm_options
from gossamer.cli.output import print_json

if TYPE_CHECKING:
    from gossamer.model import Answer


def answer(
    folder: Annotated[str, typer.Argument(metavar="INDEX", help="The index folder.")],
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    llm_url: llm_options.Url = None,
    llm_model: llm_options.Model = None,
    llm_key_env: llm_options.KeyEnv = None,
    llm_set: llm_options.Other = None,
    budget: Annotated[int, typer.Option(help="Tokens of the context.")] = 4000,
    order: Annotated[
        str, typer.Option(help="document, or ends: the best documents at both ends of a long context.")
    ] = "document",
    min_confidence: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Ask no model when the context is less likely to suffice.")
    ] = 0.1,
    settings: Annotated[Path | None, typer.Option(help="TOML file; its table [llm] is read.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="One setting, as group.name=value; repeatable.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only documents with: path, namespace, after, …; repeatable."),
    ] = None,
    cache: Annotated[Path | None, typer.Option("--llm-cache", help="File that keeps replies.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would cost; ask no model.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")] = False,
) -> None:
    """Answer from an index with a language model: gossamer answer my_index "Who pays for Orion?" --llm-url URL --llm-model NAME

    URL, NAME and the key's variable may also stand in GOSSAMER_LLM_URL, GOSSAMER_LLM_MODEL and GOSSAMER_LLM_KEY_ENV.
    """
    from gossamer.cli.configure import apply_changes
    from gossamer.retrieval.answering import estimate_answer
    from gossamer.retrieval.filters import parse_where
    from gossamer.retrieval.pipeline import open_index

    only = parse_where(where or [])
    text = sys.stdin.read().strip() if question == "-" else question
    client = llm_options.client(llm_url, llm_model, llm_key_env, llm_set, settings=settings, cache=cache)
    with client, open_index(folder) as retrieval:
        asked = retrieval.with_settings(apply_changes(retrieval.settings, set_ or []))
        if dry_run:
            result, estimate = estimate_answer(asked, text, client, budget, order=order, where=only)
            if json_output:
                print_json("answer-estimate", {**asdict(estimate), "result": result.to_dict()})
            else:
                typer.echo(llm_options.estimate_line(estimate))
            return
        if json_output:
            found = asked.answer(text, client, budget, order=order, where=only, min_confidence=min_confidence)
            print_json("answer", {**found.to_dict(), "spent": asdict(client.spent)})
            return
        stream = asked.stream_answer(text, client, budget, order=order, where=only, min_confidence=min_confidence)
        for piece in stream:
            typer.echo(piece, nl=False)
        found = stream.answer
        if found.text:
            typer.echo("")
        _print_notes(found)
        typer.echo(llm_options.spent_line(client.spent), err=True)


def _print_notes(found: Answer) -> None:
    """Sources on stdout, what a reader must know on stderr."""
    from gossamer.cli.query import passage_label

    if found.abstained:
        typer.echo(f"no answer: {found.abstained}")
    if found.citations:
        typer.echo("")
    for citation in found.citations:
        typer.echo(f"[{citation.number}] {passage_label(citation.passage)}")
    for pair in found.disagreements:
        typer.echo(f'disagreement: [{pair.first}] says "{pair.left}", [{pair.second}] says "{pair.right}"')
    for warning in found.result.warnings:
        typer.echo(f"warning: {warning}", err=True)
    if found.unresolved:
        numbers = ", ".join(map(str, found.unresolved))
        typer.echo(f"warning: removed citations of passages that do not exist: {numbers}", err=True)
    if found.text and not found.citations and not found.abstained:
        typer.echo("warning: the answer cites no passage: check it against them", err=True)
    if found.cut:
        typer.echo("warning: the answer reached its limit: raise it with --llm-set max_tokens=N", err=True)
