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
    preset: Annotated[str | None, typer.Option(help="default, paper, paper_fine or questions_heavy.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="One setting, as group.name=value; repeatable.")
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(help="Glob of files to index even if skipped by default.")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="Glob of files to leave out.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Build from scratch, whatever is there.")] = False,
    cache: Annotated[Path | None, typer.Option(help="Folder of embeddings that several indexes share.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")] = False,
) -> None:
    """Index documents, or bring an index up to date with them: gossamer index docs/ my_index

    An index keeps its settings: only what changed in the documents is done again. Another embedder or chunking needs
    --force.
    """
    from gossamer.cli.configure import read_settings
    from gossamer.errors import UsageError
    from gossamer.index.local import LocalStore
    from gossamer.ingestion.pipeline import SpectRAGIngestion
    from gossamer.settings import Settings

    if len(paths) < 2:
        raise UsageError("`gossamer index` needs documents and an index folder: gossamer index docs/ my_index")
    *sources, folder = paths
    store = LocalStore(folder)
    kept = None if force or not store.exists() else Settings.from_dict(store.manifest().info["settings"])
    chosen = read_settings(settings, preset=preset, start=kept, embedder=embedder, changes=set_ or [])
    progress = Progress(quiet=quiet)
    ingestion = SpectRAGIngestion(folder, chosen, progress=progress, cache=cache)
    run = ingestion.ingest if force else ingestion.sync
    report = run(sources, include=tuple(include or ()), exclude=tuple(exclude or ()))
    progress.close()
    if json_output:
        print_json("index", report.to_dict())
    else:
        typer.echo(repr(report))
