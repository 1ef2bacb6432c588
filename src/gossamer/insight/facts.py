"""A passage as a row of tokens in which numbers, dates and names are values that can be compared.

    text → numbers with sign, magnitude and unit; dates as intervals; capitalised words as names; words; small words

No model and no corpus statistics: the same text always gives the same tokens. Scripts without spaces give one token a
character.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from gossamer.insight.dates import DATE as DATE_PATTERN
from gossamer.insight.dates import Interval, interval, overlap
from gossamer.text.stopwords import STOP_WORDS
from gossamer.text.words import fold, normalise

WORD, STOP, NUMBER, DATE, NAME, NEGATION, END = "word", "stop", "number", "date", "name", "negation", "end"


class Number(NamedTuple):
    """A number, its unit ("" for none) and the size of its last given digit."""

    amount: float
    unit: str
    step: float


class Token(NamedTuple):
    """One token: its comparable form, its kind, its value where it is a number or a date, and its place in the text."""

    term: str
    kind: str
    value: Number | Interval | None
    start: int
    end: int


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0eff"
_MAGNITUDE = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "mn": 1e6, "billion": 1e9, "b": 1e9, "bn": 1e9}
_MAGNITUDE |= {"trillion": 1e12, "tn": 1e12, "hundred": 1e2, "万": 1e4, "亿": 1e8}
_SMALL = "two three four five six seven eight nine ten eleven twelve"
_NTHS = "first second third fourth fifth sixth seventh eighth ninth tenth"
_SPELLED = dict(
    zip(_SMALL.split(), range(2, 13), strict=True), twenty=20, thirty=30, forty=40, fifty=50
)  # fmt: skip
_ORDINALS = dict(zip(_NTHS.split(), range(1, 11), strict=True))
_UNITS = "km|m|cm|mm|kg|g|mg|lb|lbs|mph|kmh|mi|ft|ha|mw|kw|gw|gb|mb|tb|kb|ms|hz|ghz|mhz|°c|°f"
_TOKEN = re.compile(
    rf"""(?x)
      (?P<plain>(?!not?\b)[a-z]{{2,}}(?![\w'’ʼ\u0300-\u036f]|\.?\s?\d))
    | (?P<cite>\[\s?(?:\d{{1,3}}|edit|note\s\d+|citation\sneeded)\s?\])
    | (?P<date>{DATE_PATTERN})
    | (?P<version>(?<![\w.])v?\d+(?:\.\d+){{2,}})
    | (?P<number>(?P<sign>(?<![\w)])[-−])?(?P<money>[$€£¥₹]\s?)?
        (?P<digits>\d{{1,3}}(?:[,\u202f]\d{{3}})+(?:\.\d+)?|\d+(?:[.,]\d+)?)
        (?:(?P<nth>st|nd|rd|th|º)\b|\s?(?P<percent>%)
          |(?:[\s-]?(?P<size>thousand|million|billion|trillion|hundred|bn|mn|tn|[KMBkmb](?![\w])|万|亿))?
           (?:\s?-?(?P<unit>(?i:{_UNITS}|percent))\b)?)
        (?![A-Za-z]))
    | (?P<code>[A-Za-z]*\d[\w]*)
    | (?P<numero>(?:No|Nos|Nr)\s?\.?\s?(?=\d)|(?i:no\s(?:fewer|less|more|later|sooner)\sthan\b|not\sonly\b))
    | (?P<initials>(?:[^\W\d_]\.){{2,}})
    | (?P<word>[^\W\d_{_CJK}](?:[^\W\d_{_CJK}]|[\u0300-\u036f])*(?:['’ʼ](?:[^\W\d_])+)*(?:\d+)?)
    | (?P<char>[{_CJK}])
    | (?P<end>[.!?;…]+(?=[\s"'”’)\]]|$)|[。！？；]|\n\s*\n)
    """
)
_NO = (
    "not never no without neither nor cannot none nobody nothing nicht kein keine nie ohne jamais aucun sans nunca "
    "senza niet geen nooit isn't aren't wasn't weren't don't doesn't didn't won't wouldn't can't couldn't hasn't haven't "
    "hadn't shouldn't n't 不 没 未 無"
)
NEGATIONS = frozenset(_NO.split())
_STOPS = frozenset(fold(normalise(word)) for words in STOP_WORDS.values() for word in words) - NEGATIONS
_POSSESSIVE = re.compile(r"['’ʼ](?:s)?$")
_ENGLISH = STOP_WORDS["english"]


def read(text: str) -> tuple[Token, ...]:
    """Tokens of a text in order.

    >>> [(t.term, t.kind) for t in read("Helix Labs paid $1.65 billion in May 2020.")]
    [('helix', 'name'), ('labs', 'name'), ('paid', 'word'), ('$1650000000', 'number'), ('in', 'stop'),
     ('20200500', 'date'), ('.', 'end')]
    """
    return _read(text)


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[Token, ...]:
    out: list[Token] = []
    for match in _TOKEN.finditer(text):
        token = _token(match)
        if token is not None:
            out.append(token)
    return tuple(out)


def _token(match: re.Match[str]) -> Token | None:
    start, end = match.span()
    group = match.lastgroup
    if group == "plain":
        return _word(match.group(), start, end)
    if match["date"] is not None:
        # `lastgroup` is the inner form of the date only when asked of the date pattern itself.
        days = interval(_DATE_ONLY.match(match.string, start) or match)
        if days is not None:
            low, high = days
            return Token(str(low) if low == high or low % 100 == 0 else f"{low}-{high}", DATE, days, start, end)
        return Token(normalise(match.group()), WORD, None, start, end)
    if match["number"] is not None:
        number = _number(match)
        sign = match["money"].strip() if match["money"] else ""
        unit = "" if sign else number.unit
        return Token(f"{sign}{number.amount:.12g}{unit}", NUMBER, number, start, end)
    if group == "word":
        return _word(match.group(), start, end)
    if group in ("code", "version", "initials"):
        return Token(
            match.group().replace(".", "").lower() if group == "initials" else match.group().lower(),
            NAME,
            None,
            start,
            end,
        )
    if group == "numero":
        return Token(match.group().split(" ")[-1].strip(". ").lower(), STOP, None, start, end)
    if group == "char":
        char = match.group()
        return Token(char, NEGATION if char in NEGATIONS else WORD, None, start, end)
    if group == "end":
        return Token(".", END, None, start, end)
    return None


_DATE_ONLY = re.compile(DATE_PATTERN)


def _number(match: re.Match[str]) -> Number:
    digits = match["digits"]
    plain = re.sub(r"[,\u202f](?=\d{3}(?!\d))", "", digits).replace(",", ".")
    amount = float(plain)
    step = 10.0 ** -len(plain.partition(".")[2])
    if match["size"]:
        factor = _MAGNITUDE[match["size"].lower()]
        amount, step = amount * factor, step * factor
    elif "." not in plain and amount >= 100 and plain.endswith("00"):
        step = 10.0 ** (len(plain) - len(plain.rstrip("0")))
    unit = "th" if match["nth"] else (match["money"] or match["percent"] or match["unit"] or "").strip().lower()
    unit = "%" if unit == "percent" else unit
    return Number(-amount if match["sign"] else amount, unit, step)


@lru_cache(maxsize=65536)
def _known(word: str) -> tuple[str, str]:
    """Comparable form and kind of a word."""
    lower = normalise(word).replace("’", "'")
    if lower in NEGATIONS:
        return lower, NEGATION
    plain = fold(_POSSESSIVE.sub("", lower))
    if plain in _STOPS and not (word[0].isupper() and plain not in _ENGLISH):
        return plain, STOP
    if lower.endswith("n't"):
        return lower, NEGATION
    return plain, NAME if word[0].isupper() else WORD


def _word(word: str, start: int, end: int) -> Token:
    term, kind = _known(word)
    if kind != NAME and term in _SPELLED:
        return Token(str(_SPELLED[term]), NUMBER, Number(float(_SPELLED[term]), "", 1.0), start, end)
    if kind != NAME and term in _ORDINALS:
        return Token(f"{_ORDINALS[term]}th", NUMBER, Number(float(_ORDINALS[term]), "th", 1.0), start, end)
    return Token(term, kind, None, start, end)


def same_value(left: Token, right: Token) -> bool:
    """Whether two numbers or two dates can stand for the same: equal to rounding, or days within each other.

    >>> [same_value(read(a)[0], read(b)[0]) for a, b in (("1,650", "1.7 thousand"), ("2021", "Feb 7, 2021"), ("5", "6"))]
    [True, True, False]
    """
    if left.term == right.term:
        return True
    if left.kind == DATE and right.kind == DATE:
        return overlap(left.value, right.value)  # type: ignore[arg-type]
    if not isinstance(left.value, Number) or not isinstance(right.value, Number):
        return False
    a, b = left.value, right.value
    if a.unit and b.unit and a.unit != b.unit:
        return False
    rough = max(a.step, b.step)
    # A round figure ("about 1,700") stands for what rounds to it; never more than 5 % off.
    return abs(a.amount - b.amount) <= min(rough / 2, 0.05 * max(abs(a.amount), abs(b.amount)))


def same_name(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """Whether two names (their words) can stand for the same: one within the other, initials, a short form, a typo.

    >>> same_name(("fla",), ("florida",)), same_name(("us",), ("united", "states")), same_name(("tampa",), ("glendale",))
    (True, True, False)
    """
    if not left or not right or set(left) <= set(right) or set(right) <= set(left):
        return True
    for one, other in ((left, right), (right, left)):
        if len(one) == 1 and len(other) > 1 and len(one[0]) > 1 and one[0].startswith("".join(w[0] for w in other)):
            return True
    if len(left) > len(right):
        left, right = right, left
    return all(any(_alike(word, other) for other in right) for word in left)


@lru_cache(maxsize=65_536)
def _alike(left: str, right: str) -> bool:
    if left == right:
        return True
    short, long = sorted((left, right), key=len)
    if long.startswith(short) and (len(short) >= 3 or len(short) == 1):
        return True
    if 3 <= len(short) <= 4 and len(long) >= len(short) + 3 and long[0] == short[0]:
        rest = iter(long)
        if all(letter in rest for letter in short):
            return True
    return len(short) >= 6 and abs(len(long) - len(short)) <= 1 and _one_edit(short, long)


def _one_edit(short: str, long: str) -> bool:
    """Whether one inserted, dropped or changed letter makes the two equal."""
    place = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return short[place + (len(short) == len(long)) :] == long[place + 1 :]


@lru_cache(maxsize=65_536)
def stem(term: str) -> str:
    """A crude stem that needs no language: common English endings off, five letters kept.

    >>> stem("released") == stem("release"), stem("offices") == stem("office")
    (True, True)
    """
    for ending in ("ing", "ed", "es", "s"):
        if term.endswith(ending) and len(term) - len(ending) >= 4:
            return term[: -len(ending)][:5]
    return term[:5]
