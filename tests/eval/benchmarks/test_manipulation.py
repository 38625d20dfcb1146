"""Attacks on the order of reviewers, against what scoring the changed profiles gives."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from msgspec import structs

from eval.benchmarks.manipulation import PANEL, WORDS, Attacks, Committee, _Words
from panelist.records import Paper, Submission
from retriever.affinity.model import full_matrix
from retriever.affinity.models.hybrid import HybridModel
from retriever.affinity.pooling import ProfilePooling
from retriever.affinity.profiles import Profiles

MODEL = HybridModel(weight=1.0, fill=0)
WORDS_OF_ALL = [
    f"{a}{b}" for a in ("bor", "cal", "dim", "fer", "gul", "hap") for b in ("nak", "tos", "vil", "zur", "mep")
]


@pytest.fixture
def committee():
    dice = np.random.default_rng(2)

    def text():
        return " ".join(dice.choice(WORDS_OF_ALL, 12))

    profiles = [[Paper(f"p{who}-{n}", text(), "", 2000) for n in range(2 + who % 4)] for who in range(30)]
    submissions = [Submission(f"s{n}", text(), text()) for n in range(6)]
    return Committee(submissions, profiles, np.ones((6, 30), dtype=np.bool_))


@pytest.mark.parametrize("rule", ["discounted", "mean", "percentile:75", "max"])
def test_dropping_is_as_good_as_the_best_of_all_subsets(committee, rule):
    model, rank = replace(MODEL, pooling=rule), 14
    scores, succeeded = full_matrix(model.prepare(committee.submissions, committee.profiles)), []
    for number, row in enumerate(scores):
        order = np.argsort(-row, kind="stable")
        who, aim = int(order[rank - 1]), row[order[PANEL - 1]]
        profile, best = committee.profiles[who], -1.0
        for kept in range(1, len(profile) + 1):
            for some in combinations(profile, kept):
                # The others keep their papers, so that terms are as rare as before.
                profiles = [*committee.profiles, some]
                best = max(best, float(full_matrix(model.prepare([committee.submissions[number]], profiles))[0, -1]))
        succeeded.append(best > aim + 1e-6)
    found = Attacks(model, committee).drop(ProfilePooling.parse(rule), rank)
    assert found.optimal == pytest.approx(np.mean(succeeded))
    assert found.greedy <= found.optimal


def test_counted_drops_succeed_no_more_often_than_others(committee):
    attacks = Attacks(MODEL, committee)
    pooling = ProfilePooling.parse("mean")
    free, counted = (attacks.drop(pooling, 14, counted=counted) for counted in (False, True))
    assert counted.optimal < free.optimal


def test_words_of_a_profile_lift_its_reviewer(committee):
    pooling = ProfilePooling.parse("discounted")
    special = (" ".join(f"{word}{chr(ord('a') + who % 26)}q" for word in WORDS_OF_ALL[:9]) for who in range(30))
    profiles = [
        [structs.replace(paper, abstract=words) for paper in profile]
        for profile, words in zip(committee.profiles, special, strict=True)
    ]
    committee = replace(committee, profiles=profiles)
    assert Attacks(MODEL, committee).add_words(pooling, 20).optimal > 0.5
    words = _Words(Profiles.of(committee.profiles), committee.submissions, 0.0)
    chosen = words.choose(0, 3, pooling, optimal=True)
    assert 0 < len(chosen) <= WORDS
    own = " ".join(f"{paper.title} {paper.abstract}" for paper in committee.profiles[3]).split()
    given = f"{committee.submissions[0].title} {committee.submissions[0].abstract}".split()
    assert set(chosen) <= set(own) - set(given)
