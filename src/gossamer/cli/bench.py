"""`gossamer bench`: measure retrieval on your own questions, compare two runs, switch parts off."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gossamer.evaluation.inputs import Inputs
    from gossamer.evaluation.options import BenchOptions
    from gossamer.evaluation.tables import Table
    from gossamer.settings import Settings

app = typer.Typer(
    help="Measure retrieval on your own questions: gossamer bench retrieval my_data",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Data = Annotated[list[Path], typer.Argument(metavar="DATA...", help="Folders with corpus.jsonl and questions.jsonl.")]
Vectors = Annotated[
    list[str] | None, typer.Option(help="An .npz with ids, vectors, question_ids, question_vectors; repeatable.")
]
Also = Annotated[list[str] | None, typer.Option(help="One more corpus file; repeatable.")]
Questions = Annotated[str | None, typer.Option(help="Questions file to use instead of the folder's own.")]
Embedder = Annotated[str | None, typer.Option(help="Embedder where no vectors are given: hash, onnx:DIR, …")]
SettingsFile = Annotated[Path | None, typer.Option("--settings", help="TOML file with settings of gossamer.")]
Changes = Annotated[list[str] | None, typer.Option("--set", help="One setting, as group.name=value; repeatable.")]
Cuts = Annotated[str, typer.Option("--k", help="Ranks to cut at.")]
Budgets = Annotated[str, typer.Option(help="Token budgets of contexts; '' measures none.")]
Json = Annotated[Path | None, typer.Option("--json", metavar="OUT", help="Write the report with every question.")]
Markdown = Annotated[Path | None, typer.Option("--markdown", metavar="OUT", help="Write all tables as Markdown.")]
Seed = Annotated[int, typer.Option(help="Seed of the corpus order and of the bootstrap.")]
Resamples = Annotated[int, typer.Option(min=100, help="Bootstrap samples.")]
TitleFree = Annotated[bool, typer.Option("--title-free", help="Empty every title before indexing.")]
WithinGroup = Annotated[bool, typer.Option("--within-group", help="Search only the passages of the question's group.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Ask only the first so many questions.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]


@app.command("retrieval")
def retrieval(
    data: Data,
    systems: Annotated[str | None, typer.Option(help="Comma-separated; your own as module:function.")] = None,
    baseline: Annotated[str, typer.Option(help="The system that intervals are against.")] = "hybrid-rrf",
    vectors: Vectors = None,
    also: Also = None,
    questions: Questions = None,
    k: Cuts = "2,5,10,20",
    budgets: Budgets = "500,1000,2000,4000",
    json_out: Json = None,
    markdown_out: Markdown = None,
    embedder: Embedder = None,
    settings: SettingsFile = None,
    set_: Changes = None,
    title_free: TitleFree = False,
    within_group: WithinGroup = False,
    seed: Seed = 0,
    resamples: Resamples = 10_000,
    limit: Limit = None,
    full: Annotated[bool, typer.Option("--full", help="Print every table.")] = False,
    quiet: Quiet = False,
) -> None:
    """Compare systems on questions with gold: gossamer bench retrieval my_data --json run.json"""
    from gossamer.cli.configure import read_settings
    from gossamer.evaluation.inputs import load_inputs
    from gossamer.evaluation.options import BenchOptions

    chosen = read_settings(settings, embedder=embedder, changes=set_ or [])
    names = tuple(part.strip() for part in systems.split(",") if part.strip()) if systems else BenchOptions().systems
    _allow_own_modules([*names, baseline])
    options = BenchOptions(names, baseline, _numbers("k", k), _numbers("budgets", budgets), seed, within_group)
    inputs = load_inputs(
        data, also=also or (), questions=questions, vectors=vectors or (), title_free=title_free, limit=limit
    )
    report = _run(inputs, options, chosen, title_free=title_free, resamples=resamples, quiet=quiet)
    _deliver(report, json_out, markdown_out, full=full)


@app.command("ablation")
def ablation(
    data: Data,
    only: Annotated[
        list[str] | None, typer.Option(help="Part of a variant's name, such as 'signal'; repeatable.")
    ] = None,
    vectors: Vectors = None,
    also: Also = None,
    questions: Questions = None,
    k: Cuts = "2,5,10,20",
    budgets: Budgets = "2000",
    json_out: Json = None,
    markdown_out: Markdown = None,
    embedder: Embedder = None,
    settings: SettingsFile = None,
    set_: Changes = None,
    title_free: TitleFree = False,
    within_group: WithinGroup = False,
    seed: Seed = 0,
    resamples: Resamples = 10_000,
    limit: Limit = None,
    quiet: Quiet = False,
) -> None:
    """Switch each signal, mode and term off in turn: gossamer bench ablation my_data --only term"""
    from gossamer.cli.configure import read_settings
    from gossamer.errors import UsageError
    from gossamer.evaluation.ablation import FULL, variants
    from gossamer.evaluation.inputs import load_inputs
    from gossamer.evaluation.options import BenchOptions

    chosen = read_settings(settings, embedder=embedder, changes=set_ or [])
    known = variants(chosen)
    wanted = {name: changes for name, changes in known.items() if not only or any(part in name for part in only)}
    if not wanted:
        raise UsageError(f"No variant is called so. Use part of one of: {', '.join(known)}.")
    options = BenchOptions(
        tuple(wanted), FULL, _numbers("k", k), _numbers("budgets", budgets), seed, within_group=within_group
    )
    inputs = load_inputs(
        data, also=also or (), questions=questions, vectors=vectors or (), title_free=title_free, limit=limit
    )
    report = _run(inputs, options, chosen, title_free=title_free, resamples=resamples, quiet=quiet, changes=wanted)
    _deliver(report, json_out, markdown_out, full=False)


@app.command("compare")
def compare(
    first: Annotated[Path, typer.Argument(metavar="A", help="A report written with --json.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    systems: Annotated[str | None, typer.Option(help="Comma-separated names, or name:other across the two.")] = None,
    metrics: Annotated[str | None, typer.Option(help="Comma-separated metrics; all by default.")] = None,
    resamples: Resamples = 10_000,
    json_output: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> None:
    """Compare two runs question by question: gossamer bench compare before.json after.json"""
    from gossamer.cli.output import print_json
    from gossamer.evaluation.compare import compare_reports, comparison_tables
    from gossamer.evaluation.report import read_report

    names = [part.strip() for part in systems.split(",")] if systems else []
    found = compare_reports(read_report(first), read_report(second), systems=names, resamples=resamples)
    if json_output:
        print_json("bench-compare", found)
        return
    for notice in found["notices"]:
        typer.echo(f"warning: {notice}", err=True)
    print_tables(comparison_tables(found, metrics.split(",") if metrics else ()))


def print_tables(tables: Sequence[Table]) -> None:
    """Tables on stdout; where that is no terminal, as wide as they are."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable

    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, width=400)
    for table in tables:
        shown = RichTable(title=table.title, title_justify="left", box=box.SIMPLE_HEAD)
        for number, column in enumerate(table.columns):
            shown.add_column(column, justify="left" if number == 0 else "right", no_wrap=True)
        for row in table.rows:
            shown.add_row(*row)
        console.print(shown)


