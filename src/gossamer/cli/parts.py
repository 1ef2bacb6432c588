"""`gossamer parts INDEX QUESTION`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import model_options as llm_options
from gossamer.cli.output import print_json

if TYPE_CHECKING:
    from gossamer.retrieval.parts import PartsResult


def parts(
    folder: Annotated[str, typer.Argument(metavar="INDEX", help="The index folder.")],
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    part: Annotated[
        list[str] | None, typer.Option("--part", help="One part; repeatable. #1 stands for the first one's answer.")
    ] = None,
    given: Annotated[
        list[str] | None, typer.Option("--answer", metavar="N=TEXT", help="The answer of part N; repeatable.")
    ] = None,
    llm_url: llm_options.Url = None,
    llm_model: llm_options.Model = None,
    llm_key_env: llm_options.KeyEnv = None,
    llm_set: llm_options.Other = None,
    budget: Annotated[int, typer.Option(help="Tokens of the context.")] = 4000,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only documents with: path, namespace, after, …; repeatable."),
    ] = None,
    settings: Annotated[Path | None, typer.Option(help="TOML file; its table [llm] is read.")] = None,
    cache: Annotated[Path | None, typer.Option("--llm-cache", help="File that keeps replies.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Ask in parts, one feeding the next: gossamer parts my_index "Where was the author of Emma born?" --llm-url URL

    Without --part a language model divides the question; without --answer it reads what a later part needs.
    """
    from gossamer.retrieval.filters import parse_where
    from gossamer.retrieval.parts import search_parts
    from gossamer.retrieval.pipeline import open_index

    text = sys.stdin.read().strip() if question == "-" else question
    answers = _answers(given or []) if given else None
    # Parts without a model are searched side by side; a model is only made where one is named or needed.
    asks = bool(llm_url or llm_model or not part)
    client = (
        llm_options.client(llm_url, llm_model, llm_key_env, llm_set, settings=settings, cache=cache) if asks else None
    )
    only = parse_where(where or [])
    with open_index(folder) as retrieval:
        found = search_parts(retrieval, text, budget, parts=part, answers=answers, llm=client, where=only)
    if json_output:
        print_json("parts", found.to_dict())
        return
    _print(found)
    if client is not None:
        typer.echo(llm_options.spent_line(client.spent), err=True)


def _print(found: PartsResult) -> None:
    result = found.result
    for warning in result.warnings:
        typer.echo(f"warning: {warning}", err=True)
    for number, part in enumerate(found.parts, start=1):
        typer.echo(f"part {number}  {part.asked}", err=True)
        if part.answer is not None:
            typer.echo(f"        {part.answer}, by {part.passage}", err=True)
    typer.echo(result.context)
    typer.echo(f"{len(result.passages)} passages, {result.tokens} of {result.token_budget} tokens", err=True)


def _answers(given: list[str]) -> dict[int, str]:
    from gossamer.errors import UsageError

    answers = {}
    for text in given:
        number, equals, answer = text.partition("=")
        if not equals or not number.strip().isdecimal():
            raise UsageError(f"--answer {text!r} names no part. Write it like 1=Jane Austen.")
        answers[int(number)] = answer
    return answers
