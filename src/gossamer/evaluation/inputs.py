"""Data set folders and the files named beside them, as a command line gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gossamer.errors import UsageError
from gossamer.evaluation.datasets import Dataset, load_dataset
from gossamer.evaluation.jsonl import find_file
from gossamer.evaluation.vectors import GivenVectors, load_vectors


@dataclass(frozen=True, slots=True)
class Inputs:
    """Data sets in the given order, each with its vectors or None."""

    datasets: tuple[Dataset, ...]
    vectors: tuple[GivenVectors | None, ...]


def load_inputs(
    folders: Sequence[Path],
    *,
    also: Sequence[str] = (),
    questions: str | None = None,
    vectors: Sequence[str] = (),
    title_free: bool = False,
    limit: int | None = None,
) -> Inputs:
    """Read every data set with the files that belong to it.

    A name given with `also`, `questions` or `vectors` is looked up in each folder first. A path that lies in none of
    the folders belongs to every set for vectors (ids decide what fits), else to the only set.

    Raises:
        UsageError: a file is missing, or it is not clear which of several data sets a path belongs to.
        DocumentError, EmbeddingError: see `load_dataset` and `load_vectors`.
    """
    names = _names(folders)
    loaded, given = [], []
    for name in (*also, *vectors, *([questions] if questions is not None else [])):
        if not any(_lookup(folder, name) for folder in folders) and not Path(name).is_file():
            raise UsageError(f"There is no {name}, neither as a path nor in {folders[0]}. Check the name.")
    for folder, name in zip(folders, names, strict=True):
        extra = [path for one in also if (path := _belonging(folder, folders, one))]
        asked = _belonging(folder, folders, questions) if questions is not None else None
        dataset = load_dataset(folder, questions=asked, also=extra, name=name)
        dataset = dataset.limited(limit)
        loaded.append(dataset.without_titles() if title_free else dataset)
        paths = [path for one in vectors if (path := _lookup(folder, one) or _outside(folders, one))]
        given.append(load_vectors(paths) if paths else None)
    return Inputs(tuple(loaded), tuple(given))


def _names(folders: Sequence[Path]) -> list[str]:
    """The folders' own names, with their parents where two are the same."""
    short = [folder.resolve().name for folder in folders]
    names = [
        name if short.count(name) == 1 else f"{folder.resolve().parent.name}/{name}"
        for folder, name in zip(folders, short, strict=True)
    ]
    if len(set(names)) < len(names):
        raise UsageError("Two of the data set folders have the same name. Give each folder once.")
    return names


def _lookup(folder: Path, name: str) -> Path | None:
    """A file of that name in the folder, or the path itself where it lies inside the folder."""
    if Path(name).is_absolute() or not ((folder / name).is_file() or (folder / f"{name}.gz").is_file()):
        path = Path(name)
        return path if path.is_file() and path.resolve().is_relative_to(folder.resolve()) else None
    return find_file(folder, name)


def _outside(folders: Sequence[Path], name: str) -> Path | None:
    """The path itself where it lies in none of the folders."""
    path = Path(name)
    return path if path.is_file() and not any(_lookup(folder, name) for folder in folders) else None


def _belonging(folder: Path, folders: Sequence[Path], name: str) -> Path | None:
    found = _lookup(folder, name)
    if found is not None:
        return found
    outside = _outside(folders, name)
    if outside is not None and len(folders) > 1:
        raise UsageError(f"{name} could belong to any of the {len(folders)} data sets. Run the benchmark once per set.")
    return outside
