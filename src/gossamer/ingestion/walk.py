"""The files of a folder that are meant to be read, and why each other one is not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from gossamer.errors import UsageError
from gossamer.reports import Skipped
from gossamer.text.clean import join_surrogates

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_VENDORED = frozenset({"node_modules", "bower_components", "__pycache__", "site-packages", "__MACOSX"})
_VENDORED_ENDINGS = (".egg-info", ".dist-info")
_ENVIRONMENT_MARK = "pyvenv.cfg"
_NAMED_FILES = 50
_LARGEST_IGNORE_FILE = 1_000_000


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read: where it is, and its path relative to the root with `/`, valid as UTF-8."""

    path: Path
    name: str


@dataclass(slots=True)
class _Folder:
    """A folder still to read; `reason` is set where its files are skipped, `top` names the folder it began with."""

    path: str
    name: str
    ignores: list[tuple[str, GitIgnoreSpec]]
    reason: str = ""
    top: str = ""


@dataclass(slots=True)
class _Walk:
    root: str
    include: GitIgnoreSpec | None
    exclude: GitIgnoreSpec | None
    found: list[tuple[str, str]] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    # Files of a skipped folder: up to a number they are named, then only counted.
    pending: dict[str, list[Skipped]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


def walk_folder(
    root: Path, *, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> tuple[list[FoundFile], list[Skipped]]:
    """Files under `root` sorted by name, and the skipped ones with their reason.

    Hidden files and folders, vendored folders, what a .gitignore names, and symbolic links are skipped; `include` globs
    (as in a .gitignore) bring files back, but never one outside of the root; `exclude` globs win over everything. A
    skipped folder of many files is one entry. Raises UsageError for an impossible glob.
    """
    walk = _Walk(os.path.realpath(root), _spec(include, "include"), _spec(exclude, "exclude"))
    stack = [_Folder(walk.root, "", [])]
    while stack:
        folder = stack.pop()
        try:
            with os.scandir(folder.path) as entries:
                listed = sorted(entries, key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            walk.skipped.append(Skipped(_shown(folder.name) + "/", f"cannot be read ({error.strerror})"))
            continue
        if not folder.reason and folder.name and any(entry.name == _ENVIRONMENT_MARK for entry in listed):
            folder.reason, folder.top = "in a virtual environment", folder.name
        if not folder.reason:
            folder.ignores = [*folder.ignores, *_ignore_file(folder, listed)]
        for entry in listed:
            inner = _visit(walk, folder, entry)
            if inner is not None:
                stack.append(inner)
    walk.skipped += _summaries(walk)
    names = _unique_names([name for _, name in walk.found])
    files = [FoundFile(Path(path), name) for (path, _), name in zip(walk.found, names, strict=True)]
    return sorted(files, key=lambda file: file.name), sorted(walk.skipped, key=lambda each: each.source)


def _visit(walk: _Walk, folder: _Folder, entry: os.DirEntry[str]) -> _Folder | None:
    """Take or skip a file; return a folder that is to be read."""
    name = f"{folder.name}/{entry.name}" if folder.name else entry.name
    is_folder = entry.is_dir(follow_symlinks=False)
    reason = folder.reason or _reason(folder, entry, name, is_folder)
    excluded = walk.exclude is not None and walk.exclude.match_file(name + "/" * is_folder)
    if is_folder:
        reason = "excluded" if excluded else reason
        return _Folder(entry.path, name, folder.ignores, reason, folder.top or (name if reason else ""))
    if entry.is_symlink():
        reason = reason or _link_reason(walk.root, entry.path)
        if not _is_inside(walk.root, entry.path):
            excluded, reason = True, "symbolic link that leaves the folder"
    elif not entry.is_file(follow_symlinks=False):
        excluded, reason = True, "not a regular file"
    brought_back = walk.include is not None and walk.include.match_file(name)
    if not excluded and (not reason or brought_back):
        walk.found.append((entry.path, name))
    else:
        _skip(walk, folder.top, name, reason or "excluded")
    return None


def _reason(folder: _Folder, entry: os.DirEntry[str], name: str, is_folder: bool) -> str:
    """Why a file or folder is not read by default; "" where it is."""
    if entry.name.startswith("."):
        return "in a hidden folder" if is_folder else "hidden file"
    if is_folder and (entry.name in _VENDORED or entry.name.endswith(_VENDORED_ENDINGS)):
        return "in a folder of installed packages"
    verdict: bool | None = None
    for base, spec in folder.ignores:
        relative = name[len(base) :] + "/" * is_folder
        found = spec.check_file(relative).include
        verdict = verdict if found is None else found
    return "ignored by .gitignore" if verdict else ""


def _link_reason(root: str, path: str) -> str:
    return "symbolic link; its target is read under its own name" if _is_inside(root, path) else ""


def _is_inside(root: str, path: str) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(root)


def _skip(walk: _Walk, top: str, name: str, reason: str) -> None:
    if not top:
        walk.skipped.append(Skipped(_shown(name), reason))
        return
    walk.counts[top] = walk.counts.get(top, 0) + 1
    named = walk.pending.setdefault(top, [])
    if len(named) <= _NAMED_FILES:
        named.append(Skipped(_shown(name), reason))


def _summaries(walk: _Walk) -> Iterator[Skipped]:
    """The files of each skipped folder by name, or their number where there are many."""
    for top, named in walk.pending.items():
        if len(named) <= _NAMED_FILES:
            yield from named
        else:
            yield Skipped(_shown(top) + "/", f"{named[0].reason} ({walk.counts[top]:,} files)")


def _ignore_file(folder: _Folder, listed: Sequence[os.DirEntry[str]]) -> Iterator[tuple[str, GitIgnoreSpec]]:
    """The .gitignore of a folder with the prefix of the names it speaks of; lines that cannot be read are left out."""
    from pathspec import GitIgnoreSpec

    for entry in listed:
        if entry.name != ".gitignore" or not entry.is_file(follow_symlinks=False):
            continue
        try:
            with Path(entry.path).open(encoding="utf-8", errors="replace") as file:
                lines = file.read(_LARGEST_IGNORE_FILE).splitlines()
        except OSError:
            continue
        readable = []
        for line in lines:
            try:
                GitIgnoreSpec.from_lines([line])
            except ValueError:
                continue
            readable.append(line)
        yield (f"{folder.name}/" if folder.name else ""), GitIgnoreSpec.from_lines(readable)


def _spec(patterns: Sequence[str], what: str) -> GitIgnoreSpec | None:
    from pathspec import GitIgnoreSpec

    if isinstance(patterns, str):
        patterns = [patterns]
    if not patterns:
        return None
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise UsageError(
            f"{what} has a pattern that cannot be used ({error}). Give globs such as 'notes/*.md'."
        ) from error


def _shown(name: str) -> str:
    return join_surrogates(name)


def _unique_names(names: Sequence[str]) -> list[str]:
    """Names valid as UTF-8; where two become the same, the later one (by its bytes) gets a number."""
    taken: set[str] = {name for name in names if join_surrogates(name) == name}
    shown: dict[str, str] = {}
    for name in sorted(names, key=os.fsencode):
        plain = join_surrogates(name)
        unique, number = plain, 1
        while plain != name and unique in taken:
            number += 1
            unique = str(PurePosixPath(plain).with_stem(f"{PurePosixPath(plain).stem} ({number})"))
        taken.add(unique)
        shown[name] = unique
    return [shown[name] for name in names]
