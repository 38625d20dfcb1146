"""How far one person can bend the order of reviewers: papers dropped from a profile, and words added to an abstract.

**Dropping.** Somebody at a rank of a submission's reviewers drops papers of their own profile in order to be among the
first ten. For every number of papers that stay, those nearest to the submission are best, so trying all numbers is
optimal; greedily, the farthest paper goes as long as that raises the score. Where drops are *counted*, a dropped paper
stays as one of background similarity (`retriever.affinity.pooling`).

**Adding words.** An author adds fifteen words of the papers of a reviewer at a rank, in order to have that reviewer
among the first three. Greedily, those with the largest product with the profile; optimal for the lexical part weighs
that against the length which each adds. The vectors of a dense part are made of the new text; its words are not chosen
for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from indexing.lexical.tokens import Vocabulary
from indexing.text import Text
from panelist.records import Paper, Submission
from retriever.affinity.blocks import background_of
from retriever.affinity.model import full_matrix
from retriever.affinity.models.hybrid import HybridModel
from retriever.affinity.models.term_counts import count_terms, document_frequencies
from retriever.affinity.pooling import ProfilePooling
from retriever.affinity.profiles import Profiles

WORDS, PANEL, TOP = 15, 10, 3
_WORD = re.compile(r"[^\W\d_][\w-]+")
_STEPS = 40  # of the price of length
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Success:
    """The shares of attempts that reach their aim: greedily, and by the best way."""

    greedy: float
    optimal: float


@dataclass(frozen=True, slots=True, eq=False)
class Committee:
    """Who is attacked: submissions, profiles, and (submissions, people) who may review."""

    submissions: Sequence[Submission]
    profiles: Sequence[Sequence[Paper]]
    allowed: NDArray[np.bool_]


class Attacks:
    """A model with one kind of pooling, on a committee."""

    def __init__(self, model: HybridModel, committee: Committee) -> None:
        self._model, self._committee = model, committee
        self._profiles = Profiles.of(committee.profiles)
        count = len(committee.submissions)
        similarity = model.similarity(self._profiles, committee.submissions)
        self._similarity = np.empty((len(self._profiles.papers), count), dtype=np.float32)
        similarity.writer(np.arange(len(self._profiles.papers)))(0, self._similarity)
        self._background = background_of(lambda documents: model.similarity(self._profiles, documents), self._profiles)

    def drop(self, pooling: ProfilePooling, rank: int, *, counted: bool = False) -> Success:
        """How often somebody at this rank is among the first ten after dropping papers."""
        greedy, optimal = [], []
        for number, allowed in enumerate(self._committee.allowed):
            nearness = [self._own_similarities(person, number) for person in range(len(self._profiles))]
            scores = np.array([self._pooled(pooling, near, len(near)) if len(near) else -np.inf for near in nearness])
            order = np.argsort(-np.where(allowed, scores, -np.inf), kind="stable")
            if rank > np.isfinite(scores[order]).sum():
                continue
            near, aim = nearness[order[rank - 1]], scores[order[PANEL - 1]]
            if counted:  # what is dropped counts as background, which is best where it is farther
                tries = [np.sort(np.maximum(near, self._background))[::-1], near]
                best = max(self._pooled(pooling, values, len(near)) for values in tries)
                extremes = (best, best)
            else:
                values = [self._pooled(pooling, near[:kept], kept) for kept in range(len(near), 0, -1)]
                rises = np.diff(values) > 0
                steps = len(rises) if rises.all() else int(np.argmin(rises))
                extremes = (values[steps], max(values))
            greedy.append(extremes[0] > aim)
            optimal.append(extremes[1] > aim)
        return Success(float(np.mean(greedy)), float(np.mean(optimal)))

    def _own_similarities(self, person: int, submission: int) -> Floats:
        papers = _papers_of(self._profiles, person)
        return np.sort(self._similarity[papers, submission].astype(np.float64))[::-1]

    def _pooled(self, pooling: ProfilePooling, near: Floats, count: int) -> float:
        plan = pooling.plan(count)
        return float(plan.weights @ near + plan.missing * self._background)

    def add_words(self, pooling: ProfilePooling, rank: int) -> Success:
        """How often whoever was at this rank is among the first three after words were added to the abstract."""
        model = replace(self._model, pooling=pooling.rule.rule, fill=pooling.fill, breadth=pooling.breadth)
        profiles, allowed = self._committee.profiles, self._committee.allowed
        scores = np.where(allowed, full_matrix(model.prepare(self._committee.submissions, profiles)), -np.inf)
        targets = np.argsort(-scores, axis=1, kind="stable")[:, rank - 1].tolist()
        chooser = _Words(self._profiles, self._committee.submissions, model.rare)
        shares = []
        for optimal in (False, True):
            changed = [
                structs.replace(submission, abstract=f"{submission.abstract} {' '.join(words)}")
                for number, submission in enumerate(self._committee.submissions)
                for words in [chooser.choose(number, targets[number], pooling, optimal=optimal)]
            ]
            after = np.where(allowed, full_matrix(model.prepare(changed, profiles)), -np.inf)
            reached = after[np.arange(len(targets)), targets]
            shares.append(float(((after > reached[:, None]).sum(axis=1) < TOP).mean()))
        return Success(*shares)


def _papers_of(profiles: Profiles, person: int) -> NDArray[np.int64]:
    return profiles.members[profiles.starts[person] : profiles.starts[person + 1]]


class _Words:
    """Chooses words of a profile that raise its lexical score most."""

    def __init__(self, profiles: Profiles, submissions: Sequence[Submission], rare: float) -> None:
        self._profiles, vocabulary = profiles, Vocabulary()
        papers = count_terms(profiles.papers, vocabulary)
        words = {word for paper in profiles.papers for word in _WORD.findall(" ".join(Text.of(paper)))}
        self._word = {int(terms[0]): word for word in sorted(words) if len(terms := vocabulary.learn(word)) == 1}
        counts, width = count_terms(submissions, vocabulary), len(vocabulary.numbers)
        frequencies, count = document_frequencies(papers, width), len(profiles.papers)
        self._rarity = np.log((1 + count) / (1 + np.maximum(frequencies, rare * count))) + 1
        self._papers, self._submissions = papers, counts

    def _row(self, matrix: object, rows: NDArray[np.int64]) -> Floats:
        """TF-IDF of some rows, not scaled to length 1."""
        counts = np.zeros((len(rows), len(self._rarity)))
        counted = matrix[rows]  # type: ignore[index]  # scipy has no types
        counts[:, : counted.shape[1]] = counted.toarray()
        weighed: Floats = np.where(counts > 0, (1 + np.log(np.maximum(counts, 1))) * self._rarity, 0.0)
        return weighed

    def choose(self, submission: int, person: int, pooling: ProfilePooling, *, optimal: bool) -> list[str]:
        """At most fifteen words; for the greedy way their products with the profile count alone."""
        papers = self._row(self._papers, _papers_of(self._profiles, person))
        papers /= np.maximum(np.linalg.norm(papers, axis=1, keepdims=True), 1e-9)
        query = self._row(self._submissions, np.array([submission]))[0]
        near = papers @ query
        weights = pooling.plan(len(papers)).weights.astype(np.float64)
        gain = weights @ papers[np.argsort(-near, kind="stable")] * self._rarity
        gain[query > 0] = 0.0
        length, product, squares = self._rarity**2, weights @ np.sort(near)[::-1], query @ query
        terms = np.fromiter(self._word, np.int64)
        terms = terms[gain[terms] > 0]
        best, chosen = -np.inf, terms[:0]
        for price in np.linspace(0, 1, _STEPS)[: _STEPS if optimal else 1] ** 2:
            worth = (gain - price * gain.max() * length / length.max())[terms]
            picked = terms[np.argsort(-worth, kind="stable")[:WORDS]]
            value = (product + gain[picked].sum()) / np.sqrt(squares + length[picked].sum())
            if value > best:
                best, chosen = value, picked
        return [self._word[term] for term in chosen.tolist()]
