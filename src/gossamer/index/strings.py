"""A memory-mapped list of strings: one UTF-8 file and its offsets."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray


class StringTable(Sequence[str]):
    """Read-only strings in one byte array; each is decoded when it is asked for.

    `data` uint8 (bytes,), `offsets` int64 (n + 1,).

    >>> table = StringTable.from_strings(["Pune", "", "Žižkov"])
    >>> len(table), table[2], list(table)
    (3, 'Žižkov', ['Pune', '', 'Žižkov'])
    """

    __slots__ = ("data", "offsets")

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.data = data
        self.offsets = offsets

    @classmethod
    def from_strings(cls, strings: Sequence[str]) -> StringTable:
        """The table of `strings`, in order."""
        encoded = [text.encode("utf-8") for text in strings]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(item) for item in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = int(index)
        if number < 0:
            number += len(self)
        if not 0 <= number < len(self):
            raise IndexError(f"string {index} of {len(self)}")
        return self.data[self.offsets[number] : self.offsets[number + 1]].tobytes().decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        whole = self.data.tobytes()
        bounds = self.offsets.tolist()
        for start, end in itertools.pairwise(bounds):
            yield whole[start:end].decode("utf-8")
