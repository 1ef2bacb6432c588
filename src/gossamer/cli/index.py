"""`gossamer index DOCS… INDEX`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli import model_options as llm_options
from gossamer.cli.complete import complete_words
from gossamer.cli.output import Progress, print_json

if TYPE_CHECKING:
    from gossamer.llm.reply import Estimate


def index(
    paths: Annotated[
        list[str], typer.Argument(metavar="DOCS... INDEX", help="Folders, files or .jsonl, then the index folder.")
    ],
    embedder: Annotated[
        str | None, typer.Option(help="hash, onnx:DIR, ollama:MODEL, openai:MODEL, vectors:FILE, …")
    ] = None,
    settings: Annotated[Path | None, typer.Option(help="TOML file with settings.")] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="default, paper, paper_fine or questions_heavy.",
            autocompletion=complete_words("default", "paper", "paper_fine", "questions_heavy"),
        ),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="One setting, as group.name=value; repeatable.")
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(help="Glob of files to index even if skipped by default.")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="Glob of files to leave out.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Build from scratch, whatever is there.")] = False,
    cache: Annotated[Path | None, typer.Option(help="Folder of embeddings that several indexes share.")] = None,
    questions: Annotated[
        bool, typer.Option("--questions", help="Let the model write questions that each passage answers.")
    ] = False,
    concepts: Annotated[bool, typer.Option("--concepts", help="Let the model name each passage's concepts.")] = False,
    propositions: Annotated[
        bool, typer.Option("--propositions", help="Let the model split each passage into single facts.")
    ] = False,
    llm_url: llm_options.Url = None,
    llm_model: llm_options.Model = None,
    llm_key_env: llm_options.KeyEnv = None,
    llm_set: llm_options.Other = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what the model would cost; write nothing.")] = False,
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
    asks = questions or concepts or propositions
    client = llm_options.client(llm_url, llm_model, llm_key_env, llm_set, settings=settings) if asks else None
    ingestion = SpectRAGIngestion(
        folder, chosen, progress=progress, cache=cache, llm=client, announce=partial(_announce, progress),
        questions=questions, concepts=concepts, propositions=propositions,
    )  # fmt: skip
    only, never = tuple(include or ()), tuple(exclude or ())
    if dry_run:
        _print_estimates(ingestion.estimate(sources, include=only, exclude=never), progress, json_output=json_output)
        return
    run = ingestion.ingest if force else ingestion.sync
    report = run(sources, include=only, exclude=never)
    progress.close()
    if json_output:
        print_json("index", report.to_dict())
    else:
        typer.echo(repr(report))


def _announce(progress: Progress, step: str, estimate: Estimate) -> None:
    """What a step will cost, before it begins."""
    progress.note(f"{step}: {llm_options.estimate_line(estimate)}")


def _print_estimates(found: dict[str, Estimate], progress: Progress, *, json_output: bool) -> None:
    from dataclasses import asdict

    progress.close()
    if json_output:
        print_json("index-estimate", {step: asdict(estimate) for step, estimate in found.items()})
        return
    for step, estimate in found.items():
        typer.echo(f"{step}: {llm_options.estimate_line(estimate)}")
    if not found:
        typer.echo("no step asks a model: give --questions, --concepts or --propositions")
