"""`gossamer export chunks INDEX`: ids and texts for people who compute vectors elsewhere."""

from __future__ import annotations

import json
from typing import Annotated

import typer

app = typer.Typer(help="Write parts of an index to standard output.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Write parts of an index to standard output."""


@app.command("chunks")
def chunks(folder: Annotated[str, typer.Argument(metavar="INDEX", help="The index folder.")]) -> None:
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
