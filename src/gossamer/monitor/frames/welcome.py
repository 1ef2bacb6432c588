"""The first screen: what this is and what to type."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from gossamer.monitor.frames.cells import Lines, clean, fit, lead, wrap
from gossamer.monitor.frames.look import ACCENT, FAINT, MUTED, STRONG

_WEB = (
    r"   \  |  /   ",
    r" .--\-+-/--. ",
    r"--+--(?)--+--",
    r" '--/-+-\--' ",
    r"   /  |  \   ",
)


def welcome(version: str, index: str, indexes: Sequence[str], width: int, *, ascii_only: bool = False) -> Lines:
    """A welcome for one who has no index, for one who has some, and for one who has opened one."""
    says = [
        Text(f"Gossamer {version}", style=ACCENT),
        Text("Finds the set of passages that together answer a question.", style=MUTED),
        Text(),
        *_first_step(index, indexes),
    ]
    lines: Lines = [Text()]
    wide = width >= 70
    for row in range(max(len(_WEB), len(says)) if wide else len(says)):
        line = Text("  ", no_wrap=True)
        if wide:
            line.append(_WEB[row] if row < len(_WEB) else " " * len(_WEB[0]), style=FAINT)
            line.append("   ")
        said = says[row] if row < len(says) else Text()
        lines.append(line + Text(fit(said.plain, width - line.cell_len, ascii_only=ascii_only), style=said.style))
    lines.append(Text())
    for command, does in _steps(index, indexes):
        line = lead(f"  {command:<24}", STRONG)
        rest = wrap(does, width, indent=line.cell_len)
        lines += [line + rest[0][line.cell_len :], *rest[1:]]
    return [*lines, Text()]


def _first_step(index: str, indexes: Sequence[str]) -> list[Text]:
    if index:
        return [Text(f"{clean(index)} is open. Type a question.", style=STRONG)]
    if indexes:
        return [Text("Open one of your indexes with /index 1, or type /demo.", style=STRONG)]
    return [Text("Type /demo and press Enter.", style=STRONG)]


def _steps(index: str, indexes: Sequence[str]) -> list[tuple[str, str]]:
    steps = [("/demo", "index the example documents and ask them a question")]
    if index:
        steps = [
            ("a plain sentence", "asks the open index; /compare asks two other ways too"),
            ("/show 1   /why 1", "reads a passage, and says why it is there"),
        ]
    elif indexes:
        steps += [(f"/index {number}", clean(name)) for number, name in enumerate(indexes[:5], start=1)]
    return [
        *steps,
        ("/index FOLDER", "open an index, or build one of a folder of documents"),
        ("/help   ?", "all commands, all keys"),
    ]
