"""`gossamer doctor [INDEX]`: look everything over and say what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gossamer.cli.complete import complete_index
from gossamer.cli.output import print_json

if TYPE_CHECKING:
    from gossamer.index.verify import Check


def doctor(
    folder: Annotated[
        str | None,
        typer.Argument(metavar="[INDEX]", help="An index folder to read in full.", autocompletion=complete_index),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Check the installation, and every byte of an index: gossamer doctor my_index

    Ends with exit code 1 where something is wrong, and says what to do about it.
    """
    from gossamer.cli.installation import installation_checks
    from gossamer.model import to_plain

    checks = [*installation_checks(folder), *(_index(folder) if folder is not None else [])]
    ok = all(check.ok for check in checks)
    if json_output:
        print_json("doctor", {"ok": ok, "index": folder, "checks": to_plain(checks)})
    else:
        for check in checks:
            typer.echo(f"{'ok' if check.ok else 'FAULT':<6} {check.name:<13} {check.detail}")
            if not check.ok:
                typer.echo(f"       {'':<13} -> {check.advice}")
    if not ok:
        raise typer.Exit(1)


def _index(folder: str) -> list[Check]:
    from gossamer.index.verify import check_index

    return check_index(folder)
