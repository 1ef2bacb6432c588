"""What a shell completes after a command: index folders, profiles, presets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

_MOST = 500


def complete_index(incomplete: str) -> list[str]:
    """Index folders that begin with the text, and folders on the way to one."""
    start = Path(incomplete)
    folder = start if incomplete.endswith("/") or not incomplete else start.parent
    found = []
    try:
        inner = sorted(path for path in folder.iterdir() if path.is_dir() and path.name[0] != ".")
    except OSError:
        return []
    for path in inner[:_MOST]:
        name = path.as_posix()
        if name.startswith(start.as_posix() if incomplete else ""):
            found.append(name if (path / "CURRENT").is_file() else f"{name}/")
    return found


def complete_words(*words: str) -> Callable[[str], list[str]]:
    """A completer of fixed words.

    >>> complete_words("flow", "wave")("f")
    ['flow']
    """
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]
