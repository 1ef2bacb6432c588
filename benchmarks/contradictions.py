"""Precision and recall of the contradiction detector on labelled pairs, against two trivial rules.

    python benchmarks/contradictions.py FOLDER [--json FILE]

FOLDER holds `corpus.jsonl.gz` (id, text, group, doc_type, and doc_answer where there is one), `conflicts.jsonl.gz` (pairs
a, b with a kind) and `questions.jsonl.gz` (group, question); plain `.jsonl` files do as well. Only groups with a question
are read.

- Positive: every listed pair. Negative: every other pair of a group whose labels say that it holds no conflict: two
  true or two altered snippets, two passages that support one answer, a passage beside one that answers nothing. An
  altered snippet beside a snippet of another origin may be a conflict that nobody listed: left out.
- Copies: each passage beside a copy of itself that changes no fact, made here by one of five rules in turn: ends cut, halves
  swapped, small words dropped, dates and numbers written otherwise, synonyms. These count as negatives in `with copies`.
- Trivial rule "any": another set of numbers or of capitalised words. Trivial rule "similar": the same, and word sets that
  overlap (Jaccard) by a bar; the bar with the best F1 on these very pairs is reported, so the rule is tuned on the test.

Each detector sees one pair at a time, with or without the question.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gossamer.insight.contradictions import find_conflicts

Row = dict[str, Any]
Pair = tuple[str, str, str, str | None]
"""Two texts, the class of the pair, the question."""

SYNONYMS = {"won": "took", "film": "movie", "movie": "film", "starring": "featuring", "big": "large", "built": "erected",
            "located": "situated", "released": "issued", "start": "begin", "which": "that", "said": "stated"}  # fmt: skip
SHORT = {"January": "Jan.", "February": "Feb.", "August": "Aug.", "September": "Sept.", "October": "Oct.",
         "November": "Nov.", "December": "Dec.", " million": " mn", "United States": "US"}  # fmt: skip
KEPT = {"no", "not", "nor", "never", "without", "nothing", "none", "nobody", "million", "billion", "thousand"}


def rows(folder: Path, name: str) -> list[Row]:
    packed, plain = folder / f"{name}.jsonl.gz", folder / f"{name}.jsonl"
    text = (
        gzip.decompress(packed.read_bytes()).decode("utf-8") if packed.exists() else plain.read_text(encoding="utf-8")
    )
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def labelled_pairs(folder: Path) -> Iterator[Pair]:
    questions = {row["group"]: row["question"] for row in rows(folder, "questions")}
    passages = {row["id"]: row for row in rows(folder, "corpus") if row["group"] in questions}
    kinds = {tuple(sorted((row["a"], row["b"]))): row["kind"] for row in rows(folder, "conflicts")}
    groups: dict[str, list[str]] = defaultdict(list)
    for name, row in passages.items():
        groups[row["group"]].append(name)
    for group in sorted(groups):
        for a, b in itertools.combinations(sorted(groups[group]), 2):
            left, right = passages[a], passages[b]
            label = f"conflict: {kinds[a, b]}" if (a, b) in kinds else unlisted(left, right)
            if label:
                yield left["text"], right["text"], label, questions[group]
    for number, row in enumerate(passages.values()):
        if copied := copy(row["text"], number):
            yield row["text"], copied, f"copy {number % 5}", None


def unlisted(left: Row, right: Row) -> str:
    types = {left["doc_type"], right["doc_type"]}
    if "noise" in types:
        return "none: one answers nothing"
    if "doc_answer" in left:
        return "none: same answer" if left["doc_answer"] == right["doc_answer"] else ""
    if "counterfactual" in types:
        return "none: same side" if len(types) == 1 else ""
    return "none: same side" if types == {"positive"} else "none: off the answer"


def copy(text: str, number: int) -> str:
    """A copy that changes no fact, "" where the rule has nothing to change."""
    words, rng = text.split(), random.Random(number)
    if len(words) < 12:
        return ""
    rule = number % 5
    if rule == 0:
        made = " ".join(words[rng.randrange(1, 5) : len(words) - rng.randrange(1, 5)])
    elif rule == 1:
        sentences = re.split(r"(?<=[.!?]) ", text)
        half = max(1, len(sentences) // 2)
        made = " ".join(sentences[half:] + sentences[:half])
    elif rule == 2:
        made = " ".join(w for i, w in enumerate(words) if i % 9 != 4 or not w.islower() or w in KEPT)
    elif rule == 3:
        made = re.sub("|".join(SHORT), lambda found: SHORT[found.group()], re.sub(r"(\d),(\d{3})", r"\1\2", text))
    else:
        made = " ".join(SYNONYMS.get(word, word) for word in words)
    return "" if made == text else made


def differ(left: str, right: str) -> bool:
    """Whether two texts hold other numbers or other capitalised words."""
    return any(set(re.findall(form, left)) != set(re.findall(form, right)) for form in (r"\d[\d.,]*", r"\b[A-Z]\w+"))


def jaccard(left: str, right: str) -> float:
    one, other = (set(re.findall(r"\w+", text.lower())) for text in (left, right))
    return len(one & other) / max(1, len(one | other))


def measure(pairs: list[Pair], flags: list[bool], *, copies: bool) -> dict[str, float]:
    kept = [
        (label, flag)
        for (_, _, label, _), flag in zip(pairs, flags, strict=True)
        if copies or not label.startswith("copy")
    ]
    hits = sum(flag for label, flag in kept if label.startswith("conflict"))
    real = sum(label.startswith("conflict") for label, _ in kept)
    flagged = sum(flag for _, flag in kept)
    precision, recall = hits / max(1, flagged), hits / max(1, real)
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / max(1e-9, precision + recall)}


def shares(pairs: list[Pair], flags: list[bool]) -> dict[str, float]:
    """Flagged part of every class."""
    total, flagged = Counter(label for _, _, label, _ in pairs), Counter()
    for (_, _, label, _), flag in zip(pairs, flags, strict=True):
        flagged[label] += flag
    return {label: flagged[label] / total[label] for label in sorted(total)}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    pairs = list(labelled_pairs(given.folder))
    differs = [differ(a, b) for a, b, _, _ in pairs]
    overlaps = [jaccard(a, b) for a, b, _, _ in pairs]
    bars = [number / 20 for number in range(1, 20)]
    ruled = {bar: [d and o >= bar for d, o in zip(differs, overlaps, strict=True)] for bar in bars}
    best = max(bars, key=lambda bar: measure(pairs, ruled[bar], copies=True)["f1"])
    systems: dict[str, Callable[[], list[bool]]] = {
        "trivial: any": lambda: differs,
        "trivial: similar .5": lambda: ruled[0.5],
        f"trivial: similar {best:g} (best)": lambda: ruled[best],
        "gossamer": lambda: [bool(find_conflicts([a, b])) for a, b, _, _ in pairs],
        "gossamer, question": lambda: [bool(find_conflicts([a, b], question=q)) for a, b, _, q in pairs],
        "gossamer, question, any answer": lambda: [
            bool(find_conflicts([a, b], question=q, answer_strength=0.0)) for a, b, _, q in pairs
        ],
    }
    report: dict[str, Any] = {"pairs": dict(sorted(Counter(label for _, _, label, _ in pairs).items())), "systems": {}}
    print(json.dumps(report["pairs"]))
    for name, run in systems.items():
        started = time.perf_counter()
        flags = run()
        plain, full = measure(pairs, flags, copies=False), measure(pairs, flags, copies=True)
        parts = shares(pairs, flags)
        report["systems"][name] = {"pairs": plain, "with copies": full, "flagged": parts}
        values = " ".join(f"{m['precision']:.3f} {m['recall']:.3f} {m['f1']:.3f}" for m in (plain, full))
        print(f"{name:32} P R F1 {values}  {1000 * (time.perf_counter() - started) / len(pairs):.2f} ms a pair")
        print("    " + ", ".join(f"{label} {share:.3f}" for label, share in parts.items()))
    if given.json:
        given.json.write_text(json.dumps(report, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
