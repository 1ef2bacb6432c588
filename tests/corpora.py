"""Small corpora that tests build; every text is made up for them."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer import Document


@dataclass(frozen=True)
class Bridge:
    """Names of a two-step question: what is researched, by which lab, and where that lab is."""

    project: str = "Orion"
    lab: str = "Helix Labs"
    city: str = "Pune"

    @property
    def question(self) -> str:
        return f"Which city is the headquarters of the lab that does the research for Project {self.project}?"

    def documents(self) -> list[Document]:
        """Twelve one-chunk documents: three near-copies about the project, the two that answer, and others."""
        p, lab, city = self.project, self.lab, self.city
        texts = [
            f"Project {p} is the largest research project of the agency and it studies dust around young stars.",
            f"Project {p} is the largest research project at the agency and it studies dust around the young stars.",
            f"Project {p} is the largest research project in the agency, which studies dust around young stars.",
            f"The research work for Project {p} is carried out by {lab}.",
            f"{lab} is headquartered in {city}.",
            "The agency was founded to bring small observatories under one roof.",
            "The canteen of the agency serves lunch from noon to two.",
            "A lab is a room in which research is done with care.",
            "The city council meets every second Tuesday in the old town hall.",
            "Travel costs are paid back within thirty days of the trip.",
            "The telescope on the southern ridge was cleaned in March.",
            "Young staff may borrow a bicycle from the gate house.",
        ]
        return [Document(f"c{number:02}", text) for number, text in enumerate(texts)]
