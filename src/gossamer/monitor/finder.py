"""Which files of a project use the library, which index they name, and which folders are indexes."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_DEPTH = 4
_MOST_FOLDERS = 2000
_MOST_BYTES = 1_000_000
_LEFT_OUT = {"node_modules", "__pycache__", "site-packages", "venv", "env", "build", "dist"}
_OPENS = {
    "open_index": 0,
    "SpectRAGRetrieval": 0,
    "SpectRAGIngestion": 0,
    "lint_index": 0,
    "build_index": 1,
    "sync_index": 1,
}


@dataclass(frozen=True, slots=True)
class Use:
    """A line that opens an index: its file, the name it gives (None where it is computed), and whether it is there."""

    file: str
    line: int
    call: str
    index: str | None
    exists: bool


def is_index(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder is an index."""
    return (Path(folder) / "CURRENT").is_file()


def find_indexes(root: str | os.PathLike[str] = ".") -> list[str]:
    """Index folders under a folder, by name, a few levels deep."""
    return sorted(str(folder) for folder in _folders(Path(root)) if is_index(folder))


def find_uses(root: str | os.PathLike[str] = ".") -> list[Use]:
    """Every call in the Python files under a folder that opens or builds an index of this library."""
    found: list[Use] = []
    for folder in _folders(Path(root)):
        for path in sorted(folder.glob("*.py")):
            found += _uses(path, Path(root))
    return found


def _folders(root: Path) -> Iterator[Path]:
    waiting, seen = [(root, 0)], 0
    while waiting and seen < _MOST_FOLDERS:
        folder, depth = waiting.pop(0)
        seen += 1
        yield folder
        if depth == _DEPTH or is_index(folder):
            continue
        try:
            inner = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False))
        except OSError:
            continue
        waiting += [(folder / name, depth + 1) for name in inner if name[0] != "." and name not in _LEFT_OUT]


def _uses(path: Path, root: Path) -> list[Use]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return []
        text = path.read_text(encoding="utf-8")
        if "gossamer" not in text:
            return []
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return []
    names, modules = _imported(tree)
    constants = _constants(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (call := _called(node, names, modules)) is not None:
            index = _argument(node, _OPENS[call], constants)
            exists = index is not None and (is_index(root / index) or is_index(path.parent / index))
            found.append(Use(path.relative_to(root).as_posix(), node.lineno, call, index, exists))
    return sorted(found, key=lambda use: use.line)


def _imported(tree: ast.AST) -> tuple[dict[str, str], set[str]]:
    """Local name -> name in the library, and local names of the library itself."""
    names: dict[str, str] = {}
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "gossamer":
            names |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name for alias in node.names if alias.name == "gossamer"}
    return names, modules


def _called(node: ast.Call, names: dict[str, str], modules: set[str]) -> str | None:
    name = None
    if isinstance(node.func, ast.Name):
        name = names.get(node.func.id)
    elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        name = node.func.attr if node.func.value.id in modules else None
    return name if name in _OPENS else None


def _constants(tree: ast.Module) -> dict[str, str]:
    """Names that the module gives one text, as such or as a Path."""
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and (text := _text(node.value, {})) is not None:
            found |= {target.id: text for target in node.targets if isinstance(target, ast.Name)}
    return found


def _argument(node: ast.Call, place: int, constants: dict[str, str]) -> str | None:
    named = [keyword.value for keyword in node.keywords if keyword.arg in {"folder", "index"}]
    given = node.args[place] if len(node.args) > place else (named[0] if named else None)
    return None if given is None else _text(given, constants)


def _text(node: ast.expr, constants: dict[str, str]) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if (
        isinstance(node, ast.Call)
        and len(node.args) == 1
        and isinstance(node.func, ast.Name)
        and node.func.id == "Path"
    ):
        return _text(node.args[0], constants)
    return None
