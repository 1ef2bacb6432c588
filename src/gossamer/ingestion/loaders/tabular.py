"""CSV and TSV to a Markdown table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from itertools import islice

from gossamer.ingestion.loaders.base import Parsed, UnreadableFileError, decoded, extension, table_row

_DELIMITERS = ",;\t|"
_NUMBER = re.compile(r"[-+$€£¥(]?\s*[\d.,:/ -]*\d[\d.,:/ -]*\s*[%)]?")
_SAMPLE_ROWS = 50
_LONGEST_NAME = 60


def load_csv(data: bytes, name: str) -> Parsed:
    """Rows as a Markdown table, with a header where the first row reads like one."""
    text, warnings = decoded(data)
    rows = _rows(text, "\t" if extension(name) in {"tsv", "tab"} else _delimiter(text))
    try:
        body = "\n".join(_table(rows))
    except csv.Error as error:
        raise UnreadableFileError(f"damaged table ({error})") from error
    return Parsed(body, warnings=warnings)


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Rows with anything in them."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True):
        if any(cell.strip() for cell in row):
            yield row


def _delimiter(text: str) -> str:
    """The delimiter that cuts the first rows into the most columns that are equal in number."""
    sample = text[:20_000].split("\n")[:_SAMPLE_ROWS]
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        widths = [len(row) for row in csv.reader(sample, delimiter=delimiter) if row]
        if not widths:
            continue
        common = max(set(widths), key=lambda width: (widths.count(width), width))
        score = (common - 1) * widths.count(common) / len(widths)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _table(rows: Iterator[list[str]]) -> Iterator[str]:
    first = list(islice(rows, 2))
    if not first:
        return
    width = max(map(len, first))
    yield table_row(_filled(first[0], width))
    if reads_as_header(first[0]):
        yield "|" + " --- |" * width
    for row in first[1:]:
        yield table_row(_filled(row, width))
    for row in rows:
        yield table_row(_filled(row, width))


def _filled(row: list[str], width: int) -> list[str]:
    return row + [""] * (width - len(row))


def reads_as_header(row: list[str]) -> bool:
    """Whether a first row names columns: short, different, no numbers, none empty but that of row numbers.

    >>> reads_as_header(["Lab", "City"]), reads_as_header(["Helix", "40"])
    (True, False)
    """
    cells = [cell.strip() for cell in row]
    if len(cells) > 2 and not cells[0]:
        cells = cells[1:]
    return (
        all(0 < len(cell) <= _LONGEST_NAME and not _NUMBER.fullmatch(cell) for cell in cells)
        and len(set(cells)) == len(cells)
        and not any(cell.endswith((".", "。", "!", "?")) for cell in cells)
    )
