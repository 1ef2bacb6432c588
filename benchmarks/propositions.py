"""R@5 with the sentences of each passage as its propositions, by the weight that they have in a search.

    python benchmarks/propositions.py FOLDER [--embedder NAME] [--limit N] [--others M] [--seed S]

FOLDER holds `corpus.jsonl` and `questions.jsonl` as for `gossamer bench`. `--others M` keeps the gold passages of the asked
questions and M others, for embedders that are slow.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

from gossamer import Settings, build_index, open_index
from gossamer.evaluation.datasets import load_dataset
from gossamer.text.sentences import split_sentences

WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0)


def sentences(text: str) -> list[str]:
    """The sentences of a passage."""
    return [text[start:end] for start, end in split_sentences(text)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", default="hash")
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--others", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    data = load_dataset(options.folder)
    questions = [question for question in data.questions if question.gold and not question.null]
    random.Random(options.seed).shuffle(questions)
    questions = questions[: options.limit]
    documents = list(data.documents)
    random.Random(options.seed + 1).shuffle(documents)
    if options.others is not None:
        gold = {name for question in questions for piece in question.gold for name in piece}
        rest = [document for document in documents if document.id not in gold][: options.others]
        documents = [document for document in documents if document.id in gold] + rest
    print(f"{len(documents)} passages, {len(questions)} questions, {options.embedder}")

    with tempfile.TemporaryDirectory() as folder:
        report = build_index(documents, folder, Settings(embedder=options.embedder), propositions=sentences)
        print(f"{report.propositions} propositions")
        with open_index(folder) as index:
            for weight in WEIGHTS:
                asked = index.with_settings(index.settings.replace(**{"retrieval.layer_weight": weight}))
                shares = []
                for question in questions:
                    top = {passage.document for passage in asked.rank(question.text, k=5).passages}
                    found = [any(name in top for name in piece) for piece in question.gold]
                    shares.append(sum(found) / len(found))
                whole = sum(share == 1 for share in shares) / len(shares)
                print(f"weight {weight:<5} R@5 {sum(shares) / len(shares):.3f}   all gold {whole:.3f}")


if __name__ == "__main__":
    main()
