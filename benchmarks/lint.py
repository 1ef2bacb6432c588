"""Time of a lint on a real index on disk: python benchmarks/lint.py [--passages 100000] [--folder DIR] [--repeats 3]

The corpus is invented: passages about made-up companies, every tenth a copy in another order of its sentences or the claim
of another passage with another number, every hundredth in a language of its own. The index is built once (embedder
`hash`) and kept in DIR where one is given. Each run opens the index anew, in this process; the files are in the system's cache.
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from gossamer import Document, build_index, lint_index

_SYLLABLES = [consonant + vowel for consonant in "bdklmnrstv" for vowel in "aeo"]
_VERBS = ("opened", "sold", "tested", "bought", "closed", "repaired", "measured", "planned", "leased", "shipped")


def corpus(passages: int) -> Iterator[Document]:
    """Invented documents of one passage each."""
    rng = random.Random(7)
    words = ["".join(rng.choices(_SYLLABLES, k=rng.choice((2, 3)))) for _ in range(20_000)]
    firms = [f"{_word(rng).title()} {_word(rng).title()}" for _ in range(max(10, passages // 20))]
    kept: list[list[str]] = []
    for number in range(passages):
        if number % 10 == 9:
            sentences = list(rng.choice(kept))
            if number % 20 == 9:
                rng.shuffle(sentences)
            else:
                sentences[0] = _claim(rng, sentences[0].partition(" has ")[0])
        elif number % 100 == 50:
            sentences = [" ".join(_word(rng) + "x" for _ in range(12)) + "."]
        else:
            firm = rng.choice(firms)
            sentences = [_claim(rng, firm), *(_sentence(rng, firm, words) for _ in range(4))]
        kept.append(sentences)
        yield Document(f"doc{number:06}", " ".join(sentences))


def _word(rng: random.Random) -> str:
    return "".join(rng.choices(_SYLLABLES, k=4))


def _claim(rng: random.Random, firm: str) -> str:
    return f"{firm} has {rng.randrange(20, 9000)} people in its works and stores."


def _sentence(rng: random.Random, firm: str, words: list[str]) -> str:
    # A Zipf-like choice: the rank is the exponential of a uniform number.
    chosen = " ".join(words[int(len(words) ** rng.random()) - 1] for _ in range(10))
    return f"{firm} {rng.choice(_VERBS)} {chosen}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="where the index is, or is to be kept")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or Path(made) / "index"
        if not folder.exists():
            started = time.perf_counter()
            build_index(list(corpus(options.passages)), folder)
            print(f"built in {time.perf_counter() - started:.1f} s", flush=True)
        for _ in range(options.repeats):
            started, cpu = time.perf_counter(), time.process_time()
            report = lint_index(folder)
            wall, cpu = time.perf_counter() - started, time.process_time() - cpu
            print(f"lint of {report.chunks} passages: {wall:.2f} s, {cpu:.2f} s of CPU", flush=True)
        print(report)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
