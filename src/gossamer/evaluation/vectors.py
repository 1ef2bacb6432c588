"""Given vectors: files of passage and question vectors, checked and merged for one data set."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import EmbeddingError, UsageError

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class GivenVectors:
    """Vectors by id; `passages` and `questions` map an id to one float32 vector."""

    passages: Mapping[str, Vectors]
    questions: Mapping[str, Vectors]

    def restricted(self, ids: Iterable[str]) -> GivenVectors | None:
        """The vectors of these documents (or of their chunks), None when not one of them has any.

        Raises:
            EmbeddingError: some have vectors and some have none.
        """
        chunked: dict[str, list[str]] = {}
        for one in self.passages:
            chunked.setdefault(one.rpartition("#")[0], []).append(one)
        wanted = sorted(ids)
        found = {one: [one, *chunked.get(one, ())] for one in wanted if one in self.passages or one in chunked}
        if not found:
            return None
        if len(found) < len(wanted):
            lost = next(one for one in wanted if one not in found)
            raise EmbeddingError(
                f"{len(wanted) - len(found)} of {len(wanted)} passages have no vector in the --vectors files, "
                f"the first is {lost!r}. Give the file that holds them with another --vectors, or leave --vectors out."
            )
        kept = {key: self.passages[key] for keys in found.values() for key in keys if key in self.passages}
        return GivenVectors(kept, self.questions)

    def save(self, path: Path) -> None:
        """Write `ids` and `vectors` to an .npz file, in id order, as the `vectors:` embedder reads it."""
        ids = sorted(self.passages)
        np.savez(path, ids=np.array(ids), vectors=np.stack([self.passages[one] for one in ids]))


def load_vectors(paths: Sequence[Path]) -> GivenVectors:
    """Read and merge .npz files with `ids` and `vectors`, `question_ids` and `question_vectors`, or either pair.

    An id may stand in several files when its vectors agree.

    Raises:
        UsageError: a file is missing or is not such a file.
        EmbeddingError: sizes differ between files, values are not finite, or one id has two different vectors.
    """
    passages: dict[str, Vectors] = {}
    questions: dict[str, Vectors] = {}
    width = 0
    for path in paths:
        arrays = _read(path)
        pairs = (("ids", "vectors", passages), ("question_ids", "question_vectors", questions))
        if not any(names[0] in arrays for names in pairs):
            raise UsageError(f"{path} has neither 'ids' nor 'question_ids'. Save both pairs with numpy.savez.")
        for key, value, target in pairs:
            if key not in arrays:
                continue
            if value not in arrays:
                raise UsageError(f"{path} has {key!r} without {value!r}. Save both with numpy.savez.")
            ids, vectors = arrays[key], np.asarray(arrays[value], dtype=np.float32)
            _check(path, key, ids, vectors, width)
            width = vectors.shape[1] if len(vectors) else width
            _merge(target, path, ids, vectors)
    return GivenVectors(passages, questions)


def _read(path: Path) -> dict[str, NDArray[np.generic]]:
    if not path.is_file():
        raise UsageError(f"There is no vectors file {path}. Check the path given to --vectors.")
    try:
        loaded = np.load(path, allow_pickle=False)
        if not isinstance(loaded, np.ndarray):
            with loaded as archive:
                return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as problem:
        raise UsageError(f"{path} is not a readable .npz file ({problem}). Save it with numpy.savez.") from problem
    raise UsageError(f"{path} is a single array. Save ids and vectors together with numpy.savez.")


def _check(path: Path, key: str, ids: NDArray[np.generic], vectors: Vectors, width: int) -> None:
    if ids.ndim != 1 or vectors.ndim != 2 or len(ids) != len(vectors):
        raise EmbeddingError(f"{path}: {key} {ids.shape} and vectors {vectors.shape} do not fit. Give one row per id.")
    if len(vectors) and width and vectors.shape[1] != width:
        raise EmbeddingError(
            f"{path}: vectors have {vectors.shape[1]} numbers, others {width}. Use one embedder for all."
        )
    if not np.isfinite(vectors).all():
        raise EmbeddingError(f"{path}: some vectors hold NaN or infinity. Compute them again.")


def _merge(target: dict[str, Vectors], path: Path, ids: NDArray[np.generic], vectors: Vectors) -> None:
    for one, vector in zip(ids.tolist(), vectors, strict=True):
        known = target.setdefault(str(one), vector)
        if known is not vector and not np.allclose(known, vector, atol=1e-3):
            raise EmbeddingError(f"{path}: {one!r} has two different vectors in the given files. Leave one file out.")
