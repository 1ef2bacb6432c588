"""Questions for a sort of thing ("What sport …", "What is the genre …"), whose answers stand in short closed lists.

No list is complete: what it lacks is no answer, and a passage without an answer opposes nobody.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

_SPORTS = (
    "football footballer|soccer|basketball|baseball|cricket cricketer|hockey|rugby|tennis|golf golfer|"
    "boxing boxer|wrestling wrestler|swimming swimmer|athletics sprinter runner hurdler jumper|cycling cyclist|"
    "rowing rower|sailing|volleyball|handball|badminton|judo judoka|skiing skier|skating skater|"
    "gymnastics gymnast|fencing fencer|archery archer|chess|snooker|darts|lacrosse|softball|squash|polo|"
    "racing racer|bowling|curling curler|surfing surfer|shooting shooter|weightlifting weightlifter|karate|"
    "hurling hurler|netball|speedway|luge|bobsleigh|canoeing canoeist|diving diver|triathlon triathlete|bowls|"
    "croquet|rodeo"
)
_WORK = (
    "actor actress|singer|politician senator congressman minister|footballer|basketball|baseball|cricketer|"
    "golfer|boxer|wrestler|writer author novelist|poet|painter|sculptor|architect|engineer|scientist|physicist|"
    "chemist|biologist|mathematician|historian|philosopher|economist|lawyer attorney|judge|"
    "physician surgeon doctor|bishop|priest|theologian|general|officer|soldier|admiral|journalist|photographer|"
    "musician|composer|guitarist|drummer|pianist|producer|director|comedian|businessman entrepreneur|banker|"
    "merchant|farmer|teacher|professor|jockey|explorer|pilot aviator|astronaut|diplomat|rapper|dancer|model|chef|"
    "coach|racer|swimmer|cyclist|hockey|criminal|missionary|printer|geologist|botanist|astronomer|psychologist|"
    "sociologist|illustrator|cartoonist|editor|publisher|broadcaster|presenter"
)
_WORKS = (
    "film movie|novel|album|song single|play|musical|opera|series sitcom|game|painting|poem|magazine|newspaper|"
    "comic|documentary|podcast|ballet|sculpture|episode"
)
_GENRES = (
    "comedy|drama|thriller|horror|western|documentary|romance romantic|fantasy|crime|mystery|adventure|noir|"
    "action|biography|war|rock|pop|jazz|hip-hop rap|country|folk|blues|soul|funk|punk|metal|electronic|house|"
    "techno|reggae|disco|gospel|classical|news|talk|sports|oldies|religious christian|variety|alternative|"
    "ambient|swing"
)
_LISTS = (
    (r"\bsports?\b", _SPORTS),
    (r"\b(profession|occupation|job|vocation|career)\b|\bknown for\b", _WORK),
    (r"\b(medium|format of \"|kind of work|type of work)\b", _WORKS),
    (r"\b(genre|format|style|(type|kind) of music)\b", _GENRES),
)


def _compiled(entries: str) -> tuple[re.Pattern[str], dict[str, str]]:
    names = {word: group.split()[0] for group in entries.split("|") for word in group.split()}
    return re.compile(rf"(?<![\w-])(?:{'|'.join(names)})s?(?![\w-])", re.IGNORECASE), names


_SORTS = tuple((re.compile(question, re.IGNORECASE), *_compiled(entries)) for question, entries in _LISTS)


@lru_cache(maxsize=256)
def asked_sort(question: str) -> int | None:
    """Number of the list whose things a question asks for, None where it asks for nothing of the kind.

    >>> asked_sort("What sport did Ann Rao play?"), asked_sort("Who is Ann Rao?")
    (0, None)
    """
    return next((place for place, (pattern, _, _) in enumerate(_SORTS) if pattern.search(question)), None)


@lru_cache(maxsize=4096)
def sorts_in(text: str, sort: int) -> dict[str, tuple[int, int, int]]:
    """Things of a list in a text: name -> (how often, place of the first, its end), the commonest first."""
    _, pattern, names = _SORTS[sort]
    found: dict[str, tuple[int, int]] = {}
    counts: Counter[str] = Counter()
    for match in pattern.finditer(text):
        word = match.group().lower()
        name = names.get(word) or names[word[:-1]]
        counts[name] += 1
        found.setdefault(name, match.span())
    return {name: (count, *found[name]) for name, count in counts.most_common()}
