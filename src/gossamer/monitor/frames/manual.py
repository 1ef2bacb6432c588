"""Help: the commands by task, one command, and the keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from gossamer.monitor.frames.cells import Lines, lead, wrap
from gossamer.monitor.frames.look import ACCENT, MUTED, STRONG

KEYS = (
    ("Enter", "ask, or run the command"),
    ("Tab", "complete; again for the next one"),
    ("Up  Down", "earlier and later lines"),
    ("PgUp  PgDn", "scroll the transcript"),
    ("Esc", "show an answer at once; else clear the line"),
    ("Ctrl-C", "stop what runs, clear the line; twice to leave"),
    ("Ctrl-L", "clear the transcript"),
    ("Ctrl-D", "leave, on an empty line"),
    ("?", "these keys, on an empty line"),
    ("!command", "run a shell command"),
)


def keys(width: int) -> Lines:
    """The keys."""
    return [Text("  Keys", style=ACCENT, no_wrap=True), *_pairs(KEYS, width)]


def commands(groups: Mapping[str, Sequence[tuple[str, str]]], width: int) -> Lines:
    """All commands by task: (usage, what it does)."""
    lines: Lines = []
    for group, pairs in groups.items():
        lines += [Text(f"  {group}", style=ACCENT, no_wrap=True), *_pairs(pairs, width), Text()]
    return [*lines, *wrap("/help COMMAND says more. A plain sentence is a question.", width, indent=2, style=MUTED)]


def command(usage: str, does: str, example: str, width: int) -> Lines:
    """One command with an example."""
    line = lead(f"  {usage}", STRONG)
    shown = lead("  example  ", MUTED) + Text(example)
    return [line, *wrap(does, width, indent=2), shown]


def _pairs(pairs: Sequence[tuple[str, str]], width: int) -> Lines:
    column = min(max(len(name) for name, _ in pairs) + 2, max(width // 2, 12))
    lines: Lines = []
    for name, does in pairs:
        said = wrap(does, width, indent=column + 4)
        if len(name) > column - 2:
            lines.append(Text(f"    {name}", style=STRONG, no_wrap=True))
        else:
            said[0] = lead(f"    {name:<{column}}", STRONG) + said[0][column + 4 :]
        lines += said
    return lines
