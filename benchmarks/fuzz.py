"""Fuzz one part under atheris, guided by coverage: any exception outside the project's errors is a finding.

    pip install atheris
    python benchmarks/fuzz.py loaders|chunker|questions|manifest [CORPUS_FOLDER] [-max_total_time=60] [-runs=N]

What stands after the name of the part goes to libFuzzer. An input that fails is written to crash-* and can be given
again as the only argument after the name.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable

import atheris

with atheris.instrument_imports(include=["gossamer"]):
    from gossamer import Settings, build_index, open_index
    from gossamer.errors import GossamerError
    from gossamer.index.manifest import Manifest
    from gossamer.ingestion.chunk import chunk_document
    from gossamer.ingestion.loaders import LOADERS, parse_file
    from gossamer.model import Document
    from gossamer.retrieval.filters import parse_where
    from gossamer.text.clean import clean_text, is_blank
    from gossamer.text.tokens import make_counter

Target = Callable[[bytes], None]
ENDINGS = sorted(LOADERS)


def loaders(data: bytes) -> None:
    """The first byte chooses the loader, the rest is the file."""
    try:
        parsed = parse_file(data[1:], f"a.{ENDINGS[data[0] % len(ENDINGS)] if data else 'txt'}")
    except GossamerError:
        return
    clean_text(parsed.text).encode("utf-8")


def chunker() -> Target:
    """Coverage, order and limit for any text and sizes."""
    count = make_counter("approx")

    def run(data: bytes) -> None:
        source = atheris.FuzzedDataProvider(data)
        limit = source.ConsumeIntInRange(1, 64)
        overlap = source.ConsumeIntInRange(0, limit - 1)
        text = clean_text(source.ConsumeUnicode(4000))
        chunks, _ = chunk_document(
            Document("a", text), count=count, chunk_tokens=limit, overlap_tokens=overlap, min_tokens=4
        )
        position = 0
        for chunk in chunks:
            if not is_blank(text[position : chunk.start]) or chunk.end <= position:
                raise RuntimeError("text is lost or out of order")
            if chunk.tokens > limit and chunk.end - chunk.start > 1:
                raise RuntimeError("a chunk is over the limit")
            position = chunk.end
        if not is_blank(text[position:]):
            raise RuntimeError("the end of the text is lost")

    return run


def questions() -> Target:
    """Any question, budget and filter."""
    folder = tempfile.mkdtemp()
    texts = {"a.md": "# Orion\nHelix Labs built the lens.", "b/c.md": "Helix Labs is in Pune.", "d.md": "螺旋实验室"}
    build_index([Document(name, text) for name, text in texts.items()], folder, Settings(embedder="hash"))
    retrieval = open_index(folder)

    def run(data: bytes) -> None:
        source = atheris.FuzzedDataProvider(data)
        budget = source.ConsumeIntInRange(-10, 4000)
        condition = source.ConsumeUnicode(20)
        question = source.ConsumeUnicode(200)
        try:
            where = parse_where([condition] if condition else [])
            result = retrieval.search(question, budget, where=where)
        except GossamerError:
            return
        json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False).encode("utf-8")

    return run


def manifest(data: bytes) -> None:
    """Any bytes as a manifest."""
    try:
        Manifest.from_bytes(data, "manifest.json")
    except GossamerError:
        return


PARTS: dict[str, Callable[[], Target]] = {
    "loaders": lambda: loaders,
    "chunker": chunker,
    "questions": questions,
    "manifest": lambda: manifest,
}


def main() -> None:
    """Run the part that is named first."""
    if len(sys.argv) < 2 or sys.argv[1] not in PARTS:
        sys.exit(f"{__doc__}\nName one of {', '.join(PARTS)}.")
    part = sys.argv.pop(1)
    atheris.Setup(sys.argv, PARTS[part]())
    atheris.Fuzz()


if __name__ == "__main__":
    main()
