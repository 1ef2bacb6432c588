"""`gossamer index DOCS… INDEX`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gossamer.cli.output import Progress, print_json


def index(
    paths: Annotated[
        list[str], typer.Argument(metavar="DOCS... INDEX", help="Folders, files or .jsonl, then the index folder.")
    ],
    embedder: Annotated[
        str | None, typer.Option(help="hash, onnx:DIR, ollama:MODEL, openai:MODEL, vectors:FILE, …")
    ] = None,
    settings: Annotated[Path | None, typer.Option(help="TOML file with settings.")] = None,
    preset: Annotated[str, typer.Option(help="default, paper, paper_fine or questions_heavy.")] = "default",
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="One setting, as group.name=value; repeatable.")
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(help="Glob of files to index even if skipped by default.")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="Glob of files to leave out.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")] = False,
) -> None:
    """Index documents: gossamer index docs/ my_index"""
    from gossamer.cli.configure import read_settings
    from gossamer.errors import UsageError
    from gossamer.ingestion.pipeline import SpectRAGIngestion

    if len(paths) < 2:
        raise UsageError("`gossamer index` needs documents and an index folder: gossamer index docs/ my_index")
    *sources, folder = paths
    chosen = read_settings(settings, preset=preset, embedder=embedder, changes=set_ or [])
    progress = Progress(quiet=quiet)
    ingestion = SpectRAGIngestion(folder, chosen, progress=progress)
    report = ingestion.ingest(sources, include=tuple(include or ()), exclude=tuple(exclude or ()))
    progress.close()
    if json_output:
        print_json("index", report.to_dict())
    else:
        typer.echo(repr(report))