def _run(
    inputs: Inputs,
    options: BenchOptions,
    settings: Settings,
    *,
    title_free: bool,
    resamples: int,
    quiet: bool,
    changes: dict[str, dict[str, Any]] | None = None,
) -> dict[str, Any]:
    from gossamer.cli.output import Progress
    from gossamer.evaluation.ablation import ablation_factories
    from gossamer.evaluation.report import build_report
    from gossamer.evaluation.runner import run_dataset

    progress = Progress(quiet=quiet)
    factories = ablation_factories(settings, changes) if changes is not None else None
    runs = [
        run_dataset(dataset, options, settings, vectors=given, factories=factories, progress=progress)
        for dataset, given in zip(inputs.datasets, inputs.vectors, strict=True)
    ]
    progress.close()
    return build_report(runs, options, settings, title_free=title_free, resamples=resamples, variants=changes)


def _deliver(report: dict[str, Any], json_out: Path | None, markdown_out: Path | None, *, full: bool) -> None:
    from gossamer.evaluation.report import write_report
    from gossamer.evaluation.tables import dataset_line, dataset_tables, report_markdown

    for dataset in report["datasets"]:
        typer.echo(f"{dataset['name']}: {dataset_line(dataset)}")
        for notice in dataset["notices"]:
            typer.echo(f"warning: {notice['name']} ({notice['count']}): {notice['message']}", err=True)
        print_tables(dataset_tables(dataset, report["options"], full=full))
        dense = next((system for system in dataset["systems"] if system["name"] == "dense"), None)
        if dense is not None and dataset["embedder"] == "hash":
            typer.echo(f"dense: {dense['description']}")
    if json_out is not None:
        write_report(report, json_out)
    if markdown_out is not None:
        markdown_out.write_text(report_markdown(report), encoding="utf-8")


def _numbers(option: str, text: str) -> tuple[int, ...]:
    from gossamer.errors import UsageError

    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise UsageError(f"--{option} {text!r} is not a list of whole numbers. Write it like 2,5,10.") from None


def _allow_own_modules(names: Sequence[str]) -> None:
    """A user's `module:function` may lie in the working directory, as with `python -m`."""
    import sys

    if any(":" in name for name in names) and "" not in sys.path:
        sys.path.insert(0, "")
