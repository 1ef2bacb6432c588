"""`gossamer`: one command a task; each command lives in its own file and imports its work when it runs."""

from __future__ import annotations

import typer

from gossamer.cli import answer, bench, demo, doctor, export, index, info, learned, lint, query, serve, tune

app = typer.Typer(
    name="gossamer",
    help="Finds the set of passages that together answer a question, under a token budget.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("index")(index.index)
app.command("query")(query.query)
app.command("answer")(answer.answer)
app.command("learned")(learned.learned)
app.command("info")(info.info)
app.command("version")(info.version)
app.command("doctor")(doctor.doctor)
app.command("lint")(lint.lint)
app.command("serve")(serve.serve)
app.command("demo")(demo.demo)
app.command("tune")(tune.tune)
app.add_typer(export.app, name="export")
app.add_typer(bench.app, name="bench")


def run() -> None:
    """Entry point: errors of Gossamer become one line on stderr and exit code 1; wrong use exits with 2."""
    import sys

    from gossamer.errors import ArgumentTypeError, GossamerError, SettingsError, UsageError

    for stream in (sys.stdout, sys.stderr):
        # A console that cannot show a character must not end the run.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except (UsageError, SettingsError, ArgumentTypeError) as problem:
        typer.echo(f"gossamer: {problem}", err=True)
        raise SystemExit(2) from None
    except GossamerError as problem:
        typer.echo(f"gossamer: {problem}", err=True)
        raise SystemExit(1) from None
    except BrokenPipeError:
        # The reader of our output went away (`| head`): stop quietly.
        sys.stderr.close()
        raise SystemExit(1) from None
