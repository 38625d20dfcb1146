"""Names under which a corpus prints one person: which of them conflicts take for one, and how many others with them.

A person of the ACL Anthology has one id and the names that their papers print: Alex Waibel and Alexander Waibel. Every
name is looked up among those of all people, as the name of an author is among reviewers.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations

from panelist.records import Paper
from retriever.conference.names import People


@dataclass(frozen=True, slots=True)
class NameCounts:
    """Of how many people with several names; their (name, other name), and how many of these are found."""

    people: int
    pairs: int
    recalled: int
    names: int
    strangers: int  # people whom these names find and who are somebody else

    @property
    def figures(self) -> dict[str, float]:
        """What is found of one person's names, and how many others with each."""
        recall, strangers = (
            a / b if b else float("nan") for a, b in ((self.recalled, self.pairs), (self.strangers, self.names))
        )
        return {"people": self.people, "pairs": self.pairs, "recall": recall, "others_per_name": strangers}


def name_variants(papers: Iterable[Paper]) -> NameCounts:
    """Look up every name of those who are printed under several."""
    printed: dict[str, dict[str, None]] = defaultdict(dict)
    for paper in papers:
        for authorship in paper.authorships:
            printed[authorship.author.id].setdefault(authorship.author.name)
    numbered = [(person, name) for person, names in printed.items() for name in names]
    people = People({number: name for number, (_, name) in enumerate(numbered)})
    several = {person: names for person, names in printed.items() if len(names) > 1}
    pairs = recalled = strangers = looked = 0
    for person, names in several.items():
        matches = {name: {numbered[number] for number in people.like(name)} for name in names}
        pairs += len(names) * (len(names) - 1)
        recalled += sum((person, other) in matches[name] for name, other in permutations(names, 2))
        looked += len(names)
        strangers += sum(len({match for match, _ in namesakes} - {person}) for namesakes in matches.values())
    return NameCounts(len(several), pairs, recalled, looked, strangers)
