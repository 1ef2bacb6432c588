"""The text to send: chosen passages grouped by document, each under a line that names its source and section.

    [1] handbook.md: Staff handbook > Leave
    Leave is asked for in writing.

    [2] > Leave > Sick pay
    …

The number counts passages from 1; id and title stand at the first passage of a document only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gossamer.index.snapshot import Snapshot
from gossamer.model import heading_path

_SEPARATOR = "\n\n"
# The longest number that a header is priced with before the passage's place is known.
_PRICED_NUMBER = 999


def group_by_document(snapshot: Snapshot, chunks: Sequence[int]) -> list[int]:
    """Chunks with those of one document together, by position; documents by their first chunk in the given order."""
    first: dict[int, int] = {}
    for place, chunk in enumerate(chunks):
        first.setdefault(int(snapshot.chunk_document[chunk]), place)
    return sorted(set(chunks), key=lambda c: (first[int(snapshot.chunk_document[c])], int(snapshot.chunk_position[c])))


def compose(snapshot: Snapshot, chunks: Sequence[int]) -> str:
    """The context of chunks that `group_by_document` has put in order; "" for none."""
    blocks = []
    previous = -1
    for number, chunk in enumerate(chunks, start=1):
        document = int(snapshot.chunk_document[chunk])
        blocks.append(_block(snapshot, chunk, number, first=document != previous))
        previous = document
    return _SEPARATOR.join(blocks)


def best_at_the_ends(snapshot: Snapshot, picked: Sequence[int]) -> list[int]:
    """Chunks, given best first, in an order that keeps the weakest in the middle: models read the ends best.

    Chunks of one document stay together. By their best chunk, documents go to the front and the back in turn: 1, 3, 5 …
    6, 4, 2. Source: Liu et al., "Lost in the Middle" (2023).
    """
    documents: dict[int, list[int]] = {}
    for chunk in group_by_document(snapshot, picked):
        documents.setdefault(int(snapshot.chunk_document[chunk]), []).append(chunk)
    groups = list(documents.values())
    return [chunk for group in groups[::2] + groups[1::2][::-1] for chunk in group]


def passage_costs(
    snapshot: Snapshot, chunks: Sequence[int], count: Callable[[str], int], *, counted: bool = False
) -> list[int]:
    """Tokens that each chunk adds to a context at most: header, text and separator.

    `counted` says that the index counted its texts with the same counter: only the headers are counted then.
    """
    costs = []
    for chunk in chunks:
        header = f"{_header(snapshot, chunk, _PRICED_NUMBER, first=True)}\n{_SEPARATOR}"
        text = int(snapshot.chunk_tokens[chunk]) if counted else count(snapshot.text(chunk))
        # Counting two parts apart may miss a token at the seam.
        costs.append(count(header) + text + 1)
    return costs


def fit(
    snapshot: Snapshot, picked: Sequence[int], token_budget: int, count: Callable[[str], int]
) -> tuple[list[int], str, int]:
    """Chunks in context order, their context and its tokens; the last picks are dropped until the budget holds."""
    kept = list(picked)
    while kept:
        ordered = group_by_document(snapshot, kept)
        context = compose(snapshot, ordered)
        tokens = count(context)
        if tokens <= token_budget:
            return ordered, context, tokens
        kept.pop()
    return [], "", 0


def fill(
    snapshot: Snapshot, ranked: Sequence[int], token_budget: int, count: Callable[[str], int]
) -> tuple[list[int], str, int]:
    """The context of a plain ranking: in order, every chunk that still fits; the way a top-k search fills a budget."""
    kept: list[int] = []
    spent = 0
    for chunk, cost in zip(ranked, passage_costs(snapshot, ranked, count), strict=True):
        if spent + cost <= token_budget:
            kept.append(chunk)
            spent += cost
    return fit(snapshot, kept, token_budget, count)


def _block(snapshot: Snapshot, chunk: int, number: int, *, first: bool) -> str:
    return f"{_header(snapshot, chunk, number, first=first)}\n{snapshot.text(chunk)}"


def _header(snapshot: Snapshot, chunk: int, number: int, *, first: bool) -> str:
    document = int(snapshot.chunk_document[chunk])
    title, section = snapshot.document_titles[document], snapshot.section(chunk)
    # A text that opens with its own heading need not say it twice.
    if section and snapshot.text_starts_with_heading(chunk):
        section = section[:-1]
    path = heading_path(title, section)
    below = path[1:] if title else path
    parts = [f"[{number}]"]
    if first:
        name = snapshot.document_ids[document]
        parts.append(f"{name}: {title}" if title and title != name else name)
    if below:
        parts.append(f"> {' > '.join(below)}")
    return " ".join(parts)
