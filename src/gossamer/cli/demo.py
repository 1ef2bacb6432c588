"""`gossamer demo`: index the bundled corpus, ask three questions, show what was chosen, why, and what top-k would miss."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    keep: Annotated[Path | None, typer.Option(help="Keep the index in this folder.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print the three results as JSON.")] = False,
) -> None:
    """Index the example corpus and ask it three questions: gossamer demo"""
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        folder = keep or Path(scratch) / "demo_index"
        show = _as_json if json_output else _run
        show(folder)


def _as_json(folder: Path) -> None:
    from gossamer.cli.output import print_json
    from gossamer.demo import CORPUS, QUESTIONS
    from gossamer.ingestion.pipeline import SpectRAGIngestion
    from gossamer.retrieval.pipeline import open_index

    report = SpectRAGIngestion(folder).ingest(CORPUS).to_dict()
    found = []
    with open_index(folder) as retrieval:
        for question, budget in QUESTIONS:
            result = retrieval.search(question, token_budget=budget).to_dict()
            found.append({**result, "plain_top_k": retrieval.plain_top_k(question, token_budget=budget)})
    print_json("demo", {"index": report, "results": found})


def _run(folder: Path) -> None:
    from gossamer.cli.query import indent, passage_label, why_lines
    from gossamer.demo import CORPUS, QUESTIONS
    from gossamer.ingestion.pipeline import SpectRAGIngestion
    from gossamer.retrieval.pipeline import open_index

    typer.echo(repr(SpectRAGIngestion(folder).ingest(CORPUS)))
    with open_index(folder) as retrieval:
        for question, budget in QUESTIONS:
            result = retrieval.search(question, token_budget=budget)
            plain = retrieval.plain_top_k(question, token_budget=budget)
            typer.echo(f"\n{'=' * 100}\nQ: {question}   (budget {budget} tokens)\n")
            typer.echo(f"Gossamer's set: {len(result.passages)} passages, {result.tokens} tokens")
            for passage in sorted(result.passages, key=lambda p: p.order):
                typer.echo(f"\n  {passage_label(passage)}")
                typer.echo(indent(passage.text))
                for line in why_lines(passage):
                    typer.echo(f"     {line}")
            missed = [passage for passage in result.passages if passage.id not in set(plain)]
            typer.echo(f"\nPlain top-k under the same budget: {', '.join(plain)}")
            typer.echo(f"It misses: {', '.join(passage.id for passage in missed) or 'nothing'}")
