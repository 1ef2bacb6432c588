"""`gossamer lint INDEX`."""

from __future__ import annotations

from typing import Annotated

import typer

from gossamer.cli.complete import complete_index
from gossamer.cli.output import print_json


def lint(
    folder: Annotated[str, typer.Argument(metavar="INDEX", help="The index folder.", autocompletion=complete_index)],
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on", metavar="error|warning|info", help="Exit with 1 when a finding is this bad or worse."
        ),
    ] = None,
) -> None:
    """What is wrong with an index, worst first, without a question: gossamer lint my_index"""
    from gossamer.errors import UsageError
    from gossamer.insight.lint import lint_index
    from gossamer.insight.lint_report import SEVERITIES

    if fail_on is not None and fail_on not in SEVERITIES:
        raise UsageError(f"--fail-on {fail_on} is not possible. Choose one of {', '.join(SEVERITIES)}.")
    report = lint_index(folder)
    if json_output:
        print_json("lint", {"index": folder, **report.to_dict()})
    else:
        typer.echo(repr(report))
    if fail_on is not None and report.fails(fail_on):
        raise typer.Exit(1)
