"""`gossamer export`: chunks for people who compute vectors elsewhere, and the page of a result for a colleague."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli.complete import complete_index

app = typer.Typer(
    help="Write parts of an index, or a result, for use elsewhere: gossamer export chunks my_index",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _group() -> None:
    """Write parts of an index, or a result, for use elsewhere: gossamer export chunks my_index"""


@app.command("chunks")
def chunks(
    folder: Annotated[str, typer.Argument(metavar="INDEX", help="The index folder.", autocompletion=complete_index)],
) -> None:
    """One JSON line a chunk, with id, document, title, section and text: gossamer export chunks my_index"""
    from gossamer.retrieval.pipeline import open_index

    with open_index(folder) as retrieval:
        snapshot = retrieval.snapshot
        ids, owners = snapshot.chunk_ids, snapshot.chunk_document.tolist()
        documents, titles = list(snapshot.document_ids), list(snapshot.document_titles)
        for chunk, text in enumerate(snapshot.chunk_texts):
            row = {
                "id": ids[chunk],
                "document": documents[owners[chunk]],
                "title": titles[owners[chunk]],
                "section": list(snapshot.section(chunk)),
                "text": text,
            }
            typer.echo(json.dumps(row, ensure_ascii=False))


@app.command("html")
def html(
    folder: Annotated[str, typer.Argument(metavar="INDEX", help="The index folder.", autocompletion=complete_index)],
    question: Annotated[str, typer.Argument(help="The question.")],
    out: Annotated[Path, typer.Argument(metavar="OUT.html", help="The file to write.")],
    budget: Annotated[int, typer.Option(help="Tokens of the context.")] = 4000,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="One setting, as group.name=value; repeatable.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only documents with: path, namespace, after, …; repeatable."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """One self-contained page of a result to send: gossamer export html my_index "Who pays for Orion?" orion.html"""
    from gossamer.cli.configure import apply_changes
    from gossamer.errors import UsageError
    from gossamer.retrieval.filters import parse_where
    from gossamer.retrieval.pipeline import open_index
    from gossamer.server.export import export_page

    with open_index(folder) as retrieval:
        asked = retrieval.with_settings(apply_changes(retrieval.settings, set_ or []))
        result = asked.search(question, token_budget=budget, where=parse_where(where or []))
        page = export_page(asked, result, compare=not where)
    try:
        with out.open("w" if force else "x", encoding="utf-8", newline="\n") as handle:
            handle.write(page)
    except FileExistsError:
        raise UsageError(f"{out} is there already. Add --force to write over it, or name another file.") from None
    except OSError as problem:
        raise UsageError(f"{out} cannot be written ({problem.strerror}). Name another file.") from problem
    typer.echo(f"{out}: {len(result.passages)} passages, {result.tokens} of {result.token_budget} tokens")
