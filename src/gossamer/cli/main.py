"""`gossamer`: one command a task; each command lives in its own file and imports its work when it runs."""

from __future__ import annotations

from typing import NoReturn

import typer

from gossamer.cli import (
    answer,
    bench,
    demo,
    doctor,
    export,
    index,
    info,
    learned,
    lint,
    monitor,
    parts,
    query,
    serve,
    tasks,
    tune,
)

app = typer.Typer(
    name="gossamer",
    cls=tasks.TaskGroup,
    help="Finds the set of passages that together answer a question, under a token budget.",
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("demo", rich_help_panel="Start")(demo.demo)
app.command("monitor", rich_help_panel="Start")(monitor.monitor)
app.command("index", rich_help_panel="Index")(index.index)
app.command("info", rich_help_panel="Index")(info.info)
app.add_typer(export.app, name="export", rich_help_panel="Index")
app.command("query", rich_help_panel="Ask")(query.query)
app.command("answer", rich_help_panel="Ask")(answer.answer)
app.command("parts", rich_help_panel="Ask")(parts.parts)
app.command("learned", rich_help_panel="Ask")(learned.learned)
app.command("serve", rich_help_panel="Connect")(serve.serve)
app.command("lint", rich_help_panel="Look after")(lint.lint)
app.command("doctor", rich_help_panel="Look after")(doctor.doctor)
app.command("version", rich_help_panel="Look after")(info.version)
app.add_typer(bench.app, name="bench", rich_help_panel="Measure")
app.command("tune", rich_help_panel="Measure")(tune.tune)


@app.callback(invoke_without_command=True)
def _alone(context: typer.Context) -> None:
    """Finds the set of passages that together answer a question, under a token budget."""
    if context.invoked_subcommand is not None:
        return
    if not monitor.on_terminal():
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)
    monitor.monitor()


def run() -> None:
    """Entry point: errors become one line on stderr and exit code 1; wrong use exits with 2."""
    import sys

    from gossamer.errors import ArgumentTypeError, GossamerError, SettingsError, UsageError

    for stream in (sys.stdout, sys.stderr):
        # A console that cannot show a character must not end the run.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(standalone_mode=False)
    except (UsageError, SettingsError, ArgumentTypeError) as problem:
        _end(str(problem), 2)
    except GossamerError as problem:
        _end(str(problem), 1)
    except tasks.ClickException as problem:
        if type(problem).__name__ == "NoArgsIsHelpError":
            typer.echo(problem.format_message(), err=True)
            raise SystemExit(2) from None
        _end(tasks.usage_line(problem), problem.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        _end("stopped.", 130)
    except BrokenPipeError:
        # The reader of our output went away (`| head`): stop quietly.
        sys.stderr.close()
        raise SystemExit(1) from None
    except OSError as problem:
        _end(f"{problem}. Check the path and its permissions.", 1)
    raise SystemExit(code if isinstance(code, int) else 0)


def _end(message: str, code: int) -> NoReturn:
    typer.echo(f"gossamer: {message}", err=True)
    raise SystemExit(code) from None
