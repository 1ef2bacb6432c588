"""Text that breaks tools which read it: made from a seed, of any size, shared by the tests and benchmarks/hostile.py."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

_WORDS = "helix labs orion lens pune budget mars rao staff report 2019 of the in is and"
_TOKENS = "<|endoftext|> <|im_start|> <s> </s> [CLS] [SEP] [MASK] <pad> <unk> <|fim_prefix|>"
WORDS, SPECIAL = _WORDS.split(), _TOKENS.split()
RIGHT_TO_LEFT = "\u200f\u200e\u202b\u202a\u202e\u202d\u202c\u2066\u2067\u2069\u061c"
CONTROLS = "".join(map(chr, [*range(1, 9), *range(14, 32), *range(127, 160)]))


def words(size: int, *, between: str = " ", every: int = 1, seed: int = 0) -> str:
    """Words with something odd after every so many of them."""
    chooser = random.Random(seed)
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(chooser.choice(WORDS) + (chooser.choice(between) if len(parts) % every == 0 else " "))
        length += len(parts[-1])
    return "".join(parts)[:size]


def nested_list(size: int) -> str:
    """A list that goes 400 levels down and up again, until it is long enough."""
    levels = [*range(400), *range(400, 0, -1)]
    block = "".join(f"{'  ' * level}- item {level}\n" for level in levels)
    return block * (size // len(block) + 1)


def repeated(piece: str) -> Callable[[int], str]:
    return lambda size: piece * (size // len(piece) + 1)


def numbered(piece: str, head: str = "") -> Callable[[int], str]:
    """The piece with the numbers from 0 on for `%d`."""

    def make(size: int) -> str:
        parts, length, number = [head], len(head), 0
        while length < size:
            parts.append(piece.replace("%d", str(number)))
            length += len(parts[-1])
            number += 1
        return "".join(parts)

    return make


# Name: how it is made in a size, and the ending of a file that holds it.
KINDS: dict[str, tuple[Callable[[int], str], str]] = {
    "one line": (words, "txt"),
    "no spaces": (repeated("a"), "txt"),
    "one CJK sentence": (repeated("螺旋实验室位于浦那"), "txt"),
    "Thai without spaces": (repeated("ห้องปฏิบัติการอยู่ที่ปูเน่"), "txt"),
    "NULs": (lambda size: words(size, between="\0"), "txt"),
    "control characters": (lambda size: words(size, between=CONTROLS), "txt"),
    "right-to-left marks": (lambda size: words(size, between=RIGHT_TO_LEFT), "txt"),
    "Arabic without stops": (repeated("المختبر في بونا و"), "txt"),
    "lone surrogates": (lambda size: words(size, between="\ud83d\ude00\udfff "), "txt"),
    "special tokens": (lambda size: repeated("".join(f"{token} is a word. " for token in SPECIAL))(size), "txt"),
    "combining marks": (repeated("a" + "\u0316\u0301" * 500), "txt"),
    "blank lines": (repeated("\n \t\n"), "txt"),
    "marks without words": (repeated("!?.,;:-_*~`'\"()[]{}<>|\\/ "), "txt"),
    "open brackets": (repeated("[(<{"), "md"),
    "headings": (numbered("# Heading %d\n"), "md"),
    "headings with text": (numbered("## Heading %d\nHelix Labs is in Pune.\n"), "md"),
    "underlined headings": (numbered("Heading %d\n===\n"), "md"),
    "deep headings": (numbered("# a\n## b\n### c\n#### d\n##### e\n###### Heading %d\n"), "md"),
    "nested list": (nested_list, "md"),
    "nested quotes": (repeated(">" * 500 + " text\n"), "md"),
    "table": (numbered("| Helix %d | Pune |\n", "| Lab | City |\n| --- | --- |\n"), "md"),
    "wide table": (repeated("| a " * 5000 + "|\n"), "md"),
    "open fences": (repeated("```\ncode\n~~~\n"), "md"),
    "open comments": (repeated("<!-- "), "md"),
    "open links": (repeated("[a](b "), "md"),
    "csv": (numbered("%d,Helix Labs,Pune\n", "number,lab,city\n"), "csv"),
    "csv with open quotes": (repeated('"a,'), "csv"),
    "json nested": (repeated("["), "json"),
    "json list": (lambda size: "[" + ",".join(f'{{"lab": {n}}}' for n in range(size // 13)) + "]", "json"),
    "html nested": (repeated("<ul><li>item "), "html"),
    "html open tags": (repeated("<b"), "html"),
    "html table": (numbered("<tr><td>Helix %d<td>Pune", "<table>"), "html"),
    "rst titles": (numbered("Heading %d\n==========\n\n"), "rst"),
    "rst tables": (repeated("+---+---+\n| a | b |\n"), "rst"),
    "rst open roles": (repeated(":ref:`a "), "rst"),
    "code": (repeated("def f(x):\n    return x\n"), "py"),
}


def hostile(size: int) -> Iterator[tuple[str, str, str]]:
    """(name, ending, text) of every kind."""
    for name, (make, ending) in KINDS.items():
        yield name, ending, make(size)
