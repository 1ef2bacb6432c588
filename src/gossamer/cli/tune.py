"""`gossamer tune DATA`: search settings on one half of the questions, show both halves, write a TOML file."""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gossamer.cli.bench import Also, Changes, Data, Embedder, Questions, Quiet, SettingsFile, TitleFree, Vectors

if TYPE_CHECKING:
    from gossamer.evaluation.tuning import Tuned
    from gossamer.settings import Settings


def tune(
    data: Data,
    out: Annotated[Path, typer.Option(help="Where to write the settings found.")] = Path("tuned.toml"),
    search: Annotated[
        list[str] | None, typer.Option("--search", help="A setting and its values, name=1,2,3; repeatable.")
    ] = None,
    metric: Annotated[str, typer.Option(help="What to raise, such as R@5, nDCG@10 or gold@1000t.")] = "R@5",
    trials: Annotated[int, typer.Option(min=1, help="Most changes to try.")] = 40,
    seed: Annotated[int, typer.Option(help="Seed of the split and of the order.")] = 0,
    vectors: Vectors = None,
    also: Also = None,
    questions: Questions = None,
    embedder: Embedder = None,
    settings: SettingsFile = None,
    set_: Changes = None,
    title_free: TitleFree = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Search settings on half of your questions: gossamer tune my_data --out my.toml"""
    from gossamer.cli.configure import read_settings
    from gossamer.cli.output import Progress, print_json
    from gossamer.evaluation.inputs import load_inputs
    from gossamer.evaluation.tuning import tune_settings
    from gossamer.model import to_plain

    start = read_settings(settings, embedder=embedder, changes=set_ or [])
    space = _space(start, search) if search else None
    inputs = load_inputs(data, also=also or (), questions=questions, vectors=vectors or (), title_free=title_free)
    progress = Progress(quiet=quiet)
    found = tune_settings(
        inputs.datasets,
        start,
        space=space,
        metric=metric,
        trials=trials,
        seed=seed,
        vectors=inputs.vectors,
        progress=progress,
    )
    progress.close()
    out.write_text(found.settings.to_toml(), encoding="utf-8")
    if json_output:
        changed = found.settings.differences()
        print_json("tune", {"changed": changed, **to_plain(found), "out": str(out)})
    else:
        _print(found, start, out)


def _print(found: Tuned, start: Settings, out: Path) -> None:
    from gossamer.cli.bench import print_tables
    from gossamer.evaluation.tables import Table, interval, number
    from gossamer.model import to_plain

    sides = tuple(
        (side.dataset, side.side, number(side.before), number(side.after), interval(to_plain(side.change)))
        for side in found.sides
    )
    print_tables([Table(f"{found.metric}, fitted on tune alone", ("data", "side", "before", "after", "change"), sides)])
    kept = [trial for trial in found.trials if trial.kept]
    typer.echo(f"{len(found.trials)} changes tried, {len(kept)} kept; {out} holds the settings.")
    before, after = start.to_dict(), found.settings.to_dict()
    for name in dict.fromkeys(trial.name for trial in kept):
        typer.echo(f"  {name}: {_at(before, name)} -> {_at(after, name)}")


def _space(start: Settings, search: list[str]) -> dict[str, list[Any]]:
    """Names and values of `--search`, each value checked and typed as its setting."""
    from gossamer.cli.configure import apply_changes
    from gossamer.errors import UsageError

    space: dict[str, list[Any]] = {}
    for one in search:
        name, separator, values = one.partition("=")
        if not separator or not values.strip():
            raise UsageError(f"--search {one!r} names no values. Write it like retrieval.flow_weight=0.3,0.5,0.8.")
        name = name.strip()
        changed = [apply_changes(start, [f"{name}={value}"]) for value in values.split(",")]
        space[name] = [_at(settings.to_dict(), name) for settings in changed]
    return space


def _at(data: dict[str, Any], name: str) -> Any:
    return reduce(lambda inner, key: inner[key], name.split("."), data)
