"""The features of a learned ranker against loops over people and their papers."""

import numpy as np
import pytest

from indexing.text import Text
from panelist.app import demo
from retriever.aggregate import EXPERT, aggregate
from retriever.ranking.features import FEATURES, FRONT, NOWHERE, OF_HISTORY, OF_REFERENCES, PAGE, UNKNOWN, features
from retriever.search import Search, search


def described(index, text, settings, ranked, row, relevance, best):
    """One person, paper by paper."""
    ownership, candidates = index.ownership, ranked.candidates
    author = int(ranked.authors[row])
    dense = {}
    if settings.mode == "hybrid":
        (alone,) = search(index, [text], Search("dense"))
        share = settings.dense_weight / (settings.lexical_weight + settings.dense_weight)
        dense = {int(unit): float(score) * share for unit, score in zip(alone.units, alone.scores, strict=True)}
    elif settings.mode == "dense":
        dense = {int(unit): float(score) for unit, score in zip(candidates.units, candidates.scores, strict=True)}
    found = []
    for position in ranked.votes[ranked.vote_starts[row] : ranked.vote_starts[row + 1]].tolist():
        unit, score = int(candidates.units[position]), float(candidates.scores[position])
        team = ownership.authors_of(unit).tolist()
        role = "last" if team[-1] == author else "first" if team[0] == author else "middle"
        found.append((position + 1, score, dense.get(unit, 0.0), role, len(team)))
    entries = ownership.author_units[ownership.author_starts[author] : ownership.author_starts[author + 1]]
    led = sum(ownership.authors_of(int(unit))[-1] == author for unit in entries)

    def best_of(role, part):
        return max([part(one) for one in found if role in (None, one[3])], default=0.0)

    def within(limit, role=None):
        return sum(one[0] <= limit and role in (None, one[3]) for one in found)

    scores = [one[1] for one in found] + [0.0, 0.0]
    return {
        "score": relevance[row] / best,
        "level": relevance[row],
        "rank": row + 1,
        "paper_1": scores[0],
        "paper_2": scores[1],
        "paper_3": scores[2],
        "words": found[0][1] - found[0][2],
        "topic": found[0][2],
        "best_words": max(one[1] - one[2] for one in found),
        "best_topic": max(one[2] for one in found),
        "best_rank": min(one[0] for one in found),
        "team": found[0][4],
        "total": sum(one[1] ** 4 for one in found),
        "matches": len(found),
        "front": within(FRONT),
        "page": within(PAGE),
        "last_best": best_of("last", lambda one: one[1]),
        "last_total": sum(one[1] ** 4 for one in found if one[3] == "last"),
        "last_words": best_of("last", lambda one: one[1] - one[2]),
        "last_topic": best_of("last", lambda one: one[2]),
        "last_rank": min([one[0] for one in found if one[3] == "last"], default=NOWHERE),
        "last_front": within(FRONT, "last"),
        "last_page": within(PAGE, "last"),
        "first_best": best_of("first", lambda one: one[1]),
        "first_total": sum(one[1] ** 4 for one in found if one[3] == "first"),
        "middle_best": best_of("middle", lambda one: one[1]),
        "papers": len(entries),
        "last_papers": led,
        "last_share": led / len(entries),
        "match_share": len(found) / len(entries),
        **dict.fromkeys((*OF_REFERENCES, *OF_HISTORY), UNKNOWN),
    }


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_features_are_those_of_loops_over_papers(demo_finder, mode):
    index, settings = demo_finder.index, Search(mode)
    for submission in demo.submissions()[:3]:
        text = Text.of(submission)
        (ranked,) = aggregate(search(index, [text], settings), index.ownership, EXPERT)
        rows = np.arange(min(60, np.count_nonzero(ranked.scores > 0)))
        relevance = EXPERT.relevance(ranked.scores[rows])
        fast = features(ranked, rows, relevance, index.ownership)
        assert fast.shape == (len(rows), len(FEATURES))
        for row in rows.tolist():
            slow = described(index, text, settings, ranked, row, relevance, relevance.max())
            for name, value in zip(FEATURES, fast[row], strict=True):
                assert value == pytest.approx(slow[name], rel=1e-4, abs=1e-5), (name, row)
