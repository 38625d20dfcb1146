"""How well a committee is found in a corpus by names and addresses of other making: right, wrong, left open.

People of the corpus are listed by name, with an address that nobody has seen. Some of them are taken for absent:
whoever is then found for them is a namesake, and wrong.
"""

import random
from collections.abc import Sequence

from indexing.index import Index
from panelist.corpus.names import normalise_name
from panelist.corpus.readers.committee import people_list
from panelist.corpus.store import CorpusStore
from panelist.records import Author
from retriever.conference.matching import PeopleMatcher, PersonMatch

_LEAST_PAPERS = 2  # somebody whom a chair invites has published
_ABSENT = 0.1  # of the people listed


def matched_shares(index: Index, corpus: CorpusStore, count: int = 200, seed: int = 1) -> dict[str, float]:
    """The shares of a drawn committee that are found rightly, wrongly, or left to a person to decide."""
    draw = random.Random(seed)
    starts = index.ownership.author_starts
    numbers = [row for row in range(len(starts) - 1) if starts[row + 1] - starts[row] >= _LEAST_PAPERS]
    ids = index.ownership.author_ids.take(sorted(draw.sample(numbers, min(count, len(numbers)))))
    authors = corpus.authors(ids)
    table = "\n".join(["name;email", *(_written(authors[key], draw) for key in ids)])
    absent = {*draw.sample(ids, round(_ABSENT * len(ids)))}
    matches = PeopleMatcher(index, corpus, absent).match(people_list(table))
    return _shares(matches, [None if key in absent else key for key in ids])


def _written(author: Author, draw: random.Random) -> str:
    """A person by name, in one of the usual forms, and an address at a host of no institution."""
    *given, family = author.name.split()
    form = draw.choices(("whole", "short", "family name first"), (8, 1, 1))[0]
    name = author.name
    if given and form != "whole":
        name = f"{given[0]} {family}" if form == "short" else f"{family}, {' '.join(given)}"
    return f"{name};{normalise_name(author.name).replace(' ', '.')}@example.org"


def _shares(matches: Sequence[PersonMatch], truth: Sequence[str | None]) -> dict[str, float]:
    """`truth` is the id of each person, None for those who are taken for absent."""
    right = wrong = left = absent = 0
    for match, key in zip(matches, truth, strict=True):
        if match.state in ("certain", "probable"):
            right += match.chosen == (key,)
            wrong += match.chosen != (key,)
        elif match.state == "none" and key is None:
            absent += 1
        else:
            left += 1
    total = max(len(matches), 1)
    counts = {"right": right + absent, "of these, rightly nobody": absent, "wrong": wrong, "open": left}
    return {"people": len(matches), **{name: number / total for name, number in counts.items()}}
