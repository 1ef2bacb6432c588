"""The twelve chunks of the walkthrough: five short documents of an invented coast, with questions each chunk answers."""

from __future__ import annotations

from gossamer.model import Document

QUESTION = "Where did the person who repaired the gauge that recorded the storm surge learn her trade?"

_DOCUMENTS = {
    "survey.md": (
        "# Tern Point survey\n\n"
        "## 1 Summary\n\nThe survey of Tern Point lasted from May to October. Its most important record is the storm "
        "surge of 4 September, described in Section 2.\n\n"
        "## 2 Storm surge\n\nOn 4 September the sea at Tern Point rose by 2.3 metres within six hours. The storm surge "
        "was recorded by the Marlin Gauge alone, because every other instrument had lost its power.\n\n"
        "## 3 Calm weeks\n\nIn June the sea at Tern Point hardly moved for three weeks, and the crew of the Plover "
        "painted the hut on the dunes instead."
    ),
    "workshop.md": (
        "# Quill Harbour workshop\n\n"
        "## Instruments\n\nThe Marlin Gauge was built at Quill Harbour. It was repaired in August by Ilse Varga after "
        "a fishing net had torn off its float. More about her is in people.md.\n\n"
        "## Boats\n\nThe workshop keeps two boats, the Plover and the Dunlin. The Plover carries instruments out to "
        "Tern Point, the Dunlin stays at Quill Harbour in winter.\n\n"
        "## Opening hours\n\nThe workshop is open from eight to four, except on market days, when the yard is full "
        "of carts and nobody can reach the gate."
    ),
    "people.md": (
        "# People of the coast\n\n"
        "## Ilse Varga\n\nIlse Varga repairs instruments of brass and glass. She learned her trade at the Brandt "
        "Institute and came to Quill Harbour in 1998.\n\n"
        "## Tomas Reed\n\nTomas Reed is skipper of the Plover. He took the survey out to Tern Point forty times and "
        "keeps the log of every crossing."
    ),
    "institute.md": (
        "# Brandt Institute\n\n"
        "## Courses\n\nThe Brandt Institute teaches fine mechanics in the town of Sorrel. The course takes three "
        "years and ends with a clock that its maker may keep.\n\n"
        "## Library\n\nThe library of the Brandt Institute holds drawings of old instruments, among them the first "
        "sketch of the Marlin Gauge."
    ),
    "press.md": (
        "# Press cuttings\n\n"
        "## September\n\nStorm surge at Tern Point: on 4 September the sea rose by 2.3 metres within six hours. The "
        "storm surge was recorded by a single gauge.\n\n"
        "## October\n\nThe survey of Tern Point has ended. Its crew was welcomed at Quill Harbour with soup, and the "
        "Plover was hauled out for the winter."
    ),
}

_ANSWERED = {
    "survey.md#0": ["How long did the survey of Tern Point last?"],
    "survey.md#1": ["Which gauge recorded the storm surge?", "How far did the sea rise at Tern Point?"],
    "survey.md#2": ["What did the crew do in June?"],
    "workshop.md#0": ["Who repaired the Marlin Gauge?", "Where was the Marlin Gauge built?"],
    "workshop.md#1": ["Which boats does the workshop keep?"],
    "workshop.md#2": ["When is the workshop open?"],
    "people.md#0": ["Where did Ilse Varga learn her trade?", "Who repairs instruments?"],
    "people.md#1": ["Who is skipper of the Plover?"],
    "institute.md#0": ["Where is fine mechanics taught?"],
    "institute.md#1": ["Where are the drawings of the Marlin Gauge?"],
    "press.md#0": ["How far did the sea rise in September?", "What recorded the storm surge?"],
    "press.md#1": ["When did the survey of Tern Point end?"],
}


def documents() -> list[Document]:
    """The documents, titles from their first heading."""
    return [
        Document(name, text, title=text.split("\n", 1)[0].removeprefix("# "))
        for name, text in sorted(_DOCUMENTS.items())
    ]


def questions_of(text: str) -> list[str]:
    """Utility questions of a chunk, found by its text: what a model would write for it."""
    for name, text_of_document in _DOCUMENTS.items():
        parts = text_of_document.split("\n## ")[1:]
        for position, part in enumerate(parts):
            if part.split("\n\n", 1)[1].strip() in text:
                return _ANSWERED[f"{name}#{position}"]
    return []
