"""`gossamer --help`: commands by task, each with one example; and errors of use in one line."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

TASKS = ("Start", "Index", "Ask", "Look after", "Measure", "Connect")

ClickException: type[Any] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""Base of the errors of use; Typer brings its own click or uses the installed one, so it is found and not imported."""


class TaskGroup(TyperGroup):
    """Lists commands under their task, the `rich_help_panel` they were registered with."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list at the end of the help."""
        tasks: dict[str, list[tuple[str, str, str]]] = {task: [] for task in TASKS}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is None or command.hidden:
                continue
            says, _, example = (command.help or "").split("\n")[0].partition(": gossamer ")
            panel = getattr(command, "rich_help_panel", None)
            task = panel if isinstance(panel, str) else "More"
            tasks.setdefault(task, []).append((name, says.rstrip("."), example))
        for task, rows in tasks.items():
            if rows:
                with formatter.section(task):
                    for name, says, example in rows:
                        formatter.write_text(f"{name:<10} {says}")
                        if example:
                            formatter.write_text(f"{'':<10} $ gossamer {example}")


def usage_line(problem: Any) -> str:
    """An error of use as one line that ends with what to do."""
    text = str(problem.format_message()).rstrip(".").replace("\n", " ")
    context = getattr(problem, "ctx", None)
    path = str(context.command_path) if context is not None else "gossamer"
    path = path.replace("python -m gossamer", "gossamer")
    return f"{text}. See: {path} --help" if not text.endswith("?") else f"{text} See: {path} --help"
