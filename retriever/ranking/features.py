"""What a learned ranker knows of a person: numbers from the stages of one look-up, for all people at once.

Everything follows from the papers that the search found, who wrote them, and how many papers a person has in the index.
Ranks, counts and shares of the query's best carry over from one corpus to another; raw engine scores would not. What a
fair process must not use is not here: no name, country, gender or institution, no count of citations, no years. Whom
the submission itself cites is known where its references are, and what somebody reviewed and edited before, how much
of it and how long ago, where a history is.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexing.tables.ownership import Ownership, gather_rows
from retriever.stages import RankedAuthors

if TYPE_CHECKING:
    from retriever.history.seen import Seen
    from retriever.references.citations import Citations

FRONT = 20
"""How many papers of the search an editor would skim."""
PAGE = 100
"""How many papers of the search anybody would read."""
NOWHERE = 10_000
"""The rank of a paper that does not exist."""

UNKNOWN = -1.0
"""The value of features of references where a submission's are not known, and of a history where there is none."""

FEATURES: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""All features by name, in the order of the columns, with the words that say how one lifted a person."""

OF_REFERENCES = tuple(name for name in FEATURES if name.startswith(("cited", "coupled", "namesakes", "text")))
"""The features that rest on the submission's references."""
OF_HISTORY = ("reviewed", "edited", "reviews", "editorships", "idle")
"""The features that rest on who reviewed and edited before."""


def features(
    ranked: RankedAuthors,
    rows: NDArray[np.int64],
    relevance: NDArray[np.float64],
    ownership: Ownership,
    citations: Citations | None = None,
    seen: Seen | None = None,
) -> NDArray[np.float32]:
    """(rows, features): the features of the authors in these rows of a ranking, in the order of `FEATURES`.

    `rows`, at least one, are best first, and `relevance` are their scores on the scale of similarities. Where
    `citations` of the submission or a history are not known, the features of them are `UNKNOWN`.
    """
    authors, counts = ranked.authors[rows].astype(np.int64), ranked.counts(rows)
    votes = _Votes(np.cumsum(counts) - counts, counts)
    positions = ranked.positions(rows)
    units, scores = ranked.candidates.units[positions], ranked.candidates.scores[positions].astype(np.float64)
    topic = ranked.candidates.dense_part()[positions].astype(np.float64)
    coupled = ranked.candidates.shared_part()[positions].astype(np.float64)
    words = scores - topic - coupled
    writers = np.repeat(authors, counts)
    begins, ends = ownership.unit_starts[units], ownership.unit_starts[units + 1]
    as_last = ownership.unit_authors[ends - 1] == writers
    as_first = (ownership.unit_authors[begins] == writers) & ~as_last
    powers = scores**4
    front, page = positions < FRONT, positions < PAGE
    entries, papers = gather_rows(ownership.author_starts, authors)
    written = ownership.author_units[entries].astype(np.int64)
    led = ownership.unit_authors[ownership.unit_starts[written + 1] - 1] == np.repeat(authors, papers)
    last_papers = np.add.reduceat(led.astype(np.float64), np.cumsum(papers) - papers)
    columns = {
        "score": relevance / relevance.max(),
        "level": relevance,
        "rank": np.arange(1, len(rows) + 1),
        "paper_1": votes.value_of(scores, 0),
        "paper_2": votes.value_of(scores, 1),
        "paper_3": votes.value_of(scores, 2),
        "words": votes.value_of(words, 0),
        "topic": votes.value_of(topic, 0),
        "best_words": votes.most(words),
        "best_topic": votes.most(topic),
        "best_rank": votes.least(positions + 1),
        "team": votes.value_of(ends - begins, 0),
        "total": votes.sum(powers),
        "matches": counts,
        "front": votes.sum(front),
        "page": votes.sum(page),
        "last_best": votes.most(scores * as_last),
        "last_total": votes.sum(powers * as_last),
        "last_words": votes.most(words * as_last),
        "last_topic": votes.most(topic * as_last),
        "last_rank": votes.least(np.where(as_last, positions + 1, NOWHERE)),
        "last_front": votes.sum(front & as_last),
        "last_page": votes.sum(page & as_last),
        "first_best": votes.most(scores * as_first),
        "first_total": votes.sum(powers * as_first),
        "middle_best": votes.most(scores * ~(as_first | as_last)),
        "papers": papers,
        "last_papers": last_papers,
        "last_share": last_papers / papers,
        "match_share": counts / papers,
        **_cited(citations, authors),
        "coupled": votes.most(coupled),
        "coupled_total": votes.sum(coupled),
        "coupled_last": votes.most(coupled * as_last),
        "text": votes.most(scores - coupled),
        **_served(seen, authors),
    }
    for evidence, names in ((citations, OF_REFERENCES), (seen, OF_HISTORY)):
        if evidence is None:
            columns |= dict.fromkeys(names, np.full(len(rows), UNKNOWN))
    return np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32)


def _cited(citations: Citations | None, authors: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """How these authors are cited."""
    if citations is None:
        return {}
    people, rows = citations.people, citations.people.find(authors)
    values_of = {
        "cited": people.times,
        "cited_last": people.last_times,
        "cited_weight": people.weights,
        "cited_share": people.times / max(len(citations.entries), 1),
        "namesakes": people.namesakes,
    }
    return {name: np.append(values, 0)[rows].astype(np.float64) for name, values in values_of.items()}  # -1 is the last


def _served(seen: Seen | None, authors: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """What these authors reviewed and edited before."""
    if seen is None:
        return {}
    names = ("reviewed", "edited", "reviews", "editorships", "last")
    columns = {name: seen.of_authors(getattr(seen, name), authors).astype(np.float64) for name in names}
    last = columns.pop("last")
    return columns | {"idle": np.where(last > 0, (seen.day - last) / 365.25, NOWHERE)}


@dataclass(frozen=True, slots=True)
class _Votes:
    """Values of votes, the votes for one person after those for another; everybody has one at least."""

    begins: NDArray[np.int64]
    counts: NDArray[np.int64]

    def sum(self, values: NDArray[np.float64] | NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.add.reduceat(values.astype(np.float64, copy=False), self.begins)

    def most(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.maximum.reduceat(values, self.begins)

    def least(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.minimum.reduceat(values, self.begins)

    def value_of(self, values: NDArray[np.float64] | NDArray[np.int64], position: int) -> NDArray[np.float64]:
        """The value of each person's vote at this position; zero for those who have fewer."""
        present = self.counts > position
        return np.where(present, values[np.where(present, self.begins + position, 0)], 0.0)
