"""`gossamer learned INDEX`: what use has taught an index, and how to take it back."""

from __future__ import annotations

from typing import Annotated

import typer

from gossamer.cli.complete import complete_index
from gossamer.cli.output import print_json


def learned(
    folder: Annotated[str, typer.Argument(metavar="INDEX", help="The index folder.", autocompletion=complete_index)],
    prune: Annotated[
        int | None, typer.Option(metavar="VISITS", help="Switch off unused edges between passages visited so often.")
    ] = None,
    unprune: Annotated[bool, typer.Option("--unprune", help="Bring the pruned edges back.")] = False,
    clear: Annotated[bool, typer.Option("--clear", help="Forget everything that was learned.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show, prune or clear the learned layer: gossamer learned my_index --prune 3"""
    from gossamer.errors import UsageError
    from gossamer.retrieval.pipeline import open_index

    if sum((prune is not None, unprune, clear)) > 1:
        raise UsageError("--prune, --unprune and --clear do not go together. Give one of them.")
    with open_index(folder) as retrieval:
        layer = retrieval.spread_index.learned
        if prune is not None:
            layer.prune(prune)
        if unprune:
            layer.unprune()
        if clear:
            layer.clear()
        found = {"edges": layer.edges, "pruned": layer.pruned}
    if json_output:
        print_json("learned", found)
        return
    typer.echo(f"{found['edges']} edges were used; unused edges are off between {found['pruned']} passages")
