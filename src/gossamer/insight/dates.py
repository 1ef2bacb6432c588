"""Dates in running text and in metadata as intervals of days that can be compared and ordered.

A date is a pair of whole numbers yyyymmdd, first and last: a day is (20210207, 20210207), a year (20210000, 20219999),
a decade (17900000, 17999999). A day without its year is the pair (mmdd, mmdd) below 10000.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

Interval = tuple[int, int]

# Beginnings of month names in English, German, French, Spanish, Italian and Portuguese, lower case, no accents.
_MONTHS = {
    1: "jan januar january janvier enero gennaio janeiro",
    2: "feb februar february fevrier febrero febbraio fevereiro",
    3: "mar march marz mars marzo marco",
    4: "apr april avril abril aprile",
    5: "may mai mayo maggio maio",
    6: "jun june juni juin junio giugno junho",
    7: "jul july juli juillet julio luglio julho",
    8: "aug august aout agosto",
    9: "sep sept september septembre septiembre settembre setembro",
    10: "oct october oktober okt octobre octubre ottobre outubro",
    11: "nov november novembre noviembre novembro",
    12: "dec december dezember dez decembre diciembre dicembre dezembro",
}
_NUMBER_OF = {name: number for number, names in _MONTHS.items() for name in names.split()}
_ACCENTED = str.maketrans("äéèûçô", "aeeuco")
_MONTH = (
    r"(?:jan|feb|fév|fev|mar|mär|apr|avr|abr|may|mai|mayo|maggio|jun|jui|jul|lug|giu|aug|aoû|ago|sep|set|oct|okt|ott|out|"
    r"nov|dec|dez|dic|déc|enero|gennaio)[a-zäéèûç]{0,7}"
)
_YEAR = r"(?:1\d|20)\d\d"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])"
_NTH = r"(?:st|nd|rd|th|\.|º)?"
DATE = rf"""(?xi:
    (?=\d|{_MONTH}\.?\s) (?<![^\W\u3040-\u9fff\uac00-\ud7af]) (?<![.,/-]) (?:
      (?P<iso>{_YEAR}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?=\D|$)
    | (?P<han>{_YEAR}年(?:\d{{1,2}}月(?:\d{{1,2}}日)?)?)
    | (?P<slash>\d{{1,2}}[/.]\d{{1,2}}[/.]{_YEAR})(?!\d)
    | (?P<mdy>{_MONTH}\.?\s{{1,2}}{_DAY}{_NTH}(?:\s?,\s?|\s){_YEAR})(?!\d)
    | (?P<dmy>{_DAY}{_NTH}\s(?:de\s|of\s)?{_MONTH}\.?(?:\s?,)?\s(?:de\s)?{_YEAR})(?!\d)
    | (?P<my>{_MONTH}\.?(?:\s?,)?\s(?:de\s|of\s)?{_YEAR})(?!\d)
    | (?P<md>{_MONTH}\.?\s{_DAY}{_NTH})(?![\w]|,?\d)
    | (?P<dm>{_DAY}{_NTH}\s(?:de\s|of\s)?{_MONTH})\b
    | (?P<span>{_YEAR}\s?[-–/]\s?(?:{_YEAR}|\d\d))(?![\d-])
    | (?P<decade>{_YEAR}'?s)\b
    | (?P<year>{_YEAR})(?!\w|[.,]\d|-\d)
    ))"""
"""Pattern of a date, to be used as one alternative of a larger pattern; `interval` reads what it found."""
_DATE = re.compile(DATE)
_DIGITS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]{3,}")

_STAMPED = re.compile(
    r"(?i)\b(?:as of|as at|updated(?: on)?|effective(?: from)?|revised(?: on| in)?|published(?: on| in)?|dated|"
    r"version of|valid from|stand(?: vom)?|état au|actualizado(?: el| en)?)[:\s]+(?:the\s)?$"
)


def interval(match: re.Match[str]) -> Interval | None:
    """The days that a match of `DATE` names, None where it is none after all (a 31 of a month named "Maritime").

    >>> [interval(m) for m in _DATE.finditer("Feb 7, 2021; in May 2020; 1810-11; the 1790s; on 3 March")]
    [(20210207, 20210207), (20200500, 20200599), (18100000, 18119999), (17900000, 17999999), (303, 303)]
    """
    form = match.lastgroup or ""
    text = match.group(form)
    numbers = [int(digits) for digits in _DIGITS.findall(text)]
    if form in ("mdy", "dmy", "my", "md", "dm"):
        return _named(form, text, numbers)
    if form in ("iso", "han"):
        return _days(*numbers)
    if form == "slash":
        return _slash(*numbers)
    first = last = numbers[0]
    if form == "decade":
        last = first + (99 if first % 100 == 0 else 9 if first % 10 == 0 else 0)
    elif form == "span":
        last = numbers[1] if numbers[1] > 99 else first - first % 100 + numbers[1]
        if last < first:
            return None
    return first * 10000, last * 10000 + 9999


def find_dates(text: str) -> Iterator[tuple[int, int, Interval]]:
    """Dates of a text in order: start, end, days; a day without a year is left out.

    >>> list(find_dates("Updated 2023-04-01, first printed in 1999."))
    [(8, 18, (20230401, 20230401)), (37, 41, (19990000, 19999999))]
    """
    for match in _DATE.finditer(text):
        days = interval(match)
        if days and days[0] > 9999:
            yield match.start(), match.end(), days


def is_stamp(text: str, start: int) -> bool:
    """Whether the date that begins at `start` says as of when a statement holds: "as of 2021", "updated May 2021".

    >>> text = "As of 2021 the lab of 1990 stands."
    >>> is_stamp(text, 6), is_stamp(text, 22)
    (True, False)
    """
    return _STAMPED.search(text[max(0, start - 24) : start]) is not None


def overlap(left: Interval, right: Interval) -> bool:
    """Whether two dates can be the same: one holds the other; without a year, by month and day.

    >>> overlap((20210000, 20219999), (20210207, 20210207)), overlap((207, 207), (20210208, 20210208))
    (True, False)
    """
    if (left[0] < 10000) != (right[0] < 10000):
        bare, full = (left, right) if left[0] < 10000 else (right, left)
        return full[0] // 10000 != full[1] // 10000 or full[0] % 100 == 0 or full[0] % 10000 == bare[0]
    return left[0] <= right[1] and right[0] <= left[1]


_KEYS = ("date", "updated", "modified", "published", "created", "effective", "year", "valid_from", "timestamp")


def metadata_date(metadata: Mapping[str, Any]) -> Interval | None:
    """The date in a document's metadata: of the keys that name one ("date", "updated", "published" …) the latest.

    Values may be ISO dates with or without time, years, or dates in words; anything else is no date.

    >>> metadata_date({"published": "2021-03-04T10:00:00Z", "updated": "May 2022"}), metadata_date({"date": "soon"})
    ((20220500, 20220599), None)
    """
    found: list[Interval] = []
    for key, value in metadata.items():
        plain = str(key).lower()
        if any(plain == name or plain.endswith(f"_{name}") or plain.startswith(f"{name}_") for name in _KEYS):
            text = re.sub(r"[T ]\d\d:.*$", "", str(value)) if isinstance(value, (str, int)) else ""
            found += [days for _, _, days in find_dates(text)]
    return max(found, default=None)


def _days(year: int, month: int = 0, day: int = 0) -> Interval | None:
    if month > 12 or day > 31:
        return None
    if not month:
        return year * 10000, year * 10000 + 9999
    first = year * 10000 + month * 100 + day
    return (first, first) if day else (first, first + 99)


def _slash(first: int, second: int, year: int) -> Interval | None:
    """Day and month where only one order is possible, else just the year."""
    if first > 12 and second <= 12:
        return _days(year, second, first)
    if second > 12 and first <= 12:
        return _days(year, first, second)
    return _days(year, first, second) if first == second else _days(year)


def _named(form: str, text: str, numbers: list[int]) -> Interval | None:
    month = next((m for word in _LETTERS.findall(text.lower()) if (m := _NUMBER_OF.get(word.translate(_ACCENTED)))), 0)
    if not month:
        return None
    if form == "my":
        return _days(numbers[0], month)
    day, year = numbers[0], numbers[1] if len(numbers) > 1 else 0
    if not year:
        return (month * 100 + day, month * 100 + day)
    return _days(year, month, day)
